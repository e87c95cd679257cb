import { type FileHandle, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { DiskFullError, StoreWriteError } from '../src/errors/index.ts';
import { makeFolder } from '../src/util/files.ts';

/** The run and its settings, without keys. */
export interface RunDescription {
  readonly version: string;
  readonly node: string;
  readonly startedAt: string;
  readonly configuration: Readonly<Record<string, unknown>>;
}

/**
 * Raw results of an evaluation as JSON lines, the first of them `run`. Its name ends in `.part` until it is complete;
 * an interrupted run leaves its results in the `.part` file.
 */
export class RunLog {
  /** Its path when it is complete. */
  readonly file: string;
  readonly #handle: FileHandle;

  private constructor(file: string, handle: FileHandle) {
    this.file = file;
    this.#handle = handle;
  }

  /**
   * Creates a file in a folder, and the folder if necessary.
   *
   * @param kind The first word of its name.
   * @throws StoreWriteError, DiskFullError
   */
  static async create(folder: string, kind: string, run: RunDescription): Promise<RunLog> {
    const file = join(folder, `${kind}-${run.startedAt.replaceAll(/[:.]/g, '-')}.jsonl`);
    const handle = await withFileErrors(file, async () => {
      await makeFolder(folder);
      return open(partOf(file), 'wx', 0o600);
    });
    const log = new RunLog(file, handle);
    await log.append({ kind: 'run', ...run });
    return log;
  }

  append(line: { readonly kind: string }): Promise<void> {
    return withFileErrors(this.file, () => this.#handle.appendFile(`${JSON.stringify(line)}\n`));
  }

  /** Flushes the file and renames it to its final name. */
  async finish(): Promise<void> {
    await withFileErrors(this.file, async () => {
      await this.#handle.sync();
      await rename(partOf(this.file), this.file);
    });
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}

function partOf(file: string): string {
  return `${file}.part`;
}

/**
 * Writes a file of results; an error of the file system becomes a typed error that names the file. @throws
 * DiskFullError, StoreWriteError
 */
export async function withFileErrors<T>(file: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOSPC' || code === 'EFBIG') throw new DiskFullError(file, cause);
    if (code?.startsWith('E')) throw new StoreWriteError(`${file} could not be written: ${code}`, cause);
    throw cause;
  }
}
