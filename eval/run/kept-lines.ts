import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { z } from 'zod';
import { FileUnreadableError } from '../../src/errors/index.ts';
import { readLines } from '../../src/importers/read-lines.ts';
import { DatabaseLock } from '../../src/store/database-lock.ts';
import { describeIssues } from '../../src/util/describe-issues.ts';
import { makeFolder } from '../../src/util/files.ts';
import { parseJson } from '../../src/util/parse-json.ts';
import { SerialQueue } from '../../src/util/serial-queue.ts';
import { withFileErrors } from '../run-log.ts';

const NEWLINE = 10;
/** Of a line: a reply and what a request may hold are far shorter. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** A file of JSON lines that grows and outlives a kill: each line is on the disk before `append` resolves. */
export class KeptLines<Line> {
  readonly #file: string;
  readonly #handle: FileHandle;
  readonly #lock: DatabaseLock;
  readonly #writes = new SerialQueue();

  private constructor(file: string, handle: FileHandle, lock: DatabaseLock) {
    this.#file = file;
    this.#handle = handle;
    this.#lock = lock;
  }

  /**
   * Reads the lines that are there, and cuts off one that a kill left half written. Creates the file and its folder.
   *
   * @throws FileUnreadableError for a line of another form; DatabaseLockedError if another process has it; DiskFullError,
   *   StoreWriteError.
   */
  static async open<Schema extends z.ZodType>(
    file: string,
    schema: Schema,
    onLine: (line: z.output<Schema>) => void,
  ): Promise<KeptLines<z.input<Schema>>> {
    await withFileErrors(file, () => makeFolder(dirname(file)));
    // Another process could be in the middle of a line.
    const lock = await DatabaseLock.acquire(file);
    let handle: FileHandle | undefined;
    try {
      handle = await withFileErrors(file, () => open(file, 'a+', 0o600));
      await handle.truncate(await wholeLength(handle));
      await parseLines(file, schema, onLine);
      return new KeptLines(file, handle, lock);
    } catch (error) {
      await handle?.close();
      await lock.release();
      throw error;
    }
  }

  append(line: Line): Promise<void> {
    return this.#writes.run(() =>
      withFileErrors(this.#file, async () => {
        await this.#handle.appendFile(`${JSON.stringify(line)}\n`);
        await this.#handle.datasync();
      }),
    );
  }

  /** After what was appended before. */
  async close(): Promise<void> {
    await this.#writes.drain();
    await this.#handle.close();
    await this.#lock.release();
  }
}

/** Bytes up to the end of the last whole line. */
async function wholeLength(handle: FileHandle): Promise<number> {
  const { size } = await handle.stat();
  const block = Buffer.alloc(65_536);
  for (let end = size; end > 0; end -= block.length) {
    const start = Math.max(0, end - block.length);
    const { bytesRead } = await handle.read(block, 0, end - start, start);
    const last = block.subarray(0, bytesRead).lastIndexOf(NEWLINE);
    if (last >= 0) return start + last + 1;
  }
  return 0;
}

async function parseLines<Schema extends z.ZodType>(
  file: string,
  schema: Schema,
  onLine: (line: z.output<Schema>) => void,
): Promise<void> {
  for await (const line of readLines(file, { maxBytes: MAX_LINE_BYTES })) {
    const read = 'text' in line ? parseJson(line.text) : null;
    const parsed = schema.safeParse(read?.ok ? read.value : undefined);
    if (!parsed.success) {
      const why = 'problem' in line ? line.problem : describeIssues(parsed.error);
      throw new FileUnreadableError(
        file,
        `line ${line.number} is not a line of an evaluation: ${why}; remove it to make its part again`,
      );
    }
    onLine(parsed.data);
  }
}
