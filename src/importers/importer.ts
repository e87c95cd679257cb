import { z } from 'zod';
import { CancelledError, FileUnreadableError, InvalidInputError } from '../errors/index.ts';
import type { FactInput } from '../model/fact-input.ts';
import { type TurnInput, turnInputSchema } from '../model/turn-input.ts';
import { describeIssues } from '../util/describe-issues.ts';
import { parseTimestamp } from '../util/parse-timestamp.ts';
import type { FileSample } from './files/import-file.ts';

/** What a chat is called where it comes from; `id` is the session of its turns. */
export interface Conversation {
  readonly id: string;
  readonly title?: string;
}

/** A turn that was read. `where` says where in the file, as a person would point at it. */
export interface TurnRecord {
  readonly kind: 'turn';
  readonly turn: TurnInput;
  /** Line number from 1, in formats that have lines. */
  readonly line?: number;
  readonly where: string;
  /** The chat that it is from, in formats that have chats. */
  readonly conversation?: Conversation;
}

/** What could not be read. The reason names fields and positions, never what stood there. */
export interface RejectedRecord {
  readonly kind: 'rejected';
  /** "line 12" or "conversation 3, session 2, turn 7", all from 1. */
  readonly where: string;
  readonly reason: string;
}

/** What an importer gives, in the order of the file: a turn, or where and why one could not be read. */
export type ImportRecord = TurnRecord | RejectedRecord;

/** A statement that somebody else extracted, for `addFacts` once the turns that it rests on are stored. */
export interface FactRecord {
  readonly kind: 'fact';
  readonly fact: FactInput;
  readonly where: string;
}

/** What is no turn and was passed over on purpose, such as "Anna joined the group". */
export interface LeftOut {
  readonly where: string;
  /** Without the user's words, the same for all of its kind. */
  readonly reason: string;
}

/** How far a read is: bytes of a streamed file, entries (conversations, questions) of a JSON file. */
export interface ImportProgress {
  readonly unit: 'bytes' | 'entries';
  readonly done: number;
  /** Null where it cannot be known beforehand, such as for a pipe. */
  readonly total: number | null;
}

/** How a file is read, and who is told what happens meanwhile. */
export interface ReadOptions {
  readonly signal?: AbortSignal;
  /**
   * True (the default): a bad record is reported and the rest goes in. False: the file is checked to its end
   * before the first turn is handed over, and a bad record makes the whole file unreadable.
   */
  readonly tolerate?: boolean;
  /** Called a few times per megabyte or once per entry, never more than once per record. */
  readonly onProgress?: (progress: ImportProgress) => void;
  /** How the formats of chats are read; the others pay no heed to it. */
  readonly settings?: ImportSettings;
  /** Called for what was passed over on purpose; what is broken is a rejected record. */
  readonly onLeftOut?: (what: LeftOut) => void;
  /** Told what was taken for granted and may be wrong, in one sentence: an order of dates, a time zone. */
  readonly onNote?: (note: string) => void;
}

/**
 * Port: reads one file format into turns, in the file's order.
 *
 * Throws FileUnreadableError if the file as a whole cannot be read, CancelledError when the signal fires.
 */
export interface Importer {
  readonly name: string;
  readonly description: string;
  read(path: string, options?: ReadOptions): AsyncIterable<ImportRecord>;
  /** The statements of a file that has any; each rests on turns that `read` gives. */
  facts?(path: string, options?: ReadOptions): AsyncIterable<FactRecord | RejectedRecord>;
  /** By what a file shows that it is of this format, as in "its conversations have …"; null if it does not. */
  recognize?(sample: FileSample): string | null;
}

export const DATE_ORDERS = ['auto', 'day-first', 'month-first', 'year-first'] as const;
export const BRANCHES = ['active', 'all'] as const;

/** How chats from elsewhere are read. */
const importSettingsSchema = z.strictObject({
  /** Of a chat whose messages were edited or answered anew: the path shown last, or all paths. */
  branches: z.enum(BRANCHES).default('active'),
  /** The name of the person whose chats these are. */
  me: z.string().trim().min(1).max(200).optional(),
  /** Of times that are written without a zone, as IANA names it ("Europe/Oslo"). */
  timeZone: z.string().refine(isTimeZone, 'is no time zone such as "Europe/Oslo"').default('UTC'),
  /** How dates such as 03/04/24 are to be read; `auto` goes by all dates of the file. */
  dateOrder: z.enum(DATE_ORDERS).default('auto'),
  /** What a chat is called whose file does not say it, and documents' session. */
  conversation: z.string().trim().min(1).max(200).optional(),
});

/** How chats from elsewhere are read, for what their files leave open; each has a default. */
export type ImportSettings = z.input<typeof importSettingsSchema>;
export type ReadSettings = z.output<typeof importSettingsSchema>;

/** Throws InvalidInputError. */
export function readSettings(settings: ImportSettings | undefined): ReadSettings {
  const parsed = importSettingsSchema.safeParse(settings ?? {});
  if (parsed.success) return parsed.data;
  const fields = Object.keys(importSettingsSchema.shape);
  throw new InvalidInputError(
    `The settings of the import are not valid: ${describeIssues(parsed.error, fields)}`,
  );
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

interface Place {
  readonly where: string;
  readonly line?: number;
}

const FIELDS = Object.keys(turnInputSchema.shape);

/** A record of `input`, which should be the input of `add`: a turn, or the reason why it is none. */
export function turnRecord(input: unknown, place: Place): ImportRecord {
  const parsed = turnInputSchema.safeParse(input);
  if (!parsed.success) return rejected(place.where, describeIssues(parsed.error, FIELDS));
  const problem = problemOf(parsed.data);
  return problem === null ? { kind: 'turn', turn: parsed.data, ...place } : rejected(place.where, problem);
}

/** What the schema cannot say and the engine would refuse; known here, it is reported with its place. */
function problemOf(turn: TurnInput): string | null {
  if (parseTimestamp(turn.at) === null) return 'at is not a time';
  if (turn.content.trim() === '' && !turn.attachments?.length) return 'content is empty';
  return null;
}

export function rejected(where: string, reason: string): RejectedRecord {
  return { kind: 'rejected', where, reason };
}

/**
 * Applies `tolerate`: unless bad records are tolerated, reads everything once for its rejections first, so
 * that "nothing of it was imported" is true when one is found.
 */
export async function* withTolerance(
  path: string,
  options: ReadOptions,
  records: (options: ReadOptions) => AsyncIterable<ImportRecord>,
): AsyncGenerator<ImportRecord> {
  if (options.tolerate === false) {
    const { onProgress: _, onLeftOut: __, onNote: ___, ...quiet } = options;
    for await (const record of records(quiet))
      if (record.kind === 'rejected')
        throw new FileUnreadableError(path, `${record.where}: ${record.reason}`);
  }
  yield* records(options);
}

export function throwIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new CancelledError('what was read before it stays as it is', signal.reason);
}
