import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { listen, programArguments } from '../../child-program.ts';
import type { WorkerTask } from '../../fixtures/engine/shared-memory-worker.ts';

const PROGRAM = new URL('../../fixtures/engine/shared-memory-worker.ts', import.meta.url).pathname;

/** A process on a shared memory (`shared-memory-worker.ts`). After `kill`, `replace` starts another one with its task. */
export class WorkerProcess {
  readonly task: WorkerTask;
  readonly #earlier: readonly string[];
  readonly #child: ChildProcess;
  readonly #heard: ReturnType<typeof listen>;
  readonly #closed: Promise<unknown>;

  constructor(task: WorkerTask, earlier: readonly string[] = []) {
    this.task = task;
    this.#earlier = earlier;
    this.#child = spawn(process.execPath, [...programArguments(PROGRAM), JSON.stringify(task)]);
    this.#heard = listen(this.#child);
    this.#closed = once(this.#child, 'close');
  }

  /** What it and those that it replaced have printed. */
  get lines(): readonly string[] {
    return [...this.#earlier, ...this.#heard.lines()];
  }

  get errors(): string {
    return this.#heard.errors();
  }

  /** Resolves when it has printed a line, or so many new ones, or has ended. */
  async printed(isMet: (lines: readonly string[]) => boolean): Promise<void> {
    while (!isMet(this.#heard.lines()) && this.#child.exitCode === null && this.#child.signalCode === null)
      await Promise.race([once(this.#child.stdout!, 'data'), this.#closed]);
  }

  /** Lets it consolidate and end. */
  flush(): void {
    this.#child.stdin!.on('error', () => undefined); // it was killed
    this.#child.stdin!.write('flush\n');
  }

  /** How it ended. */
  async end(): Promise<number | null> {
    await this.#closed;
    return this.#child.exitCode;
  }

  async replace(): Promise<WorkerProcess> {
    this.#child.kill('SIGKILL');
    await this.#closed;
    return new WorkerProcess(this.task, this.lines);
  }
}
