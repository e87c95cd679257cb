import { type FileHandle, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../util/make-folder.ts';
import type { RunDescription } from './answer-log.ts';
import { toldOfFile } from './told-of-file.ts';

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
    const handle = await toldOfFile(file, async () => {
      await makeFolder(folder);
      return open(partOf(file), 'wx', 0o600);
    });
    const log = new RunLog(file, handle);
    await log.append({ kind: 'run', ...run });
    return log;
  }

  append(line: { readonly kind: string }): Promise<void> {
    return toldOfFile(this.file, () => this.#handle.appendFile(`${JSON.stringify(line)}\n`));
  }

  /** Everything is on disk, under its own name. */
  async finish(): Promise<void> {
    await toldOfFile(this.file, async () => {
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
