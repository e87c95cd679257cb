import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

/**
 * Floors from the ground up (docs/design.md, "Layers"). A file may import from its own folder and from floors before
 * its own.
 */
const FLOORS: readonly (readonly string[])[] = [
  ['src/model', 'src/errors', 'src/util'],
  ['src/time'],
  ['src/store', 'src/search', 'src/inference', 'src/prompts'],
  ['src/ingest', 'src/hierarchy', 'src/retrieve', 'src/answer', 'src/importers'],
  ['src/edit'],
  ['graphs', 'src/items', 'src/browse', 'src/files'],
  ['src/engine'],
  ['src/tools', 'src/agent-memory'],
  ['src/ai-sdk'],
  [
    'src/langchain',
    'src/langgraph',
    'src/anthropic',
    'src/openai-agents',
    'src/mastra',
    'src/strands',
    'src/adk',
    'src/index',
  ],
  ['eval'],
  ['main'],
  ['renderer'],
];

/** Folders of one floor that may meet, and what the renderer may see. */
const MAY_MEET: readonly (readonly [string, string])[] = [
  ['src/inference/models', 'src/search/analyzer.ts'],
  ['src/retrieve', 'src/hierarchy/traverse'],
  ['src/index', 'src/langchain'],
  ['src/index', 'src/langgraph'],
];

/** Floors of the renderer; every other folder of it is a screen, between the parts and the app. */
const RENDERER_FLOORS = ['strings', 'client', 'state', 'kit', 'parts'];

/** Packages that one place alone may import (docs/design.md, "Layers"). */
const ONE_PLACE: Readonly<Record<string, string>> = {
  kuzu: 'src/store/kuzu/load-kuzu.ts',
  'onnxruntime-node': 'src/inference/onnx/onnx-session.ts',
  pg: 'src/store/sql/postgres/',
  electron: 'main/desktop/',
  'electron-updater': 'main/desktop/electron-updates.ts',
  jose: 'main/http/network/oidc-tokens.ts',
  'prom-client': 'main/http/network/server-metrics.ts',
  'rate-limiter-flexible': 'main/http/network.ts',
  '@opentelemetry/api': 'main/http/network/otlp-tracing.ts',
  '@opentelemetry/sdk-trace-base': 'main/http/network/otlp-tracing.ts',
};

/** Implementations, and what alone may import them (besides tests and benchmarks). */
const COMPOSED_IN: Readonly<Record<string, readonly string[]>> = {
  'src/store/kuzu/': ['src/files/open-store.ts'],
  'src/store/sql/': ['src/files/open-store.ts'],
  'src/inference/onnx/': ['src/inference/models/'],
};

const files = ['src', 'graphs', 'eval', 'main', 'renderer'].flatMap(sourceFiles);
const imports = new Map(files.map((file) => [file, importsOf(file)]));

describe('layers', () => {
  it('sees the source', () => expect(files.length).toBeGreaterThan(30));

  it('knows the floor of every file', () => {
    expect(files.filter((file) => placeOf(file) === undefined)).toEqual([]);
  });

  it('lets arrows point down only', () => {
    const upward = edges().filter(([from, to]) => !mayImport(from, to));
    expect(upward.map((edge) => edge.join(' -> '))).toEqual([]);
  });

  it('lets screens import shared parts, never one another', () => {
    const strays = edges().filter(
      ([from, to]) => isInRenderer(from) && isInRenderer(to) && !mayShow(from, to),
    );
    expect(strays.map((edge) => edge.join(' -> '))).toEqual([]);
  });

  it('has no import cycle', () => expect(findCycle()).toEqual([]));

  it('imports each native package in one place', () => {
    const strays = files.flatMap((file) =>
      importsOf(file)
        .filter((name) => name in ONE_PLACE && !file.startsWith(ONE_PLACE[name]!))
        .map((name) => `${file} imports ${name}`),
    );
    expect(strays).toEqual([]);
  });

  it('composes implementations in one place only', () => {
    const strays = edges().filter(([from, to]) =>
      Object.entries(COMPOSED_IN).some(
        ([folder, places]) =>
          to.startsWith(folder) && ![folder, ...places].some((place) => from.startsWith(place)),
      ),
    );
    expect(strays.map((edge) => edge.join(' -> '))).toEqual([]);
  });

  it('reads process.env in main only; a process that is started gets it whole', () => {
    const readers = files.filter(
      (file) => !file.startsWith('main/') && readFileSync(join(ROOT, file), 'utf8').includes('process.env'),
    );
    // The folder of the package's own files, before anything is opened: only who deploys a bundle knows it.
    const data = 'src/util/files.ts';
    expect(readers.toSorted()).toEqual(['src/inference/llama/process/start-model-process.ts', data]);
  });

  it('loads nothing of the papers and of evaluation with the library', () => {
    const loaded = reachableFrom('src/index.ts');
    expect(loaded.size).toBeGreaterThan(100);
    expect([...loaded].filter((file) => !file.startsWith('src/') && !file.startsWith('graphs/'))).toEqual([]);
  });

  it('loads only packages with the library that every memory uses', () => {
    const loaded = [...reachableFrom('src/index.ts')].flatMap((file) => loadedBy(file));
    const packages = new Set(loaded.filter((name) => !/^(?:\.|node:)/.test(name)));
    expect([...packages].sort()).toEqual([
      'chrono-node/en',
      'jsonrepair',
      'lru-cache',
      'p-queue',
      'p-retry',
      'stemmer',
      'uuid',
      'zod',
    ]);
  });

  it('loads stores and what needs optional packages only when they are used', () => {
    const loaded = [...reachableFrom('src/index.ts')];
    const early = loaded.filter((file) => LATER.some((place) => file.startsWith(place)));
    expect(early).toEqual([]);
    for (const place of LATER) expect(files.some((file) => file.startsWith(place))).toBe(true);
  });

  it('loads evaluation for the commands that need it, when they run', () => {
    const loaded = [...reachableFrom('main/cli/main.ts')].filter((file) => file.startsWith('eval/'));
    expect(loaded).toEqual([]);
  });

  it('would notice a broken rule', () => {
    expect(mayImport('src/model/nodes.ts', 'src/store/graph-store.ts')).toBe(false);
    expect(mayImport('src/ingest/a.ts', 'src/retrieve/b.ts')).toBe(false);
    expect(mayImport('src/engine.ts', 'main/cli/main.ts')).toBe(false);
    expect(mayImport('src/engine.ts', 'eval/ingestion-cost.ts')).toBe(false);
    expect(mayImport('graphs/retrieval/graph.ts', 'eval/papers/recipes.ts')).toBe(false);
    expect(mayImport('src/engine.ts', 'src/retrieve/recipes/recipes.ts')).toBe(true);
    expect(mayShow('renderer/memory/a.tsx', 'renderer/chat/b.tsx')).toBe(false);
    expect(mayShow('renderer/memory/a.tsx', 'renderer/app/b.ts')).toBe(false);
    expect(mayShow('renderer/parts/why/a.tsx', 'renderer/memory/b.module.css')).toBe(false);
    expect(mayShow('renderer/memory/a.tsx', 'renderer/parts/why/b.tsx')).toBe(true);
    expect(mayShow('renderer/app/app.tsx', 'renderer/memory/a.tsx')).toBe(true);
  });
});

/** What an import of the library does not load: the stores on disk, and what is built on optional packages. */
const LATER = [
  'src/adk/',
  'src/ai-sdk/',
  'src/anthropic/',
  'src/inference/onnx/onnx-runtime.ts',
  'src/langchain/',
  'src/langgraph/',
  'src/mastra/',
  'src/openai-agents/',
  'src/store/kuzu/',
  'src/store/sql/',
  'src/strands/',
  'src/util/sqlite-file.ts',
];

function sourceFiles(folder: string): string[] {
  try {
    return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name))
      .map((name) => join(folder, name));
  } catch {
    return []; // a folder that a later issue brings
  }
}

function importsOf(file: string): string[] {
  return ts
    .preProcessFile(readFileSync(join(ROOT, file), 'utf8'), true, true)
    .importedFiles.map((entry) => entry.fileName);
}

/** What an import of a file loads at once: without types and what is imported when it is needed. */
function reachableFrom(start: string): Set<string> {
  const loaded = new Set<string>();
  const visit = (file: string) => {
    if (loaded.has(file)) return;
    loaded.add(file);
    for (const name of loadedBy(file))
      if (name.startsWith('.') && /\.tsx?$/.test(name))
        visit(relative(ROOT, join(ROOT, dirname(file), name)));
  };
  visit(start);
  return loaded;
}

/** Names of the modules that a file loads at once. */
function loadedBy(file: string): readonly string[] {
  const known = LOADED.get(file);
  if (known !== undefined) return known;
  const source = ts.createSourceFile(file, readFileSync(join(ROOT, file), 'utf8'), ts.ScriptTarget.Latest);
  const names = source.statements.flatMap((statement) => importedBy(statement) ?? []);
  LOADED.set(file, names);
  return names;
}

const LOADED = new Map<string, readonly string[]>();

/** The module that a statement loads; undefined for one that imports types alone, or nothing. */
function importedBy(statement: ts.Statement): string | undefined {
  if (ts.isImportDeclaration(statement)) {
    const { importClause: clause, moduleSpecifier } = statement;
    const isType = clause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
    return isType ? undefined : (moduleSpecifier as ts.StringLiteral).text;
  }
  if (!ts.isExportDeclaration(statement) || statement.isTypeOnly) return undefined;
  return (statement.moduleSpecifier as ts.StringLiteral | undefined)?.text;
}

function edges(): [string, string][] {
  return files.flatMap((file) =>
    imports
      .get(file)!
      .filter((name) => name.startsWith('.'))
      .map((name): [string, string] => [file, relative(ROOT, join(ROOT, dirname(file), name))]),
  );
}

function placeOf(file: string): { floor: number; folder: string } | undefined {
  for (const [floor, folders] of FLOORS.entries())
    for (const folder of folders)
      if (file.startsWith(`${folder}/`) || file === `${folder}.ts`) return { floor, folder };
  return undefined;
}

function mayImport(from: string, to: string): boolean {
  const source = placeOf(from);
  const target = placeOf(to);
  if (source === undefined || target === undefined) return false;
  if (source.folder === 'renderer') return /^(src\/model\/|main\/contract\.ts$|renderer\/)/.test(to);
  return (
    source.folder === target.folder ||
    target.floor < source.floor ||
    MAY_MEET.some(([a, b]) => from.startsWith(a) && to.startsWith(b))
  );
}

/** Whether a file is in a folder of the renderer: `main.tsx` beside them opens everything. */
function isInRenderer(file: string): boolean {
  return /^renderer\/[^/]+\//.test(file);
}

/** Whether a file of the renderer may import another one, or a sheet: of its own folder or of a floor below. */
function mayShow(from: string, to: string): boolean {
  const [source, target] = [from, to].map((file) => file.split('/')[1]!) as [string, string];
  const floorOf = (folder: string) => {
    const floor = RENDERER_FLOORS.indexOf(folder);
    if (floor >= 0) return floor;
    return RENDERER_FLOORS.length + (folder === 'app' ? 1 : 0);
  };
  return source === target || floorOf(target) < floorOf(source);
}

function findCycle(): string[] {
  const graph = new Map<string, string[]>();
  for (const [from, to] of edges()) graph.set(from, [...(graph.get(from) ?? []), to]);
  const done = new Set<string>();
  const visit = (file: string, path: string[]): string[] => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return [];
    for (const next of graph.get(file) ?? []) {
      const cycle = visit(next, [...path, file]);
      if (cycle.length > 0) return cycle;
    }
    done.add(file);
    return [];
  };
  for (const file of graph.keys()) {
    const cycle = visit(file, []);
    if (cycle.length > 0) return cycle;
  }
  return [];
}
