import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { portClient, type Wire } from '../../renderer/client/port-client.ts';
import { type PackedArch, type PackedPlatform, resourcesOf, sizeOf } from '../../scripts/packed-app.ts';
import { importTables, leastMacOs } from './import-tables.ts';

const ROOT = join(import.meta.dirname, '../..');
const run = promisify(execFile);
/** Outside the checkout, so that nothing is found in its node_modules. */
const release = mkdtempSync(join(tmpdir(), 'mnemis-packed-'));
afterAll(() => rmSync(release, { recursive: true, force: true }));

/** Real weights, where they lie beside the checkout. */
const MODEL = join(ROOT, '../shared/models/all-minilm-l6-v2');
const hasModel = existsSync(MODEL);
const withoutModel = hasModel ? '' : ` (skipped: there is no ${MODEL})`;

/** Bytes beside Electron. */
const MOST_BYTES = 250_000_000;
const onnx = (platform: string, ...names: string[]) =>
  [...names, 'onnxruntime_binding.node'].map((name) => `onnxruntime-node/bin/napi-v6/${platform}/${name}`);
const APPS: readonly (readonly [PackedPlatform, PackedArch, readonly string[]])[] = [
  ['linux', 'x64', onnx('linux/x64', 'libonnxruntime.so.1')],
  ['darwin', 'arm64', onnx('darwin/arm64', 'libonnxruntime.1.dylib')],
  ['win32', 'x64', onnx('win32/x64', 'DirectML.dll', 'dxcompiler.dll', 'dxil.dll', 'onnxruntime.dll')],
];
/** Electron's own, and what an installed app never reaches: `pg` asks for its binding only by a name that we do not use. */
const NOT_PACKED = ['electron', 'vite', 'pg-native'];

beforeAll(async () => {
  const platforms = ['--linux', 'x64', '--mac', 'arm64', '--win', 'x64'];
  const words = ['--import', 'tsx', 'scripts/dist.ts', '--dir', '--stand-in', '--out', release, ...platforms];
  const env = { ...process.env, MNEMIS_APP_MODEL: hasModel ? MODEL : '' };
  await run(process.execPath, words, { cwd: ROOT, env, maxBuffer: 2 ** 24 });
});

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      relative(folder, join(entry.parentPath ?? entry.path, entry.name))
        .split(sep)
        .join('/'),
    );

describe.each(APPS)('the app for %s %s', (platform, arch, runtime) => {
  const resources = () => resourcesOf(release, platform, arch);
  const outside = () => join(resources(), 'app.asar.unpacked');

  it('is small beside Electron', () => {
    const bytes = sizeOf(resources());
    expect(bytes).toBeGreaterThan(20_000_000);
    expect(bytes).toBeLessThan(MOST_BYTES);
  });

  it('has the native modules of its platform, and no other’s', () => {
    const native = filesIn(outside()).filter((name) =>
      /\.(?:node|dll|dylib|exe|a|lib)$|\.so(?:\.|$)/.test(name),
    );
    // Windows has none: its module cannot be loaded in the app.
    const kuzu = platform === 'win32' ? [] : [`kuzu/prebuilt/kuzujs-${platform}-${arch}.node`];
    const wanted = [...kuzu, ...runtime];
    expect(native.sort()).toEqual(wanted.map((name) => `node_modules/${name}`).sort());
  });

  it.runIf(platform === 'win32')('has no module that looks for another program', () => {
    const modules = filesIn(outside()).filter((name) => /\.(?:node|dll)$/.test(name));
    expect(modules.length).toBeGreaterThan(3);
    for (const name of modules) {
      const { needed } = importTables(readFileSync(join(outside(), name)));
      expect(needed.length, name).toBeGreaterThan(2);
      expect(
        needed.filter((each) => each.endsWith('.exe')),
        name,
      ).toEqual([]);
    }
  });

  it.runIf(platform === 'darwin')('asks for the system that all its modules need', () => {
    const least = /<key>LSMinimumSystemVersion<\/key>\s*<string>([\d.]+)</.exec(
      readFileSync(join(resources(), '../Info.plist'), 'utf8'),
    )?.[1];
    const modules = filesIn(outside()).filter((name) => /\.(?:node|dylib)$/.test(name));
    for (const name of modules) {
      const needed = leastMacOs(readFileSync(join(outside(), name)));
      expect(Number.parseFloat(least!), name).toBeGreaterThanOrEqual(Number.parseFloat(needed ?? 'NaN'));
    }
  });

  it('has no sources, types, tests, documents or source maps', () => {
    const files = [...filesIn(outside()), ...archived(join(resources(), 'app.asar')).keys()];
    const strays = files.filter((name) =>
      /\.(?:tsx?|map|cpp|h|md|mts|cts)$|(?:^|\/)(?:tests?|docs|src)\//.test(name),
    );
    expect(strays).toEqual([]);
    expect(files.some((name) => name.includes('kuzujs.node') || name.includes('cmake'))).toBe(false);
  });

  it('has the main process in the archive, and the engine, the page and the models outside', () => {
    const inside = Array.from(archived(join(resources(), 'app.asar'))).filter(([, isInside]) => isInside);
    const names = inside.map(([name]) => name);
    expect(names).toEqual(
      expect.arrayContaining([
        'dist/desktop/main.js',
        'dist/desktop/preload.cjs',
        'dist/desktop/tray.png',
        'LICENSE',
      ]),
    );
    expect(names.filter((name) => !/^dist\/(?:desktop\/|THIRD-PARTY\.txt$)|^LICENSE$/.test(name))).toEqual(
      [],
    );
    expect(names).not.toContain('dist/desktop/engine-process.js');
    for (const name of [
      ...[
        'package.json',
        'dist/desktop/engine-process.js',
        'dist/renderer/index.html',
        'models/static-en.bin',
      ],
      ...['models/tagger-en.bin', 'models/nouns-en.bin', 'models/LICENSE-WordNet.txt'],
      'node_modules/node-sqlite3-wasm/dist/node-sqlite3-wasm.wasm',
      ...(hasModel ? ['LICENSE', 'onnx/model_quantized.onnx'] : []).map(
        (file) => `models/all-minilm-l6-v2/${file}`,
      ),
    ])
      expect(existsSync(join(outside(), name)), name).toBe(true);
  });

  it('starts as an app and nothing else', () => {
    const program =
      platform === 'darwin'
        ? join(resources(), '../Frameworks/Electron Framework.framework/Electron Framework')
        : join(resources(), '..', platform === 'win32' ? 'Mnemis.exe' : 'mnemis-app');
    // As docs/shipping.md lists them. In a stand-in, each one begins with Electron's own default.
    expect(fusesIn(readFileSync(program))).toBe('01001100');
  });
});

it('has each package that the programs import', () => {
  const names = z
    .array(z.string())
    .parse(JSON.parse(readFileSync(join(ROOT, 'build/programs-import.json'), 'utf8')));
  const packages = names.filter((name) => !isBuiltin(name) && !NOT_PACKED.includes(name));
  expect(packages).toEqual(['node-sqlite3-wasm', 'onnxruntime-node', 'yauzl']); // others are found by their path
  for (const name of [...packages, 'kuzu', 'unpdf'])
    for (const [platform, arch] of APPS) {
      if (name === 'kuzu' && platform === 'win32') continue; // loaded by none there
      const outside = join(resourcesOf(release, platform, arch), 'app.asar.unpacked/node_modules');
      expect(existsSync(join(outside, name, 'package.json')), `${name} for ${platform}`).toBe(true);
    }
});

it('has the program of models, which says that the runtime was not packed', async () => {
  const unpacked = join(resourcesOf(release, 'linux', 'x64'), 'app.asar.unpacked');
  const child = fork(join(unpacked, 'dist/engine/model-process.js'), { execArgv: [] });
  child.send({
    ...{ kind: 'load', file: 'none.gguf', contextTokens: 256, sequences: 1, runtime: 'node-llama-cpp' },
  });
  const [reply] = await once(child, 'message');
  child.kill();
  expect(reply).toMatchObject({ kind: 'refused', refusal: 'runtime' });
});

it('takes links on macOS, where the archive is checked by its hash', () => {
  const plist = readFileSync(join(resourcesOf(release, 'darwin', 'arm64'), '../Info.plist'), 'utf8');
  expect(plist).toMatch(/CFBundleURLSchemes<\/key>\s*<array>\s*<string>mnemis<\/string>/);
  expect(plist).toContain('ElectronAsarIntegrity');
  expect(plist).toContain('<string>app.mnemis.desktop</string>');
});

const isHere = process.platform === 'linux' && process.arch === 'x64';
const reason = isHere ? '' : ' (skipped: the app that is packed is that of Linux on x64)';

describe.skipIf(!isHere)(`the packed programs, in plain Node.js${reason}`, () => {
  const resources = resourcesOf(release, 'linux', 'x64');
  const outside = join(resources, 'app.asar.unpacked');

  /** Starts the engine with a new memory and stops it after `use`. */
  async function withEngine(
    environment: Readonly<Record<string, string>>,
    use: (client: ReturnType<typeof portClient>, data: string) => Promise<void>,
  ): Promise<void> {
    const data = mkdtempSync(join(release, 'data-'));
    const child = fork(join(outside, 'dist/desktop/engine-process.js'), [], {
      cwd: data,
      execArgv: ['--import', join(ROOT, 'test/fixtures/utility-process.mjs')],
      env: {
        ...{ PATH: process.env.PATH, XDG_DATA_HOME: data, HOME: data, MALLOC_ARENA_MAX: '1' },
        ...environment,
      },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const notices: unknown[] = [];
    child.on('message', (message) => notices.push(message));
    const wire: Wire = {
      post: (message) => void child.send(message as object),
      subscribe: (listener) => {
        child.on('message', listener);
        return () => void child.off('message', listener);
      },
    };
    try {
      await expect.poll(() => notices).toContainEqual({ type: 'ready' });
      await use(portClient({ wire }), data);
      child.send({ type: 'stop' });
      const [code] = await once(child, 'exit');
      expect(code).toBe(0);
    } finally {
      child.kill('SIGKILL');
    }
  }

  it('run the engine: it opens a memory, remembers and finds', async () => {
    await withEngine({}, async (client, data) => {
      await client.add({
        scope: 'default',
        turns: [{ content: 'Ann moved to Lisbon in March.', at: '2024-03-05' }],
      });
      await client.flush({ scope: 'default' });
      const found = await client.search({ scope: 'default', query: 'Where does Ann live?' });
      expect(JSON.stringify(found)).toContain('Lisbon');
      expect(await client.stats({ scope: 'default' })).toMatchObject({ episode: 1 });
      const { items, unused } = await client.embedders({});
      const name = hasModel ? 'all-minilm-l6-v2:int8' : 'static';
      expect(items.filter(({ isUsed }) => isUsed)).toMatchObject([{ name }]);
      expect(unused).toBeNull();
      expect(existsSync(join(data, 'mnemis/memory.db'))).toBe(true);
    });
  });

  it.skipIf(!hasModel)(`use the table where the model does not run, and say why${withoutModel}`, async () => {
    await withEngine({ MNEMIS_DEVICE: 'coreml' }, async (client) => {
      const { unused, items } = await client.embedders({});
      expect(unused).toMatchObject({
        name: 'all-minilm-l6-v2:int8',
        problem: expect.stringContaining('coreml'),
      });
      expect(items.find(({ isUsed }) => isUsed)).toMatchObject({ name: 'static' });
      expect(items.find(({ name }) => name === 'all-minilm-l6-v2:int8')).toMatchObject({
        isBundled: true,
        isInstalled: true,
      });
    });
  });

  it('load every module that is loaded late', async () => {
    const require = createRequire(join(outside, 'dist/desktop/engine-process.js'));
    expect(require.resolve('yauzl').startsWith(outside)).toBe(true);
    const script = `
      const runtime = require('onnxruntime-node');
      const { open } = require('yauzl');
      import('unpdf').then(({ extractText }) =>
        console.log(JSON.stringify([runtime.listSupportedBackends().some(({ name }) => name === 'cpu'), typeof open, typeof extractText])),
      );`;
    const { stdout } = await run(process.execPath, ['--input-type=commonjs', '-e', script], { cwd: outside });
    expect(JSON.parse(stdout)).toEqual([true, 'function', 'function']);
  });

  it('load the main process from the archive', async () => {
    const app = join(release, 'app');
    extract(join(resources, 'app.asar'), app);
    const electron = join(app, 'node_modules/electron');
    mkdirSync(electron, { recursive: true });
    writeFileSync(join(electron, 'package.json'), '{"type":"module","exports":"./index.js"}');
    // The app is running already, so that the program ends at once.
    writeFileSync(
      join(electron, 'index.js'),
      `${electronNames(join(app, 'dist/desktop'))
        .map((name) => `export const ${name} = {};`)
        .join('\n')}
       app.requestSingleInstanceLock = () => false;
       app.quit = () => console.log('ended');`,
    );
    const { stdout } = await run(process.execPath, [join(app, 'dist/desktop/main.js')], { cwd: app });
    expect(stdout).toBe('ended\n');
  });
});

/** States of the fuses, in Electron's order: 1 is on. */
function fusesIn(program: Buffer): string {
  const at = program.indexOf('dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX') + 32;
  return program.toString('ascii', at + 2, at + 2 + program[at + 1]!);
}

/** What the main process imports of Electron. */
function electronNames(folder: string): readonly string[] {
  const code = readFileSync(join(folder, 'main.js'), 'utf8');
  const lists = Array.from(code.matchAll(/import\s*\{([^}]*)\}\s*from\s*"electron"/g), ([, list]) => list!);
  const names = lists.flatMap((list) => list.split(',').map((each) => each.trim().split(/\s+as\s+/)[0]!));
  return Array.from(new Set(names));
}

interface Entry {
  readonly files?: Readonly<Record<string, Entry>> | undefined;
  readonly unpacked?: boolean | undefined;
  readonly offset?: string | undefined;
  readonly size?: number | undefined;
}
const entrySchema: z.ZodType<Entry> = z.lazy(() =>
  z.object({
    files: z.record(z.string(), entrySchema).optional(),
    unpacked: z.boolean().optional(),
    offset: z.string().optional(),
    size: z.number().optional(),
  }),
);

/** Electron's archive: four lengths of 4 bytes, a list of files in JSON, the files. */
function readArchive(path: string) {
  const bytes = readFileSync(path);
  const header = entrySchema.parse(JSON.parse(bytes.toString('utf8', 16, 16 + bytes.readUInt32LE(12))));
  const start = 8 + bytes.readUInt32LE(4);
  const list: { readonly name: string; readonly entry: Entry }[] = [];
  const visit = (entry: Entry, name: string) => {
    if (entry.files === undefined) list.push({ name, entry });
    for (const [child, below] of Object.entries(entry.files ?? {}))
      visit(below, name === '' ? child : `${name}/${child}`);
  };
  visit(header, '');
  const contentOf = ({ offset, size = 0 }: Entry) => {
    const from = start + Number(offset);
    return bytes.subarray(from, from + size);
  };
  return { list, contentOf };
}

/** Names in the archive, and whether the file itself is in it. */
function archived(path: string): ReadonlyMap<string, boolean> {
  return new Map(readArchive(path).list.map(({ name, entry }) => [name, entry.unpacked !== true]));
}

/** With the files beside the archive, as Electron shows it to the app. */
function extract(path: string, folder: string): void {
  cpSync(`${path}.unpacked`, folder, {
    recursive: true,
    filter: (name) => !/node_modules|renderer|models/.test(name),
  });
  const { list, contentOf } = readArchive(path);
  for (const { name, entry } of list) {
    if (entry.unpacked) continue;
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), contentOf(entry));
  }
}
