import { type FileHandle, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { DiskFullError, StoreWriteError } from '../src/errors/index.ts';
import { makeFolder } from '../src/util/files.ts';

/** What was run and with which settings; it holds no keys. */
export interface RunDescription {
  readonly version: string;
  readonly node: string;
  readonly startedAt: string;
  readonly configuration: Readonly<Record<string, unknown>>;
}

/**
 * Raw results of an evaluation as JSON lines, the first of them `run`. While it is written its name ends in `.part`, so
 * that a file without that is whole; a run that breaks off leaves what it has.
 */
export class RunLog {
  /** Where it will be when it is whole. */
  readonly file: string;
  readonly #handle: FileHandle;

  private constructor(file: string, handle: FileHandle) {
    this.file = file;
    this.#handle = handle;
  }

  /**
   * A new file in a folder, which is made if need be.
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

  /** Everything is on disk, under its own name. */
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

/** Writes a file of results; what the file system refuses becomes an error that names the file. @throws DiskFullError, StoreWriteError */
async function withFileErrors<T>(file: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOSPC' || code === 'EFBIG') throw new DiskFullError(file, cause);
    if (code?.startsWith('E')) throw new StoreWriteError(`${file} could not be written: ${code}`, cause);
    throw cause;
  }
}
