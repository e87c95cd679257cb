import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { buildSync } from 'esbuild';

const ROOT = join(import.meta.dirname, '..');
/** Inside the checkout, so that packages and the package's own files are found from there. */
const BUNDLES = join(ROOT, 'node_modules/.cache/mnemis-test-programs');
const bundled = new Map<string, string>();

/**
 * Node's arguments for a program of the tests in a process of its own: bundled once, as a process that reads every
 * module through tsx takes twice as long to start, and the tests that kill start more than a hundred.
 *
 * @param script - absolute path of the TypeScript file.
 */
export function programArguments(script: string): readonly string[] {
  let file = bundled.get(script);
  if (file === undefined) {
    file = join(BUNDLES, relative(ROOT, script).replaceAll(sep, '-').replace(/\.ts$/, '.mjs'));
    const { outputFiles } = buildSync({
      entryPoints: [script],
      write: false,
      bundle: true,
      packages: 'external',
      platform: 'node',
      format: 'esm',
      target: 'node20',
      logLevel: 'error',
    });
    // Whole or not at all: two test processes may bundle the same program at once.
    const part = `${file}.${process.pid}`;
    mkdirSync(BUNDLES, { recursive: true });
    writeFileSync(part, outputFiles[0]!.contents);
    renameSync(part, file);
    bundled.set(script, file);
  }
  return [file];
}

/** How a process that was killed while it worked ended. */
export interface KilledProgram {
  /** Its whole lines: a last one without its end was cut off by the kill. */
  readonly lines: readonly string[];
  readonly errors: string;
  /** `null` where it ended by itself, before the kill came. */
  readonly signal: NodeJS.Signals | null;
}

/**
 * Runs a program and kills it some milliseconds after it has printed what is waited for.
 *
 * @param moment - told the whole lines printed so far; the clock starts once it says so.
 */
export async function killProgram(
  script: string,
  argv: readonly string[],
  moment: (lines: readonly string[]) => boolean,
  milliseconds: number,
): Promise<KilledProgram> {
  const child = spawn(process.execPath, [...programArguments(script), ...argv]);
  const heard = listen(child);
  let isDoomed = false;
  child.stdout.on('data', () => {
    if (isDoomed || !moment(heard.lines())) return;
    isDoomed = true;
    setTimeout(() => child.kill('SIGKILL'), milliseconds);
  });
  const [, signal] = await once(child, 'close');
  return { lines: heard.lines(), errors: heard.errors(), signal };
}

/** What a process prints, gathered as it comes. */
export function listen(child: ChildProcess): { lines(): readonly string[]; errors(): string } {
  let printed = '';
  let errors = '';
  child.stdout?.on('data', (chunk) => {
    printed += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    errors += chunk;
  });
  return { lines: () => printed.split('\n').slice(0, -1), errors: () => errors };
}
