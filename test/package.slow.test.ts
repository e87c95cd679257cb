import { type ExecFileSyncOptionsWithStringEncoding, execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
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
const DOCUMENTED = documentedExamples();
/** Programs of their own. Without a key in the environment a scripted model speaks in them. */
const PROGRAMS = readdirSync(join(ROOT, 'examples')).filter(
  (name) => name.endsWith('.ts') && name !== 'chat-model.ts',
);
const FILES = [
  ...DOCUMENTED.map((_, at) => `documented-${at}/example.ts`),
  ...PROGRAMS.map((name) => `examples/${name}`),
];
const RUN_EXAMPLES = join(import.meta.dirname, 'fixtures/run-examples.mjs');
const manifest = z
  .object({ dependencies: z.record(z.string(), z.string()), exports: z.record(z.string(), z.unknown()) })
  .parse(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')));
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
const QUIET: ExecFileSyncOptionsWithStringEncoding = {
  cwd: ROOT,
  stdio: ['ignore', 'pipe', 'ignore'],
  encoding: 'utf8',
};
const run = (argv: readonly string[]) => execFileSync(process.execPath, argv, QUIET);
const folder = mkdtempSync(join(tmpdir(), 'mnemis-consumer-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/**
 * The package as `npm pack` makes it, in a project of its own. What it depends on is linked from here, declared
 * dependencies alone, since tests go without network; an import of anything else fails.
 */
beforeAll(() => {
  // As `npm run build`, but for the check of types, which the tests begin with.
  rmSync(join(ROOT, 'dist'), { recursive: true, force: true });
  run([TSC, '-p', 'tsconfig.build.json', '--noCheck']);
  const [tarball] = z
    .tuple([z.object({ filename: z.string() })])
    .parse(
      JSON.parse(
        execFileSync('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], QUIET),
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
  for (const [at, { code }] of DOCUMENTED.entries()) {
    mkdirSync(join(folder, `documented-${at}`));
    writeFileSync(join(folder, `documented-${at}`, 'example.ts'), code);
  }
  cpSync(join(ROOT, 'examples'), join(folder, 'examples'), { recursive: true });
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

  it('has types by which the examples check', { timeout: 120_000 }, () => {
    const options = {
      module: 'NodeNext',
      target: 'ES2023',
      strict: true,
      noEmit: true,
      types: ['node'],
      skipLibCheck: true,
      allowImportingTsExtensions: true,
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: FILES }));
    const { stdout } = spawnSync(process.execPath, [TSC, '-p', folder], { encoding: 'utf8' });
    expect(stdout).toBe('');
  });

  it('runs the examples, each of which prints something', { timeout: 240_000 }, () => {
    const { OPENAI_API_KEY: _key, ...env } = process.env;
    const argv = [
      '--import',
      import.meta.resolve('tsx'),
      RUN_EXAMPLES,
      ...FILES.map((file) => join(folder, file)),
    ];
    const { status, stdout, stderr } = spawnSync(process.execPath, argv, { env, encoding: 'utf8' });
    expect([status, stderr], stdout).toEqual([0, '']);
    const outputs = stdout.split(/^=== \d+$/m).slice(1);
    expect(outputs).toHaveLength(FILES.length);
    expect(FILES.filter((_, at) => outputs[at]!.trim() === '')).toEqual([]);
  });

  it('holds what it needs and nothing else', () => {
    expect(readdirSync(join(folder, 'node_modules/mnemis')).toSorted()).toEqual(
      ['CHANGELOG.md', 'LICENSE', 'README.md', 'dist', 'docs', 'models', 'package.json'].toSorted(),
    );
  });
});
