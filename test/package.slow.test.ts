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
import { basename, dirname, join } from 'node:path';
import { build } from 'esbuild';
import { build as buildWithVite } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { documentedExamples, isShown } from './examples-of.ts';

const ROOT = join(import.meta.dirname, '..');
const DOCUMENTED = documentedExamples();
/** Programs of their own. Without a key in the environment a scripted model speaks in them. */
const PROGRAMS = readdirSync(join(ROOT, 'examples')).filter(
  (name) => name.endsWith('.ts') && name !== 'chat-model.ts',
);
const WITH_LANGCHAIN = 'with-langchain.ts';
const FILES = [
  WITH_LANGCHAIN,
  ...DOCUMENTED.map((_, at) => `documented-${at}/example.ts`),
  ...PROGRAMS.map((name) => `examples/${name}`),
];
const RUN_EXAMPLES = join(import.meta.dirname, 'fixtures/run-examples.mjs');
const versions = z.record(z.string(), z.string());
const manifest = z
  .object({
    dependencies: versions,
    optionalDependencies: versions,
    peerDependencies: versions,
    exports: z.record(z.string(), z.unknown()),
  })
  .parse(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')));
const TSC = join(ROOT, 'node_modules/typescript-7/bin/tsc');
const QUIET: ExecFileSyncOptionsWithStringEncoding = {
  cwd: ROOT,
  stdio: ['ignore', 'pipe', 'ignore'],
  encoding: 'utf8',
};
const run = (argv: readonly string[]) => execFileSync(process.execPath, argv, QUIET);
const folder = mkdtempSync(join(tmpdir(), 'mnemis-consumer-'));
/** As `npm install --omit=optional` leaves it: neither the database nor a peer. */
const lean = mkdtempSync(join(tmpdir(), 'mnemis-lean-'));
afterAll(() => {
  for (const each of [folder, lean]) rmSync(each, { recursive: true, force: true });
});

/**
 * The package as `npm pack` makes it, in a project of its own. What it depends on is linked from here, declared
 * dependencies alone, since tests go without network; an import of anything else fails.
 */
beforeAll(() => {
  run(['--import', 'tsx', 'scripts/build.ts']);
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
  const { dependencies, optionalDependencies, peerDependencies } = manifest;
  link(modules, { ...dependencies, ...optionalDependencies, ...peerDependencies, '@types/node': '' });
  link(join(lean, 'node_modules'), { ...dependencies, '@types/node': '' });
  cpSync(join(modules, 'mnemis'), join(lean, 'node_modules/mnemis'), { recursive: true });
  writeFileSync(join(lean, 'package.json'), '{"type": "module"}');
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  for (const [at, { code }] of DOCUMENTED.entries()) {
    mkdirSync(join(folder, `documented-${at}`));
    writeFileSync(join(folder, `documented-${at}`, 'example.ts'), code);
  }
  cpSync(join(ROOT, 'examples'), join(folder, 'examples'), { recursive: true });
  cpSync(join(ROOT, 'test/fixtures', WITH_LANGCHAIN), join(folder, WITH_LANGCHAIN));
});

function link(modules: string, packages: Readonly<Record<string, string>>): void {
  for (const name of Object.keys(packages)) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  }
}

/** The path of a bundle of a program of the lean project with all that bundlers take of it. */
async function bundle(entry: string, format: string): Promise<string> {
  const outdir = join(lean, 'out', format);
  if (format === 'vite') {
    const build = { ssr: entry, outDir: outdir, emptyOutDir: true };
    await buildWithVite({
      root: lean,
      configFile: false,
      logLevel: 'error',
      ssr: { noExternal: true },
      build,
    });
    return join(outdir, 'main.js');
  }
  const outfile = join(outdir, format === 'cjs' ? 'main.cjs' : 'main.mjs');
  const options = { bundle: true, platform: 'node', logLevel: 'error' } as const;
  await build({ ...options, entryPoints: [entry], format: format as 'esm' | 'cjs', outfile });
  return outfile;
}

/** What a program prints in the lean project, a line each. */
function printedByLean(code: string): string[] {
  writeFileSync(join(lean, 'program.mjs'), code);
  const { stdout, stderr } = spawnSync(process.execPath, ['program.mjs'], { cwd: lean, encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout.trim().split('\n');
}

const MNEMIS = 'node_modules/mnemis/dist/main/cli/main.js';

function limited(limit: string, ...argv: readonly string[]) {
  const env = { ...process.env, XDG_DATA_HOME: join(folder, 'data') };
  const script = `${limit} && exec "$0" "$@"`;
  return spawnSync('bash', ['-c', script, process.execPath, ...argv], { encoding: 'utf8', env });
}

const USE = `
  import { createLanguageModel, Mnemis } from 'mnemis';
  const use = async (path, options = {}) => {
    const engine = await Mnemis.open({ path, ...options });
    const memory = engine.scope('ana');
    const turn = { speaker: 'Ana', content: 'I moved to Ghent.', session: 'a', index: 0, at: '2026-01-05T10:00:00Z' };
    await memory.add(turn);
    await memory.flush();
    const { facts } = await memory.search('Where does Ana live?');
    await engine.close();
    return facts.length > 0;
  };
`;

describe('the package', () => {
  it('works in memory and in a SQLite file without the database and without peers, and says what the rest needs', () => {
    const languageModel = "createLanguageModel({ provider: 'ollama', model: 'm', contextTokens: 4096 })";
    const printed = printedByLean(`${USE}
      console.log(await use(':memory:'), await use('a.sqlite'));
      for (const [path, options] of [['a.db'], [':memory:', { languageModel: ${languageModel} }]])
        await use(path, options).catch(({ code, packages }) => console.log(code, packages));
    `);
    expect(printed).toEqual([
      'true true',
      'package-missing kuzu',
      'package-missing @langchain/ollama @langchain/core',
    ]);
  });

  it('opens a file where the install script of the database has not run', () => {
    const [kuzu, original] = [join(lean, 'node_modules/kuzu'), join(ROOT, 'node_modules/kuzu')];
    const scripts = 'kuzu-source/tools/nodejs_api/src_js';
    cpSync(join(original, scripts), join(kuzu, scripts), { recursive: true });
    cpSync(join(original, 'package.json'), join(kuzu, 'package.json'));
    symlinkSync(join(original, 'prebuilt'), join(kuzu, 'prebuilt'));
    expect(printedByLean(`${USE} console.log(await use('b.db'));`)).toEqual(['true']);
  });

  describe.each(['esm', 'cjs', 'vite'])('bundled (%s)', (format) => {
    it('finds its files in node_modules, where it lies alone those beside it, and names what is missing', async () => {
      const [main, alone] = [join(lean, 'main.mjs'), join(lean, '..', `${basename(lean)}-${format}`)];
      const program = `${USE} use(process.argv[2]).then(console.log, ({ message }) => console.log(message));`;
      writeFileSync(main, program);
      const file = await bundle(main, format);
      const printed = (bundled: string, path: string) =>
        spawnSync(process.execPath, [bundled, path], {
          cwd: dirname(bundled),
          encoding: 'utf8',
        }).stdout.trim();
      expect(printed(file, 'bundled.sqlite')).toBe('true');
      try {
        const modules = join(alone, 'node_modules');
        cpSync(dirname(file), alone, { recursive: true });
        const moved = join(alone, basename(file));
        expect(printed(moved, ':memory:')).toMatch(/models\/static-en\.bin.* is missing.*MNEMIS_DATA/);
        cpSync(join(lean, 'node_modules/mnemis/models'), join(modules, 'mnemis/models'), { recursive: true });
        const wasm = 'node-sqlite3-wasm';
        cpSync(join(lean, 'node_modules', wasm), join(modules, wasm), { recursive: true, dereference: true });
        expect([printed(moved, ':memory:'), printed(moved, 'alone.sqlite')]).toEqual(['true', 'true']);
      } finally {
        rmSync(alone, { recursive: true, force: true });
      }
    });
  });

  it('has declarations without errors, for what needs no peer, where none is installed and libraries are checked', () => {
    const names = ['.', './ai-sdk', './client', './eval', './papers'];
    const imports = names.map((name, at) => `export * as m${at} from 'mnemis${name.slice(1)}';`);
    writeFileSync(join(lean, 'names.ts'), imports.join('\n'));
    const flags = ['--module', 'nodenext', '--target', 'es2023', '--types', 'node', '--strict', '--noEmit'];
    const { stdout } = spawnSync(process.execPath, [TSC, ...flags, '--skipLibCheck', 'false', 'names.ts'], {
      cwd: lean,
      encoding: 'utf8',
    });
    expect(stdout).toBe('');
  });

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

  it.skipIf(process.platform !== 'linux').each(['sqlite', 'db'])(
    'ends its command in one sentence under small limits, with the memory %s undamaged',
    (ending) => {
      const [program, path] = [join(folder, MNEMIS), join(folder, `limits.${ending}`)];
      const mnemis = (...argv: readonly string[]) => limited('true', program, ...argv, '--path', path);
      expect(mnemis('add', 'I moved to Ghent.', '--speaker', 'Nora')).toMatchObject({
        status: 0,
        stderr: '',
      });
      const limits = [
        ...[20, 24, 32, 48, 64].map((files) => [`ulimit -n ${files}`, 'Too few files may be open at once']),
        ...[1.0, 1.4, 2, 4].map((gigabytes) => [
          `ulimit -v ${gigabytes * 1e6}`,
          'There is too little memory',
        ]),
      ] as const;
      for (const [limit, reason] of limits)
        for (const command of [['stats'], ['add', `Tom said ${limit}.`, '--json']]) {
          const { status, stderr, stdout } = limited(limit!, program, ...command, '--path', path);
          expect([limit, command[0], status, stderr.trim().split('\n').length]).toEqual([
            limit,
            command[0],
            1,
            1,
          ]);
          expect(stderr).toContain(`mnemis: ${reason}`);
          expect(stderr + stdout).not.toMatch(/\bat .*:\d+:\d+|node:/);
        }
      expect(mnemis('verify')).toMatchObject({ status: 0, stderr: '' });
      expect(JSON.parse(mnemis('stats', '--json').stdout)).toMatchObject({ episodes: 1 });
    },
  );

  it('has types by which the examples check', () => {
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

  it('runs the examples, each of which prints something', () => {
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
    for (const [at, { name, output }] of DOCUMENTED.entries()) {
      const printed = `${outputs[1 + at]!.trim()}\n`;
      if (output !== null && !isShown(output, printed)) expect(printed, name).toBe(output);
    }
  });

  it('holds what it needs and nothing else', () => {
    expect(readdirSync(join(folder, 'node_modules/mnemis')).toSorted()).toEqual(
      [
        'CHANGELOG.md',
        'LICENSE',
        'README.md',
        'dist',
        'docs',
        'examples',
        'models',
        'package.json',
        'plugin',
      ].toSorted(),
    );
    // The pages, without what makes a site of them.
    expect(readdirSync(join(folder, 'node_modules/mnemis/docs'))).not.toContain('.vitepress');
  });
});
