import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '..');
const PAGE = join(ROOT, 'docs/architecture.md');

/** The calls that `docs/architecture.md` describes, with the first files of each below `MemoryScope`. */
const WALKS: Readonly<Record<string, readonly string[]>> = {
  ask: ['src/engine/query.ts'],
  add: ['src/ingest/admit/admit-turns.ts', 'src/engine/ingestion/session-buffers.ts'],
  flush: ['src/engine/ingestion/ingestion.ts'],
  forget: ['src/engine/forgetting/forget.ts', 'src/engine/forgetting/after-removal.ts'],
};

/** Every folder uses these; omitting them keeps the diagrams readable. */
const GROUND = ['src/model', 'src/errors', 'src/util', 'src/prompts'];
/** Folders whose subfolders are separate nodes. */
const BY_PART = ['src/ingest', 'src/hierarchy', 'src/retrieve', 'src/edit', 'graphs'];

type Edge = readonly [from: string, to: string];

/** Returns the page with every diagram regenerated from the imports of the source, and its counts of files that run. */
export function architecturePage(): string {
  const drawn = Object.entries(WALKS).reduce(
    (page, [name, starts]) => withSection(page, `walk: ${name}`, diagram(starts)),
    checkedInPage(),
  );
  return withSection(drawn, 'files that run', filesThatRun());
}

function withSection(page: string, name: string, text: string): string {
  const [open, close] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`];
  const [start, end] = [page.indexOf(open), page.indexOf(close)];
  if (start < 0 || end < start) throw new Error(`docs/architecture.md lacks ${open} … ${close}`);
  return `${page.slice(0, start + open.length)}\n${text}\n${page.slice(end)}`;
}

/** A table: in a process of its own, since coverage counts what ran before too. */
function filesThatRun(): string {
  const argv = ['--import', 'tsx', join(ROOT, 'scripts/files-that-run.ts')];
  const counts = JSON.parse(execFileSync(process.execPath, argv, { cwd: ROOT, encoding: 'utf8' }));
  const rows = Object.entries(counts).map(([call, files]) => `| \`${call}\` | ${files} |`);
  return ['', '| Call | Files |', '|---|---|', ...rows, ''].join('\n');
}

export function checkedInPage(): string {
  return readFileSync(PAGE, 'utf8');
}

function diagram(starts: readonly string[]): string {
  const files = reachable(starts);
  const places = new Map<string, number>();
  const edges = new Map<string, Edge>();
  for (const [file, imports] of files) {
    const from = placeOf(file);
    if (from === null) continue;
    places.set(from, (places.get(from) ?? 0) + 1);
    for (const to of imports.map(placeOf))
      if (to !== null && to !== from) edges.set(`${from} ${to}`, [from, to]);
  }
  const ids = new Map([...places.keys()].sort().map((place, at) => [place, `f${at}`]));
  const first = new Set(starts.map(placeOf));
  const nodes = [...ids].map(([place, id]) => {
    const label = `${place} · ${places.get(place)}`;
    return first.has(place) ? `  ${id}(["${label}"])` : `  ${id}["${label}"]`;
  });
  const arrows = reduced([...edges.values()].sort(byName)).map(
    ([from, to]) => `  ${ids.get(from)} --> ${ids.get(to)}`,
  );
  return ['', '```mermaid', 'flowchart TD', ...nodes, ...arrows, '```', ''].join('\n');
}

/** Files that the start files load, with the imports of each; type-only imports are omitted. */
function reachable(starts: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  const open = [...starts];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (found.has(file)) continue;
    const imports = importsOf(file);
    found.set(file, imports);
    open.push(...imports);
  }
  return found;
}

function importsOf(file: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(join(ROOT, file), 'utf8'), ts.ScriptTarget.Latest);
  return source.statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) || !isLoaded(statement.importClause)) return [];
    const { text } = statement.moduleSpecifier as ts.StringLiteral;
    return text.startsWith('.') && text.endsWith('.ts')
      ? [relative(ROOT, join(ROOT, dirname(file), text))]
      : [];
  });
}

function isLoaded(clause: ts.ImportClause | undefined): boolean {
  if (clause === undefined) return true;
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return false;
  const names = clause.namedBindings;
  if (clause.name !== undefined || names === undefined || !ts.isNamedImports(names)) return true;
  return names.elements.some((element) => !element.isTypeOnly);
}

/** The folder of a file in a diagram; null for a file of a base folder. */
function placeOf(file: string): string | null {
  const folder = dirname(file);
  if (GROUND.some((ground) => folder === ground || folder.startsWith(`${ground}/`))) return null;
  const parts = folder.split('/');
  const whole = BY_PART.find((each) => folder.startsWith(`${each}/`));
  return parts.slice(0, whole === undefined ? 2 : whole.split('/').length + 1).join('/');
}

/** Transitive reduction: removes arrows that others imply. */
function reduced(edges: readonly Edge[]): readonly Edge[] {
  let kept = edges;
  for (const edge of edges) {
    const others = kept.filter((each) => each !== edge);
    if (leads(others, edge)) kept = others;
  }
  return kept;
}

function leads(edges: readonly Edge[], [from, to]: Edge): boolean {
  const seen = new Set([from]);
  for (const place of seen) for (const [start, end] of edges) if (start === place) seen.add(end);
  return seen.has(to);
}

function byName([a, b]: Edge, [c, d]: Edge): number {
  return `${a} ${b}` < `${c} ${d}` ? -1 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(PAGE, architecturePage());
