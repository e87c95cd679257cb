import type { TurnInput } from '../model/turn-input.ts';

/** A turn that was read. `where` says where in the file, as a person would point at it. */
export interface TurnRecord {
  readonly kind: 'turn';
  readonly turn: TurnInput;
  /** Line number from 1, in formats that have lines. */
  readonly line?: number;
  readonly where: string;
}

/** What could not be read. The reason names fields and positions, never what stood there. */
export interface RejectedRecord {
  readonly kind: 'rejected';
  /** "line 12" or "conversation 3, session 2, turn 7", all from 1. */
  readonly where: string;
  readonly reason: string;
}

export type ImportRecord = TurnRecord | RejectedRecord;

/** How far a read is: bytes of a streamed file, entries (conversations, questions) of a JSON file. */
export interface ImportProgress {
  readonly unit: 'bytes' | 'entries';
  readonly done: number;
  /** Null where it cannot be known beforehand, such as for a pipe. */
  readonly total: number | null;
}

export interface ReadOptions {
  readonly signal?: AbortSignal;
  /**
   * True (the default): a bad record is reported and the rest goes in. False: the file is checked to its end
   * before the first turn is handed over, and a bad record makes the whole file unreadable.
   */
  readonly tolerate?: boolean;
  /** Called a few times per megabyte or once per entry, never more than once per record. */
  readonly onProgress?: (progress: ImportProgress) => void;
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
}
