import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import type { z } from 'zod';
import { FileUnreadableError } from '../../src/errors/index.ts';
import { describeIssues } from '../../src/util/describe-issues.ts';
import { makeFolder } from '../../src/util/files.ts';
import { parseJson } from '../../src/util/parse-json.ts';
import { SerialQueue } from '../../src/util/serial-queue.ts';
import { withFileErrors } from '../run-log.ts';

const NEWLINE = 10;

/** A file of JSON lines that grows and outlives a kill: each line is on the disk before `append` resolves. */
export class KeptLines<Line> {
  readonly #file: string;
  readonly #handle: FileHandle;
  readonly #writes = new SerialQueue();

  private constructor(file: string, handle: FileHandle) {
    this.#file = file;
    this.#handle = handle;
  }

  /**
   * Reads the lines that are there, and cuts off one that a kill left half written. Creates the file and its folder.
   *
   * @throws FileUnreadableError for a line of another form; DiskFullError, StoreWriteError.
   */
  static async open<Schema extends z.ZodType>(
    file: string,
    schema: Schema,
    onLine: (line: z.output<Schema>) => void,
  ): Promise<KeptLines<z.input<Schema>>> {
    const handle = await withFileErrors(file, async () => {
      await makeFolder(dirname(file));
      const opened = await open(file, 'a+', 0o600);
      await opened.truncate(await wholeLength(opened));
      return opened;
    });
    try {
      await readLines(file, schema, onLine);
    } catch (error) {
      await handle.close();
      throw error;
    }
    return new KeptLines(file, handle);
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

async function readLines<Schema extends z.ZodType>(
  file: string,
  schema: Schema,
  onLine: (line: z.output<Schema>) => void,
): Promise<void> {
  let number = 0;
  for await (const text of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    number += 1;
    const read = parseJson(text);
    const parsed = schema.safeParse(read.ok ? read.value : undefined);
    if (!parsed.success)
      throw new FileUnreadableError(
        file,
        `line ${number} is none of an evaluation: ${describeIssues(parsed.error)}; remove the line to make its part again`,
      );
    onLine(parsed.data);
  }
}
