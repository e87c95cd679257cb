import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

/** Builds and packs this package. @returns The path of the tarball, in `folder`. */
export function pack(folder: string): string {
  const printed = npm(ROOT, ['pack', '--json', '--pack-destination', folder]);
  const name = /"filename": "([^"]+)"/.exec(printed)?.[1];
  if (name === undefined) throw new TypeError('npm pack named no file');
  return join(folder, name);
}

/** An empty project with packages from the registry, or from tarballs, deleted after the work in it. */
export async function inProject<T>(
  packages: readonly string[],
  flags: readonly string[],
  work: (folder: string) => T | Promise<T>,
): Promise<T> {
  return inFolder(async (folder) => {
    writeFileSync(join(folder, 'package.json'), '{"type": "module", "private": true}');
    npm(folder, ['install', ...flags, ...packages]);
    return await work(folder);
  });
}

/** A temporary folder, deleted after the work in it. */
export async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'mnemis-consumer-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function npm(cwd: string, argv: readonly string[]): string {
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  return execFileSync('npm', [...argv, ...quiet], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}
