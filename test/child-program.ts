import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { buildSync } from 'esbuild';
import manifest from '../package.json' with { type: 'json' };

const ROOT = join(import.meta.dirname, '..');
/** Inside the checkout, so that packages and the package's own files are found from there. */
const BUNDLES = join(ROOT, 'node_modules/.cache/mnemis-test-programs');
/** Native packages, and those with files of their own, as in the package. */
const EXTERNAL = [
  ...Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }).filter(
    (name) => name !== 'zod',
  ),
  ...['electron', 'onnxruntime-node', 'vite'],
];
const REQUIRE =
  "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);";
const bundled = new Map<string, string>();

/**
 * Node's arguments for a program of the tests in a process of its own. It is bundled once, with the packages that it
 * uses, in parts that are loaded when they are needed, as in the package: a process then starts in a quarter of the
 * time, and the tests start some hundreds.
 *
 * @param script - absolute path of the TypeScript file.
 */
export function programArguments(script: string): readonly string[] {
  const file = bundled.get(script) ?? bundle(script);
  bundled.set(script, file);
  return [file];
}

/** Workers of one run share a bundle; without a run, it is made again, since the sources may have changed. */
function bundle(script: string): string {
  const run = process.env.MNEMIS_TEST_RUN;
  const name = relative(ROOT, script).replaceAll(sep, '-').replace(/\.ts$/, '');
  const folder = join(BUNDLES, run ?? 'single', name);
  const file = join(folder, 'program', `${name}.mjs`);
  if (run !== undefined && existsSync(file)) return file;
  // Whole or not at all: two test processes may bundle the same program at once.
  const part = `${folder}.${process.pid}`;
  buildSync({
    entryPoints: {
      [`program/${name}`]: script,
      'program/session-thread': join(ROOT, 'src/inference/onnx/thread/session-thread.ts'),
    },
    outdir: part,
    outExtension: { '.js': '.mjs' },
    chunkNames: 'program/[name]-[hash]', // where threads find their programs
    bundle: true,
    // Its other form loads its parts in a way that a bundle cannot follow.
    alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
    splitting: true,
    external: EXTERNAL,
    banner: { js: REQUIRE }, // for bundled CommonJS packages
    keepNames: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
  });
  if (run === undefined) rmSync(folder, { recursive: true, force: true });
  try {
    renameSync(part, folder);
  } catch (error) {
    rmSync(part, { recursive: true, force: true });
    if (!existsSync(file)) throw error;
  }
  return file;
}

/** Removes what a run bundled. */
export function removePrograms(run: string): void {
  rmSync(join(BUNDLES, run), { recursive: true, force: true });
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
