import { createWriteStream } from 'node:fs';
import { createRequire } from 'node:module';
import { pipeline } from 'node:stream/promises';

interface ZipWriter {
  addBuffer(content: Buffer, name: string, options?: { mode?: number; compress?: boolean }): void;
  end(): void;
  readonly outputStream: NodeJS.ReadableStream;
}

/** The package has no types of its own. */
const { ZipFile } = createRequire(import.meta.url)('yazl') as { ZipFile: new () => ZipWriter };

export interface ZipEntry {
  readonly name: string;
  readonly content: string | Buffer;
  readonly mode?: number;
}

/** Writes an archive; its names must be valid here, and are changed by `withBytes`. */
export async function writeZip(path: string, entries: readonly ZipEntry[]): Promise<string> {
  const zip = new ZipFile();
  for (const { name, content, mode = 0o100644 } of entries)
    zip.addBuffer(Buffer.from(content), name, { mode });
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(path));
  return path;
}
