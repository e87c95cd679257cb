import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../util/make-folder.ts';
import type { AnswerResult } from './answer-result.ts';
import type { AnswersReport } from './answers-report.ts';
import { toldOfFile } from './told-of-file.ts';

/** All that somebody needs to tell what was run; no keys. */
export interface RunDescription {
  readonly version: string;
  readonly node: string;
  readonly startedAt: string;
  readonly configuration: Readonly<Record<string, unknown>>;
}

/**
 * Raw outputs of an evaluation as JSON lines: first `run`, then an `answer` for every question as it comes, so that a
 * run that breaks off leaves what it has, last the `report`.
 */
export class AnswerLog {
  readonly file: string;
  readonly #handle: FileHandle;

  private constructor(file: string, handle: FileHandle) {
    this.file = file;
    this.#handle = handle;
  }

  /**
   * A new file in a folder, which is made if need be.
   *
   * @throws StoreWriteError, DiskFullError
   */
  static async create(folder: string, run: RunDescription): Promise<AnswerLog> {
    const file = join(folder, `answers-${run.startedAt.replaceAll(/[:.]/g, '-')}.jsonl`);
    const handle = await toldOfFile(file, async () => {
      await makeFolder(folder);
      return open(file, 'wx', 0o600);
    });
    const log = new AnswerLog(file, handle);
    await log.#append({ kind: 'run', ...run });
    return log;
  }

  async answer({ question, plain: _, ...result }: AnswerResult): Promise<void> {
    const { id, category, text, answer: gold, evidenceTurns } = question;
    await this.#append({ kind: 'answer', id, category, question: text, gold, evidenceTurns, ...result });
  }

  async report(report: AnswersReport): Promise<void> {
    await this.#append({ kind: 'report', ...report });
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  #append(line: object): Promise<void> {
    return toldOfFile(this.file, () => this.#handle.appendFile(`${JSON.stringify(line)}\n`));
  }
}
