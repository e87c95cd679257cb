import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { runCommandLine } from '../../../main/cli/command-line.ts';
import { findEngine } from '../../../main/client/find-engine.ts';
import { resolveConfig } from '../../../main/config.ts';
import type { MemoryClient } from '../../../main/contract.ts';
import { runEngine } from '../../../main/processes/run-engine.ts';
import { programArguments } from '../../child-program.ts';
import { freshFolder } from '../../fixtures/fresh-folder.ts';
import { MAIN } from '../cli/fake-terminal.ts';

export interface HookOutput {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A memory with an engine, a home, and hooks of agents. */
export class HookLab {
  readonly home = freshFolder();
  readonly database = join(this.home, 'memory.db');
  readonly env: Record<string, string> = {
    MNEMIS_PATH: this.database,
    XDG_DATA_HOME: join(this.home, 'data'),
    LOCALAPPDATA: join(this.home, 'data'),
    HOME: this.home,
  };
  readonly #stop = new AbortController();
  #engine: Promise<void> | null = null;

  async start(): Promise<void> {
    const { values } = resolveConfig({
      flags: { path: this.database },
      environment: this.env,
      folder: this.home,
    });
    await new Promise<void>((resolve, reject) => {
      this.#engine = runEngine(values, {
        ...{ environment: this.env, idleMinutes: null, signal: this.#stop.signal },
        logger: { warn: () => undefined },
        onListening: () => resolve(),
      });
      this.#engine.catch(reject);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#engine;
  }

  async client(): Promise<MemoryClient> {
    return (await findEngine(this.database))!.client;
  }

  /** A working tree whose `origin` is at the address. */
  repository(name: string, remote: string | null): string {
    const folder = join(this.home, 'code', name);
    mkdirSync(join(folder, '.git'), { recursive: true });
    const config = remote === null ? '' : `[core]\n\tbare = false\n[remote "origin"]\n\turl = ${remote}\n`;
    writeFileSync(join(folder, '.git', 'config'), config);
    return folder;
  }

  file(name: string, content: string): string {
    const path = join(this.home, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    return path;
  }

  /** Runs the hook's command, in this process, on what an agent writes to its standard input. */
  async hook(agent: string, given: object | string, ...flags: readonly string[]): Promise<HookOutput> {
    let [out, err] = ['', ''];
    const take = (add: (text: string) => void) =>
      new Writable({
        write(chunk, _encoding, done) {
          add(String(chunk));
          done();
        },
      });
    const code = await runCommandLine(['agent', 'hook', agent, ...flags], {
      stdin: Readable.from([Buffer.from(typeof given === 'string' ? given : JSON.stringify(given))]),
      stdout: take((said) => {
        out += said;
      }),
      stderr: take((said) => {
        err += said;
      }),
      env: this.env,
      cwd: () => this.home,
      once: () => undefined,
      removeListener: () => undefined,
    });
    return { code, out, err };
  }

  /** As an agent runs it: in a process of its own. */
  async hookProcess(agent: string, given: object | string, ...flags: readonly string[]): Promise<HookOutput> {
    const argv = [...programArguments(MAIN), 'agent', 'hook', agent, ...flags];
    const child = spawn(process.execPath, argv, { cwd: this.home, env: { ...process.env, ...this.env } });
    child.stdin.on('error', () => undefined);
    child.stdin.end(typeof given === 'string' ? given : JSON.stringify(given));
    const [out, err, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ]);
    return { code, out, err };
  }
}
