/** One file that may be read, on disk or within an archive. Nothing of an archive is ever written to disk. */
export interface ImportFile {
  /** As a report may name it: relative to what was opened, without control characters, cut where it is long. */
  readonly name: string;
  /** Null where it cannot be known, as for a pipe. */
  readonly bytes: number | null;
  /** Milliseconds since 1970; null where it is not known. */
  readonly modifiedAt: number | null;
  /**
   * Its bytes from the beginning. May be called again, except for a pipe.
   *
   * Throws FileUnreadableError, also midway.
   */
  open(): AsyncIterable<Uint8Array>;
}

/** What a path stands for: itself, the files of a folder, or of an archive. */
export interface ImportFiles {
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'zip';
  readonly files: readonly ImportFile[];
  /** What is there and must not be read, with the reason. */
  readonly refused: readonly { readonly name: string; readonly reason: string }[];
  close(): Promise<void>;
}

const LONGEST_NAME = 200;

/** A name from a stranger is data: nothing in it may move a terminal's cursor or hide its end. */
export function shownName(name: string): string {
  const plain = name.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, '?');
  return plain.length <= LONGEST_NAME ? plain : `…${plain.slice(1 - LONGEST_NAME)}`;
}
