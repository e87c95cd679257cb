import type { ImportFile } from './import-file.ts';
import { keyPaths } from './key-paths.ts';

const SAMPLE_BYTES = 1024 * 1024;

/** What the beginning of a file shows, for telling its format. */
export interface FileSample {
  readonly name: string;
  /** Whether it is one of the files of a folder or an archive. */
  readonly isWithin: boolean;
  /** The first megabyte at most, decoded leniently; empty where it is no text. */
  readonly text: string;
  /**
   * Of JSON, the keys that its beginning shows, as paths from the root: "[].mapping", "chats.list". Of JSON lines,
   * those of the first line.
   */
  readonly keys: ReadonlySet<string>;
}

/** Throws FileUnreadableError. */
export async function sampleOf(
  file: ImportFile,
  { isWithin }: Pick<FileSample, 'isWithin'>,
): Promise<FileSample> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of file.open()) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= SAMPLE_BYTES) break;
  }
  const bytes = Buffer.concat(chunks).subarray(0, SAMPLE_BYTES);
  const text = bytes.includes(0) ? '' : new TextDecoder().decode(bytes);
  return { name: file.name, isWithin, text, keys: keyPaths(text) };
}
