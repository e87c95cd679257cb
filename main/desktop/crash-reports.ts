import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { MnemisError } from '../../src/errors/index.ts';
import { makeStateFolder } from '../../src/util/files.ts';
import { contract } from '../contract.ts';
import { LogFile } from './log-file.ts';
import { portRequestSchema } from './port-server.ts';

interface DumpLimits {
  readonly most: number;
  readonly days: number;
}

const DUMP_LIMITS: DumpLimits = { most: 10, days: 30 };
const DAY = 86_400_000;
/** A dump of a process, and what Crashpad keeps beside it. */
const DUMP = /\.(?:dmp|meta)$/;

/**
 * Reports of crashes, in a folder of the user's data: `crashes.log`, and in `dumps` what the system kept of a process
 * that crashed. Nothing sends them anywhere.
 */
export class CrashReports {
  readonly folder: string;
  readonly dumps: string;
  readonly #log: LogFile;

  constructor(dataFolder: string) {
    this.folder = join(dataFolder, 'reports');
    this.dumps = join(this.folder, 'dumps');
    this.#log = new LogFile(join(this.folder, 'crashes.log'));
  }

  /** Creates the folders, and removes old dumps. */
  open(limits: DumpLimits = DUMP_LIMITS, now = Date.now()): void {
    try {
      makeStateFolder(this.dumps);
    } catch {
      return; // the data folder cannot be written: the engine says so
    }
    const newestFirst = this.#dumpFiles().toSorted((a, b) => b.at - a.at);
    for (const [index, { path, at }] of newestFirst.entries())
      if (index >= limits.most || at < now - limits.days * DAY) remove(path);
  }

  /** A dump holds memory of a process, which may include what the user has forgotten since. Never throws. */
  removeDumps(): void {
    for (const { path } of this.#dumpFiles()) remove(path);
  }

  /** @param who The process. */
  note(who: string, what: string): void {
    this.#log.write(`${who}: ${what}`);
  }

  /**
   * Notes each error that nobody catches. What happens next stays as it is: an exception ends the engine, or shows
   * Electron's message in the main process; a rejection ends neither (Electron only warns of it).
   */
  watch(who: string, program: NodeJS.EventEmitter = process): void {
    const note = (error: unknown) => this.note(who, describeCrash(error));
    program.on('uncaughtExceptionMonitor', note);
    program.on('unhandledRejection', note);
  }

  #dumpFiles(): readonly { readonly path: string; readonly at: number }[] {
    let names: string[];
    try {
      names = readdirSync(this.dumps, { recursive: true, encoding: 'utf8' });
    } catch {
      return []; // no folder
    }
    return names
      .filter((name) => DUMP.test(name))
      .map((name) => join(this.dumps, name))
      .flatMap((path) => {
        try {
          return [{ path, at: lstatSync(path).mtimeMs }];
        } catch {
          return []; // removed meanwhile
        }
      });
  }
}

/** One that cannot be removed, such as one in use, is tried again with the next forgetting or start. */
function remove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // A dump must stop neither the others nor the user's request.
  }
}

/**
 * An error's kind, its code and where it was thrown. Never its message, which may quote the memory's text, nor a cause.
 */
export function describeCrash(error: unknown): string {
  if (!(error instanceof Error)) return `a thrown ${typeof error}`;
  const { name, message, stack = '' } = error;
  const code = MnemisError.isInstance(error) ? ` (${error.code})` : systemCode(error);
  const from = stack.indexOf(message);
  const frames = from === -1 ? [] : stack.slice(from + message.length).match(/^ +at .*$/gm);
  return [`${/^\w+$/.test(name) ? name : 'Error'}${code}`, ...(frames ?? [])].join('\n');
}

/** Codes of Node.js and of the system are words such as `ENOENT`. */
function systemCode({ code }: Error & { code?: unknown }): string {
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? ` (${code})` : '';
}

const REMOVING: ReadonlySet<string> = new Set(
  Object.entries(contract).flatMap(([method, { effect }]) => (effect === 'removes' ? [method] : [])),
);

/** Whether requests of this method remove text. */
export const isRemoving = (method: string): boolean => REMOVING.has(method);

/** Whether a window's message asks for something to be forgotten, or erased from disk. */
export function removesText(message: unknown): boolean {
  const { data } = portRequestSchema.safeParse(message);
  return data?.type === 'request' && isRemoving(data.method);
}
