import { execFileSync, spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { documentedExamples } from './examples-of.ts';

const ROOT = join(import.meta.dirname, '..');
const EXAMPLES = documentedExamples();
const manifest = z
  .object({ dependencies: z.record(z.string(), z.string()), exports: z.record(z.string(), z.unknown()) })
  .parse(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')));
const folder = mkdtempSync(join(tmpdir(), 'mnemis-consumer-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/**
 * The package as `npm pack` makes it, in a project of its own. What it depends on is linked from here, declared
 * dependencies alone, since tests go without network; an import of anything else fails.
 */
beforeAll(() => {
  const [tarball] = z
    .tuple([z.object({ filename: z.string() })])
    .parse(
      JSON.parse(
        execFileSync('npm', ['pack', '--json', '--pack-destination', folder], {
          cwd: ROOT,
          stdio: ['ignore', 'pipe', 'ignore'],
          encoding: 'utf8',
        }),
      ),
    );
  const modules = join(folder, 'node_modules');
  mkdirSync(modules);
  execFileSync('tar', ['-xzf', join(folder, tarball.filename), '-C', folder]);
  renameSync(join(folder, 'package'), join(modules, 'mnemis'));
  // Types of Node.js are the consumer's own (README).
  for (const name of [...Object.keys(manifest.dependencies), '@types/node']) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  }
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  for (const [at, { code }] of EXAMPLES.entries()) writeFileSync(join(folder, `example-${at}.ts`), code);
}, 240_000);

describe('the package', () => {
  it('can be imported by each of its names', () => {
    const names = Object.keys(manifest.exports).filter((name) => name !== './package.json');
    expect(names).toContain('.');
    const code = names
      .map(
        (name) =>
          `console.log(Object.keys(await import(${JSON.stringify(`mnemis${name.slice(1)}`)})).length > 0);`,
      )
      .join('\n');
    writeFileSync(join(folder, 'names.mjs'), code);
    const { stdout, stderr } = spawnSync(process.execPath, ['names.mjs'], { cwd: folder, encoding: 'utf8' });
    expect([stdout, stderr]).toEqual(['true\n'.repeat(names.length), '']);
  });

  it('has types by which the documented examples check', { timeout: 120_000 }, () => {
    const options = {
      module: 'NodeNext',
      target: 'ES2023',
      strict: true,
      noEmit: true,
      types: ['node'],
      skipLibCheck: true,
    };
    const files = EXAMPLES.map((_, at) => `example-${at}.ts`);
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files }));
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const { stdout } = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' });
    expect(stdout).toBe('');
  });

  it.each(EXAMPLES.map(({ name }, at) => [name, at] as const))('runs the example %s', (_, at) => {
    const run = mkdtempSync(join(folder, 'run-'));
    renameSync(join(folder, `example-${at}.ts`), join(run, 'example.mts'));
    const tsx = import.meta.resolve('tsx');
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', tsx, 'example.mts'], {
      cwd: run,
      encoding: 'utf8',
    });
    expect(status, stderr).toBe(0);
    expect(stdout.trim()).not.toBe('');
  });

  it('holds what it needs and nothing else', () => {
    expect(readdirSync(join(folder, 'node_modules/mnemis')).toSorted()).toEqual(
      ['CHANGELOG.md', 'LICENSE', 'README.md', 'dist', 'docs', 'models', 'package.json'].toSorted(),
    );
  });
});
