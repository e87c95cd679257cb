import type { FactInput } from '../model/fact-input.ts';
import type { TurnInput } from '../model/turn-input.ts';
import type { FileSample } from './files/file-sample.ts';
import type { ImportSettings } from './import-settings.ts';

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
