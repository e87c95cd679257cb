import { z } from 'zod';
import { InvalidInputError } from '../../errors/index.ts';
import type { Milliseconds } from '../../model/ids.ts';
import { describeIssues } from '../../util/describe-issues.ts';

const HOUR = 3_600_000;
const UNITS: Readonly<Record<string, number>> = { h: HOUR, d: 24 * HOUR, w: 168 * HOUR, y: 365 * 24 * HOUR };
const DURATION = /^(\d{1,6})\s?([hdwy])$/;

const duration = z
  .string()
  .refine((text) => (durationOf(text) ?? 0) > 0, 'it must be a number of h, d, w or y, such as "365d"');

export const retentionSchema = z.strictObject({
  turns: z.strictObject({
    /** A number of hours, days, weeks or years of 365 days, such as `365d`, compared with the turns' own times. */
    olderThan: duration,
    /** Whether the facts of the turns stay and only their text is removed. Default: the turns are forgotten. */
    keepFacts: z.boolean().optional(),
  }),
});

/** How long memory keeps turns. */
export type Retention = Readonly<z.infer<typeof retentionSchema>>;

export interface TurnRule {
  /** Turns said before this time are too old. */
  readonly before: Milliseconds;
  readonly keepsFacts: boolean;
}

/** @throws InvalidInputError */
export function readRetention(input: unknown, now: Milliseconds): TurnRule {
  const parsed = retentionSchema.safeParse(input);
  if (!parsed.success)
    throw new InvalidInputError(`The retention is not valid: ${describeIssues(parsed.error, ['turns'])}`);
  const { olderThan, keepFacts = false } = parsed.data.turns;
  return { before: now - durationOf(olderThan)!, keepsFacts: keepFacts };
}

function durationOf(text: string): Milliseconds | null {
  const match = DURATION.exec(text.trim());
  return match === null ? null : Number(match[1]) * UNITS[match[2]!]!;
}
