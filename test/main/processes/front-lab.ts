import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { resolveConfig } from '../../../main/config.ts';
import { runFront } from '../../../main/processes/run-front.ts';
import { programArguments } from '../../child-program.ts';
import { CommandLab, MAIN } from '../cli/fake-terminal.ts';

/** A folder with a built page. */
export function pageFolder(lab: CommandLab): string {
  const folder = join(lab.folder, 'page');
  mkdirSync(join(folder, 'assets/.hidden'), { recursive: true });
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Page</title>');
  writeFileSync(join(folder, 'assets/main-a1B2c3D4.js'), 'document.title = "ran";');
  writeFileSync(join(folder, 'assets/.hidden/x.js'), 'hidden');
  writeFileSync(join(folder, 'assets/notes.secret'), 'secret');
  writeFileSync(join(lab.folder, 'outside.txt'), 'outside');
  return folder;
}

/** A front in this process; its engine has one of its own, which is started with the first request. */
export class FrontLab {
  readonly lab: CommandLab;
  readonly port: number;
  readonly link: string;
  readonly #stop: AbortController;
  readonly #run: Promise<void>;

  private constructor(
    lab: CommandLab,
    { port, link, stop, run }: { port: number; link: string; stop: AbortController; run: Promise<void> },
  ) {
    [this.lab, this.port, this.link, this.#stop, this.#run] = [lab, port, link, stop, run];
  }

  static async open(
    lab = new CommandLab(),
    { port = 0 }: { readonly port?: number } = {},
  ): Promise<FrontLab> {
    const stop = new AbortController();
    const resolve = () => resolveConfig({ flags: {}, environment: lab.env, folder: lab.folder });
    const front = await new Promise<{ port: number; link: string; run: Promise<void> }>((done, fail) => {
      const run = runFront({
        engine: {
          resolve,
          environment: { ...process.env, ...lab.env },
          folder: lab.folder,
          program: programArguments(MAIN),
        },
        place: resolve().values.path,
        page: pageFolder(lab),
        port,
        idleMinutes: null,
        signal: stop.signal,
        onListening: (listening) => done({ ...listening, run }),
      });
      run.catch(fail);
    });
    return new FrontLab(lab, { ...front, stop });
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get code(): string {
    return this.link.split('#launch=')[1]!;
  }

  async post(method: string, input: object, headers: Readonly<Record<string, string>> = {}) {
    const response = await fetch(`${this.origin}/v1/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(input),
    });
    return { status: response.status, reply: (await response.json()) as Reply };
  }

  async token(): Promise<string> {
    return (await this.post('launch', { code: this.code })).reply.result!.token!;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#run;
  }
}

interface Reply {
  readonly result?: { readonly token?: string; readonly code?: string; readonly pid?: number };
  readonly error?: { readonly code: string };
}
