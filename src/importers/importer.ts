import { z } from 'zod';
import { CancelledError, FileUnreadableError, InvalidInputError } from '../errors/index.ts';
import type { FactInput } from '../model/fact-input.ts';
import { type TurnInput, turnInputSchema } from '../model/turn-input.ts';
import { describeIssues } from '../util/describe-issues.ts';
import { parseTimestamp } from '../util/parse-timestamp.ts';
import { isTimeZone } from '../util/time-zone.ts';
import type { FileSample } from './files/import-file.ts';
import { isDateFormat } from './whatsapp/date-format.ts';

/** The name of a chat in its source; `id` is the session of its turns. */
export interface Conversation {
  readonly id: string;
  readonly title?: string;
}

/** A turn that was read. `where` is its place in the file, for people. */
export interface TurnRecord {
  readonly kind: 'turn';
  readonly turn: TurnInput;
  /** Line number from 1, in formats that have lines. */
  readonly line?: number;
  readonly where: string;
  /** Its chat, in formats with chats. */
  readonly conversation?: Conversation;
}

/** A record that could not be read. The reason names fields and positions and never quotes content. */
export interface RejectedRecord {
  readonly kind: 'rejected';
  /** "line 12" or "conversation 3, session 2, turn 7", all from 1. */
  readonly where: string;
  readonly reason: string;
}

/** A record of an importer, in file order: a turn, or a rejection with place and reason. */
export type ImportRecord = TurnRecord | RejectedRecord;

/** A statement extracted by another system, for `addFacts` once its evidence turns are stored. */
export interface FactRecord {
  readonly kind: 'fact';
  readonly fact: FactInput;
  readonly where: string;
}

/** A record skipped on purpose, because it is not a turn, such as "Anna joined the group". */
export interface LeftOut {
  readonly where: string;
  /** The same text for all of its kind, without user content. */
  readonly reason: string;
}

/** Progress of a read: bytes of a streamed file, entries (conversations, questions) of a JSON file. */
export interface ImportProgress {
  readonly unit: 'bytes' | 'entries';
  readonly done: number;
  /** Null if unknown beforehand, as for a pipe. */
  readonly total: number | null;
}

/** Settings and listeners of a read. */
export interface ReadOptions {
  readonly signal?: AbortSignal;
  /**
   * The file's own name, where its path does not have it, as for an upload. Formats take the extension and the name of a
   * chat from it. Default: the last part of the path.
   */
  readonly name?: string;
  /**
   * True (the default): a bad record is reported and skipped. False: the whole file is checked before the first turn is
   * returned, and a bad record makes the file unreadable.
   */
  readonly tolerate?: boolean;
  /** Called a few times per megabyte or once per entry, never more than once per record. */
  readonly onProgress?: (progress: ImportProgress) => void;
  /** Of a folder, the names of the files to read (`planImport`). Default: all files of the format. */
  readonly only?: ReadonlySet<string>;
  /** Settings for chat formats; other formats ignore them. */
  readonly settings?: ImportSettings;
  /** Called for each record skipped on purpose; an invalid record is returned as rejected. */
  readonly onLeftOut?: (what: LeftOut) => void;
  /** Receives each assumption that may be wrong, as one sentence: an order of dates, a time zone. */
  readonly onNote?: (note: string) => void;
}

/**
 * Port: reads one file format into turns, in the file's order.
 *
 * Throws FileUnreadableError if the file as a whole cannot be read, CancelledError when the signal is aborted.
 */
export interface Importer {
  readonly name: string;
  readonly description: string;
  /** Whether `read` takes a folder of files. */
  readonly readsFolders?: boolean;
  read(path: string, options?: ReadOptions): AsyncIterable<ImportRecord>;
  /** The statements of a file, if the format has any; their evidence is turns from `read`. */
  facts?(path: string, options?: ReadOptions): AsyncIterable<FactRecord | RejectedRecord>;
  /** The evidence that a file has this format, as in "its conversations have …"; null if there is none. */
  recognize?(sample: FileSample): string | null;
}

export const DATE_ORDERS = ['auto', 'day-first', 'month-first', 'year-first'] as const;
export const BRANCHES = ['active', 'all'] as const;

const importSettingsSchema = z.strictObject({
  /** For a chat with edited messages or regenerated replies: the path shown last, or all paths. */
  branches: z.enum(BRANCHES).default('active'),
  /** Whether chats are read that their source marks as temporary or as not to be remembered. */
  includeTemporary: z.boolean().default(false),
  /** The name of the person whose chats these are. */
  me: z.string().trim().min(1).max(200).optional(),
  /** IANA name of the zone for times without one ("Europe/Oslo"). */
  timeZone: z.string().refine(isTimeZone, 'is not a time zone such as "Europe/Oslo"').default('UTC'),
  /** How to read dates such as 03/04/24; `auto` decides from all dates of the file. */
  dateOrder: z.enum(DATE_ORDERS).default('auto'),
  /** The form of dates and times in a chat of an unknown form, such as "D.M.YYYY H:mm". */
  dateFormat: z
    .string()
    .max(100)
    .refine(isDateFormat, 'is not a form of dates and times such as "D.M.YYYY H:mm"')
    .optional(),
  /** Name of a chat whose file has none, and session of documents. */
  conversation: z.string().trim().min(1).max(200).optional(),
});

/** Settings for what the files of imported chats do not state; each has a default. */
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

interface Place {
  readonly where: string;
  readonly line?: number;
}

const FIELDS = Object.keys(turnInputSchema.shape);

/** Validates `input` as an input of `add` and returns a record: the turn, or a rejection with the reason. */
export function turnRecord(input: unknown, place: Place): ImportRecord {
  const parsed = turnInputSchema.safeParse(input);
  if (!parsed.success) return rejected(place.where, describeIssues(parsed.error, FIELDS));
  const problem = problemOf(parsed.data);
  return problem === null ? { kind: 'turn', turn: parsed.data, ...place } : rejected(place.where, problem);
}

/** Checks beyond the schema that the engine would reject; failing here reports the place in the file. */
function problemOf(turn: TurnInput): string | null {
  if (turn.at !== undefined && parseTimestamp(turn.at) === null) return 'at is not a time';
  if (turn.content.trim() === '' && !turn.attachments?.length) return 'content is empty';
  return null;
}

export function rejected(where: string, reason: string): RejectedRecord {
  return { kind: 'rejected', where, reason };
}

/**
 * Applies `tolerate`: if bad records are not tolerated, first reads the whole file, so that a rejection means that
 * nothing was imported.
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
  if (signal?.aborted) throw new CancelledError('what was imported before is kept', signal.reason);
}
