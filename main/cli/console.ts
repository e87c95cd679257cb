import { createInterface } from 'node:readline/promises';
import { styleText } from 'node:util';
import { CancelledError, MnemisError } from '../../src/errors/index.ts';
import { lackOf } from './lack-of.ts';
import { wrapLines } from './wrap-line.ts';

/** `columns` is the width of a terminal. */
type Output = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };

export { counted } from '../../src/util/counted.ts';

/** The part of `process` that commands use; tests pass a substitute. */
export interface Terminal {
  readonly stdout: Output;
  readonly stderr: Output;
  /** Absent if the command cannot ask for confirmation. */
  readonly stdin?: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
  cwd(): string;
  once(event: 'SIGINT' | 'SIGTERM', listener: () => void): unknown;
  removeListener(event: 'SIGINT' | 'SIGTERM', listener: () => void): unknown;
}

/** Thrown after the command has printed its failure, to set exit code 1. */
export class CommandFailed {}

/** Colour codes, other control characters, and characters that change the direction of text. */
const COLOUR_OR_CONTROL = /\p{Cc}\[[\d;]*m|[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** Removes control sequences except colours: stored texts are untrusted and must not control the terminal. */
function printable(line: string): string {
  const isKept = (found: string) => found.endsWith('m') || found === '\n' || found === '\t';
  return line.replace(COLOUR_OR_CONTROL, (found) => (isKept(found) ? found : ''));
}

type Style = 'bold' | 'dim' | 'cyan' | 'green' | 'yellow' | 'red';

/** Output of a command: results on standard output, everything else on standard error. */
export class CommandConsole {
  readonly terminal: Terminal;
  readonly json: boolean;

  constructor(terminal: Terminal, json: boolean) {
    this.terminal = terminal;
    this.json = json;
  }

  /** Prints the result: `value` as one JSON document with --json, else the lines that `human` returns. */
  result(value: unknown, human: () => readonly string[] | string): void {
    if (this.json) this.terminal.stdout.write(`${JSON.stringify(value, jsonValue, 2)}\n`);
    else this.line(...[human()].flat());
  }

  /** Characters in a line of the result; unlimited where the result is not printed on a terminal. */
  get width(): number {
    return widthOf(this.terminal.stdout);
  }

  /** Prints lines at once, wrapped at the width of a terminal; nothing with --json. */
  line(...lines: readonly string[]): void {
    if (!this.json) for (const line of lines) write(this.terminal.stdout, line);
  }

  note(line: string): void {
    write(this.terminal.stderr, line);
  }

  style(style: Style, text: string): string {
    const colours = this.terminal.stdout.isTTY === true && !this.terminal.env.NO_COLOR;
    return colours ? styleText(style, text) : text;
  }

  failure(error: unknown): string {
    const { code, message } = describeFailure(error);
    if (this.json) this.terminal.stdout.write(`${JSON.stringify({ error: { code, message } }, null, 2)}\n`);
    this.note(`mnemis: ${message}`);
    if (code === 'internal' && error instanceof Error && this.terminal.env.MNEMIS_DEBUG)
      this.terminal.stderr.write(`${error.stack}\n`);
    return code;
  }
}

/** Narrower terminals get lines of this width, which they break themselves. */
const NARROWEST = 40;

/** Characters in a line of a terminal; unlimited for a file or a pipe. */
export function widthOf({ isTTY, columns }: Output): number {
  return isTTY === true && columns !== undefined ? Math.max(NARROWEST, columns) : Number.POSITIVE_INFINITY;
}

function write(stream: Output, line: string): void {
  stream.write(`${wrapLines(printable(line), widthOf(stream))}\n`);
}

function describeFailure(error: unknown): { code: string; message: string } {
  if (MnemisError.isInstance(error)) return { code: error.code, message: error.message };
  if (error instanceof Error && error.name === 'AbortError')
    return { code: CancelledError.code, message: 'Cancelled; everything stored before is kept.' };
  const lack = lackOf(error);
  if (lack !== undefined) return { code: 'internal', message: `${lack}. Everything acknowledged is stored.` };
  return {
    code: 'internal',
    message: `Internal error (${kindOf(error)}). Everything acknowledged is stored. Set MNEMIS_DEBUG=1 for details, and please report it.`,
  };
}

/** Name and code only: the message of a foreign error may quote a turn. */
function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error ? `${error.name} ${error.code}` : error.name;
}

/** Omits typed arrays (vectors) from JSON output. */
function jsonValue(_key: string, value: unknown): unknown {
  return ArrayBuffer.isView(value) ? undefined : value;
}

/** A text in one line of at most `width` characters; what does not fit is cut off. */
export function inOneLine(text: string, width: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= width
    ? line
    : `${line
        .slice(0, width - 1)
        .toWellFormed()
        .trimEnd()}…`;
}

export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

/** Formats seconds for people, rounded up: "45 s", "12 min", "2.5 h". */
export function duration(seconds: number): string {
  if (seconds <= 90) return `${Math.ceil(seconds)} s`;
  return seconds <= 5_400 ? `${Math.ceil(seconds / 60)} min` : `${(seconds / 3_600).toFixed(1)} h`;
}

/** Whether the command can ask for confirmation: standard input and standard error are a terminal. */
export function canAsk({ stdin, stderr }: Terminal): boolean {
  return stdin?.isTTY === true && stderr.isTTY === true;
}

/** Asks on standard error, which keeps standard output clean. Any answer but "yes" or "y" means no. */
export async function confirm(terminal: Terminal, question: string, signal: AbortSignal): Promise<boolean> {
  const lines = createInterface({ input: terminal.stdin!, output: terminal.stderr });
  try {
    const answer = await lines.question(`${question} [yes/no] `, { signal });
    return /^\s*y(es)?\s*$/i.test(answer);
  } finally {
    lines.close();
  }
}

/** The first Ctrl-C stops the work after its current step; a second one ends the process. */
export async function cancellable(
  terminal: Terminal,
  run: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const controller = new AbortController();
  const stop = () => {
    terminal.stderr.write('\nStopping after the current step; press Ctrl-C again to stop at once.\n');
    controller.abort();
  };
  terminal.once('SIGINT', stop);
  terminal.once('SIGTERM', stop);
  try {
    await run(controller.signal);
  } finally {
    terminal.removeListener('SIGINT', stop);
    terminal.removeListener('SIGTERM', stop);
  }
}
