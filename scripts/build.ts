import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type BuildOptions, build, type Metafile, type PluginBuild } from 'esbuild';
import ts from 'typescript';
import manifest from '../package.json' with { type: 'json' };

/**
 * `npm run build`: the package in dist/. `npm run build:desktop`: the programs of the desktop app alone. With
 * `--packed`: those programs as an installer has them, in build/programs; `scripts/dist.ts` packs them.
 *
 * Code is bundled, because a process reads a few files in half the time of some hundreds. Three bundles differ in what
 * they leave to node_modules:
 * - The library: what package.json declares for its users. Peers have to be the ones of the program that imports it.
 * - The programs (command line, desktop): native packages and those with files of their own. They contain LangChain,
 *   LangGraph and the MCP SDK, so that nobody who runs them has to install those.
 * - The preload script of the desktop window: only `electron`.
 */
const ROOT = join(import.meta.dirname, '..');
const DIST = join(ROOT, 'dist');
const PACKED = join(ROOT, 'build/programs');
/** Names that the packed programs import from node_modules, or from Node.js. */
const PACKED_IMPORTS = join(ROOT, 'build/programs-import.json');
/** Is a dependency for its types alone: loading its hundred files takes a third of an import. */
const ONLY_TYPES = ['zod'];
const INSTALLED = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }).filter(
  (name) => !ONLY_TYPES.includes(name),
);
const PEERS = Object.keys(manifest.peerDependencies);
/** Never part of a bundle: programs that are there or not, and what only a checkout has. */
const NOT_OURS = ['electron', 'onnxruntime-node', 'vite'];

const common: BuildOptions = {
  absWorkingDir: ROOT,
  bundle: true,
  // Its other form loads its parts in a way that a bundle cannot follow.
  alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
  platform: 'node',
  format: 'esm',
  target: 'node20',
  // Names are kept: stack traces show them, and some errors are recognized by their class's name.
  keepNames: true,
  minifySyntax: true,
  minifyWhitespace: true,
  lineLimit: 160, // Node.js prints the line of an error that nobody catches
  metafile: true,
  logLevel: 'warning',
  outdir: DIST,
  outbase: ROOT,
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  // Bundled CommonJS packages call `require`.
  banner: {
    js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url ?? __filename);",
  },
  plugins: [
    { name: 'english', setup: keepEnglishOnly },
    { name: 'wink', setup: leaveOutWinkModels },
  ],
};

/** What zod says in fifty languages is half of it; errors of Mnemis are English. */
function keepEnglishOnly({ onLoad }: PluginBuild): void {
  onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, ({ path }) => ({
    contents: "export { default as en } from './en.js';",
    resolveDir: dirname(path),
  }));
}

/** What `src/ingest/extract/local/tagger.ts` replaces or does not use: 3.5 MB. */
function leaveOutWinkModels({ onLoad }: PluginBuild): void {
  onLoad(
    { filter: /wink-eng-lite-web-model.*eng-(core-web|sbd|ner|negation|sa|cer-meta)-model\.json$/ },
    () => ({
      contents: '{}',
      loader: 'json',
    }),
  );
}

/**
 * Bundlers of the library's users see no package that may not be installed, nor the one that reads a file beside itself:
 * both are loaded from node_modules when they are needed.
 */
function hideOptional({ onLoad }: PluginBuild): void {
  const optional = new RegExp(String.raw`(?<!typeof )\bimport\('((?:${PEERS.join('|')})(?:/[^']*)?)'\)`, 'g');
  onLoad({ filter: /[\\/](?:src|main|graphs)[\\/].*\.ts$/ }, ({ path }) => {
    const source = readFileSync(path, 'utf8');
    const hidden = source
      .replace(optional, "importHere('$1')")
      .replace("import sqlite from 'node-sqlite3-wasm';", "const sqlite = requireHere('node-sqlite3-wasm');");
    if (hidden === source) return undefined;
    const helpers = join(ROOT, 'src/util/at-run-time.ts');
    return {
      contents: `import { importHere, requireHere } from ${JSON.stringify(helpers)};\n${hidden}`,
      loader: 'ts',
    };
  });
}

/** The programs of threads and of child processes, which lie beside the chunks that start them. */
const THREADS = [
  'src/ingest/extract/thread/reading-thread.ts',
  'src/inference/onnx/thread/session-thread.ts',
  'src/inference/llama/process/model-process.ts',
];

function threadsIn(folder: string): { readonly in: string; readonly out: string }[] {
  return THREADS.map((file) => ({ in: file, out: `${folder}/${basename(file, '.ts')}` }));
}

/** Import names of the package, by their file. */
function library(): BuildOptions {
  const files = Object.values(manifest.exports).flatMap((entry) =>
    typeof entry === 'string' ? [] : [entry.default],
  );
  const entries = files.map((file) => ({ in: sourceOf(file), out: sourceOf(file).replace(/\.ts$/, '') }));
  return {
    ...common,
    entryPoints: [...entries, ...threadsIn('chunks')],
    external: [...INSTALLED, ...PEERS, ...NOT_OURS],
    plugins: [...(common.plugins ?? []), { name: 'hide-optional', setup: hideOptional }],
  };
}

function programs(): BuildOptions {
  const entryPoints = [
    { in: 'main/cli/main.ts', out: 'main/cli/main' },
    { in: 'main/cli/doctor/probe.ts', out: 'main/cli/doctor/probe' },
    { in: 'main/desktop/start.ts', out: 'desktop/main' },
    { in: 'main/desktop/engine-process.ts', out: 'desktop/engine-process' },
    ...threadsIn('chunks'),
  ];
  return { ...common, entryPoints, external: [...INSTALLED, ...NOT_OURS] };
}

/**
 * The main process and the engine's share no file, because the archive holds the former and not the latter
 * (electron-builder.yml).
 */
function packedPrograms(): readonly BuildOptions[] {
  const external = [...INSTALLED, ...NOT_OURS];
  const [main, engine] = ['desktop/main', 'desktop/engine-process'];
  return [
    {
      ...common,
      outdir: PACKED,
      entryPoints: { [main]: 'main/desktop/start.ts' },
      chunkNames: 'desktop/chunks/[name]-[hash]',
      external,
    },
    {
      ...common,
      outdir: PACKED,
      entryPoints: [{ in: 'main/desktop/engine-process.ts', out: engine }, ...threadsIn('engine')],
      chunkNames: 'engine/[name]-[hash]',
      external,
    },
    preload(PACKED),
    trayImages(PACKED),
  ];
}

/** A sandboxed preload script is one file of CommonJS. */
function preload(outdir = DIST): BuildOptions {
  return {
    ...common,
    outdir,
    entryPoints: { 'desktop/preload': 'main/desktop/preload.ts' },
    format: 'cjs',
    splitting: false,
    outExtension: { '.js': '.cjs' },
    banner: {},
    external: ['electron'],
  };
}

/** The main process reads them beside its program. */
function trayImages(outdir = DIST): BuildOptions {
  const names = readdirSync(join(ROOT, 'desktop')).filter((name) => name.startsWith('tray'));
  return {
    absWorkingDir: ROOT,
    outdir,
    metafile: true,
    logLevel: 'warning',
    entryPoints: names.map((name) => ({
      in: `desktop/${name}`,
      out: `desktop/${name.replace(/\.png$/, '')}`,
    })),
    loader: { '.png': 'copy' },
  };
}

/** `./dist/src/index.js` was `src/index.ts`. */
function sourceOf(built: string): string {
  return built.replace('./dist/', '').replace(/\.js$/, '.ts');
}

/** Licences of the packages whose code is in a bundle; they ask to be kept with it. */
function writeNotices(metafiles: readonly Metafile[], outdir: string): void {
  const inputs = metafiles.flatMap((metafile) => Object.keys(metafile.inputs));
  const folders = new Set(inputs.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []));
  const notices = [...folders].toSorted().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));
    const file = readdirSync(join(ROOT, folder)).find((each) => /^licen[cs]e/i.test(each));
    const text = file === undefined ? '' : `\n${readFileSync(join(ROOT, folder, file), 'utf8').trim()}\n`;
    return `${name} ${version} (${license})\n${text}`;
  });
  writeFileSync(join(outdir, 'THIRD-PARTY.txt'), notices.join('\n----------\n\n'));
}

function externalsOf(metafiles: readonly Metafile[]): readonly string[] {
  const outputs = metafiles.flatMap((metafile) => Object.values(metafile.outputs));
  const imports = outputs.flatMap((output) => output.imports).filter(({ external }) => external === true);
  return Array.from(new Set(imports.map(({ path }) => path))).sort();
}

/** What `src/util/at-run-time.ts` tells bundlers in comments, which shortening drops. */
function markForBundlers(): void {
  const marks = ['webpackIgnore: true', 'turbopackIgnore: true', '@vite-ignore'].map(
    (mark) => `/* ${mark} */ `,
  );
  const chunks = join(DIST, 'chunks');
  for (const name of readdirSync(chunks)) {
    const code = readFileSync(join(chunks, name), 'utf8');
    const marked = code.replace(
      /(function importHere\((\w+)\)\{return import\()(?=\2\))/,
      `$1${marks.join('')}`,
    );
    if (marked !== code) writeFileSync(join(chunks, name), marked);
  }
}

/** Declarations that no import name of the package leads to are deleted. */
function dropUnusedDeclarations(): void {
  const used = new Set<string>();
  const visit = (file: string) => {
    if (used.has(file)) return;
    used.add(file);
    for (const { fileName } of ts.preProcessFile(readFileSync(file, 'utf8')).importedFiles)
      if (fileName.startsWith('.')) visit(declarationOf(join(dirname(file), fileName)));
  };
  for (const entry of Object.values(manifest.exports))
    if (typeof entry !== 'string') visit(join(ROOT, entry.types));
  for (const name of readdirSync(DIST, { recursive: true, encoding: 'utf8' })) {
    const file = join(DIST, name);
    if (statSync(file).isFile() && name.endsWith('.d.ts') && !used.has(file)) rmSync(file);
  }
}

/** Types of a package that is not installed are `any`, instead of an error in a project that checks declarations. */
function allowMissingPeers(): void {
  const peer = new RegExp(String.raw`(?:from |import\()["'](?:${PEERS.join('|')})(?:/[^"']*)?["']`);
  for (const name of readdirSync(DIST, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.d.ts')) continue;
    const lines = readFileSync(join(DIST, name), 'utf8').split('\n');
    const allowed = lines.flatMap((line) =>
      peer.test(line) ? ['// @ts-ignore: may not be installed', line] : [line],
    );
    writeFileSync(join(DIST, name), allowed.join('\n'));
  }
}

function declarationOf(path: string): string {
  return path.replace(/\.(js|ts)$/, '.d.ts');
}

/** `npm run check` checks the types. */
function emitDeclarations(): void {
  const compiler = join(ROOT, 'node_modules/typescript-7/bin/tsc');
  const flags = ['-p', 'tsconfig.build.json', '--emitDeclarationOnly', '--noCheck'];
  execFileSync(process.execPath, [compiler, ...flags], { cwd: ROOT, stdio: 'inherit' });
  dropUnusedDeclarations();
  allowMissingPeers();
}

const [isDesktopAlone, isPacked] = ['--desktop', '--packed'].map((flag) => process.argv.includes(flag));
if (isPacked) rmSync(PACKED, { recursive: true, force: true });
else if (!isDesktopAlone) {
  rmSync(DIST, { recursive: true, force: true });
  emitDeclarations();
}
const desktop = [programs(), preload(), trayImages()];
const bundles = isPacked ? packedPrograms() : isDesktopAlone ? desktop : [library(), ...desktop];
const results = await Promise.all(bundles.map((options) => build(options)));
if (!isPacked && !isDesktopAlone) markForBundlers();
const metafiles = results.map(({ metafile }) => metafile!);
writeNotices(metafiles, isPacked ? PACKED : DIST);
if (isPacked) writeFileSync(PACKED_IMPORTS, JSON.stringify(externalsOf(metafiles)));
