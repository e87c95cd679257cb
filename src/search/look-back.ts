import { InvalidInputError } from '../errors/index.ts';
import type { Milliseconds } from '../model/ids.ts';
import type { TimeInput } from '../model/time-input.ts';
import { parseTimestamp } from '../util/parse-timestamp.ts';

/**
 * The two times of a question about the past; each defaults to the present. Text without a zone is UTC; text that is
 * not a time is an InvalidInputError.
 */
export interface LookBackOptions {
  /** Valid time: what held at this time, as far as memory knows now. */
  readonly asOf?: TimeInput | undefined;
  /** System time: what memory knew at this time. With both: what it knew then about that time. */
  readonly knownAt?: TimeInput | undefined;
}

/** Null means the present. */
export interface LookBack {
  readonly asOf: Milliseconds | null;
  readonly knownAt: Milliseconds | null;
}

/** Both times in milliseconds since 1970. @throws InvalidInputError for text that is not a time. */
export function readLookBack({ asOf, knownAt }: LookBackOptions): LookBack {
  return { asOf: readTime('asOf', asOf), knownAt: readTime('knownAt', knownAt) };
}

function readTime(name: string, input: unknown): Milliseconds | null {
  if (input === undefined) return null;
  const isTime = typeof input === 'string' || typeof input === 'number' || input instanceof Date;
  const time = isTime ? parseTimestamp(input) : null;
  if (time === null)
    throw new InvalidInputError(
      `${name} is not a time; give a Date, milliseconds, or text such as "2023-05-08"`,
    );
  return time;
}
