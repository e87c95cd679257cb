import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { runCommandLine } from '../../../main/cli/command-line.ts';
import { programArguments } from '../../child-program.ts';

export const ROOT = join(import.meta.dirname, '../../..');
export const MAIN = join(ROOT, 'main/cli/main.ts');
export const FIXTURES = join(ROOT, 'test/fixtures/importers');
export const LOCOMO = join(FIXTURES, 'locomo.json');
const HOLD_OPEN = join(ROOT, 'test/fixtures/hold-open.ts');

export interface Run {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
  /** The one JSON document of standard output; throws if it is none. */
  json<T = Record<string, never>>(): T;
}

/** A temporary folder to run commands in; nothing of this process's environment shines through. */
export class CommandLab {
  readonly folder = mkdtempSync(join(tmpdir(), 'mnemis-cli-test-'));
  readonly signals = new EventEmitter();
  readonly env: Record<string, string> = {
    MNEMIS_PATH: join(this.folder, 'memory.db'),
    MNEMIS_MODELS_FOLDER: join(this.folder, 'models'),
    // So that no settings file of this machine counts.
    XDG_DATA_HOME: join(this.folder, 'data'),
    LOCALAPPDATA: join(this.folder, 'data'),
  };
  /** What is piped to standard input. */
  stdin: string | null = null;
  /** The width of the terminal that shows the output; null if it is no terminal. */
  columns: number | null = null;
  /** Called with what is written to standard error. */
  onError: (text: string) => void = () => undefined;

  file(name: string, content: string | readonly object[]): string {
    const text =
      typeof content === 'string' ? content : content.map((line) => JSON.stringify(line)).join('\n');
    writeFileSync(join(this.folder, name), text);
    return join(this.folder, name);
  }

  read(name: string): string {
    return readFileSync(join(this.folder, name), 'utf8');
  }

  async run(...argv: readonly string[]): Promise<Run> {
    let [out, err] = ['', ''];
    const exitCode = await runCommandLine(argv, {
      stdout: this.#output((text) => {
        out += text;
      }),
      stderr: this.#output((text) => {
        err += text;
        this.onError(text);
      }),
      ...(this.stdin === null ? {} : { stdin: Readable.from([Buffer.from(this.stdin)]) }),
      env: this.env,
      cwd: () => this.folder,
      once: (event, listener) => this.signals.once(event, listener),
      removeListener: (event, listener) => this.signals.removeListener(event, listener),
    });
    return { exitCode, out, err, json: () => JSON.parse(out) };
  }

  #output(take: (text: string) => void) {
    const isTTY = this.columns !== null;
    return Object.assign(sink(take), isTTY ? { isTTY, columns: this.columns! } : {});
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function sink(take: (text: string) => void): Writable {
  return new Writable({
    write(chunk, _encoding, done) {
      take(String(chunk));
      done();
    },
  });
}

export const TURNS = [
  { content: 'I adopted a grey cat called Miso.', speaker: 'Ana', session: 's1', index: 0, at: '2024-01-05' },
  { content: 'My kiln arrived yesterday.', speaker: 'Ben', session: 's1', index: 1, at: '2024-01-05' },
  { content: 'I moved to Lisbon last week.', speaker: 'Ana', session: 's2', index: 0, at: '2024-03-05' },
];

const imported = new Map<readonly object[], Promise<CommandLab>>();

/** A lab whose memory holds these turns. They are imported once in a test process; each lab has a copy of the files. */
export async function labWith(turns: readonly object[]): Promise<CommandLab> {
  const known = imported.get(turns) ?? importInto(new CommandLab(), turns);
  imported.set(turns, known);
  const lab = new CommandLab();
  cpSync((await known).folder, lab.folder, { recursive: true });
  return lab;
}

async function importInto(lab: CommandLab, turns: readonly object[]): Promise<CommandLab> {
  const { exitCode, err } = await lab.run('import', lab.file('turns.jsonl', turns), '--format', 'jsonl');
  if (exitCode !== 0) throw new Error(err);
  return lab;
}

/** A lab whose memory holds three turns. */
export const filledLab = () => labWith(TURNS);

/** A program in the lab's folder and environment. */
export function startProgram(lab: CommandLab, ...argv: readonly string[]): ChildProcess {
  const env = { ...process.env, ...lab.env };
  return spawn(process.execPath, argv, { cwd: lab.folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Another program that has the lab's memory open, until the job is done. */
export async function whileHeld(
  lab: CommandLab,
  job: (holder: ChildProcess) => Promise<void>,
): Promise<void> {
  const holder = startProgram(lab, ...programArguments(HOLD_OPEN), lab.env.MNEMIS_PATH!);
  try {
    await once(holder.stdout!, 'data');
    await job(holder);
  } finally {
    holder.kill('SIGKILL');
  }
}
