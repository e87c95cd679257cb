import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MemoryScope } from '../../src/engine/memory-scope.ts';
import { Mnemis, type OpenOptions } from '../../src/engine.ts';
import type { AddResult } from '../../src/ingest/admit/plan-episodes.ts';
import type { Entity, Episode, Fact, NodeKind, NodeRows, Profile } from '../../src/model/nodes.ts';
import type { Relationship } from '../../src/model/relationships.ts';
import type { SearchResult } from '../../src/model/retrieved-item.ts';
import type { TurnInput } from '../../src/model/turn-input.ts';

export const folder = mkdtempSync(join(tmpdir(), 'mnemis-engine-'));
let count = 0;

/** A path that nothing has used yet. */
export const freshPath = (ending = process.env.MNEMIS_TEST_ENDING ?? '.db') =>
  join(folder, `${++count}${ending}`);

export const open = (path: string, more: Partial<OpenOptions> = {}) => Mnemis.open({ path, ...more });

/** Opens a database for the length of a job. */
export async function using<T>(path: string, job: (mnemis: Mnemis) => Promise<T>): Promise<T> {
  await using mnemis = await open(path);
  return await job(mnemis);
}

export const turn = (content: string, more: Partial<TurnInput> = {}): TurnInput => ({
  content,
  at: '2023-05-08T10:00:00Z',
  ...more,
});

/** Adds turns and has them read for entities and facts, as at the end of a session. */
export async function remember(
  memory: MemoryScope,
  turns: TurnInput | readonly TurnInput[],
): Promise<AddResult> {
  const result = await memory.add(turns);
  await memory.flush();
  return result;
}

/** Embeddings with their vectors as the export writes them: bit-exact base64. */
export type ExportedRow<K extends NodeKind> = K extends 'embedding'
  ? Omit<NodeRows['embedding'], 'vector'> & { readonly vector: string }
  : NodeRows[K];

export interface Graph {
  readonly nodes: { readonly [K in NodeKind]: readonly ExportedRow<K>[] };
  readonly relationships: readonly Relationship[];
}

/** The whole graph of record of a scope, expired rows included. */
export async function graphOf(scope: MemoryScope): Promise<Graph> {
  const file = freshPath('.jsonl');
  await scope.exportTo(file);
  return readGraph(file);
}

export function readGraph(file: string): Graph {
  const nodes: Record<NodeKind, object[]> = {
    episode: [],
    segment: [],
    entity: [],
    profile: [],
    description: [],
    fact: [],
    category: [],
    hierarchy: [],
    failure: [],
    correction: [],
    tombstone: [],
    item: [],
    embedding: [],
  };
  const relationships: Relationship[] = [];
  for (const text of readFileSync(file, 'utf8').split('\n').slice(1)) {
    if (text === '') continue;
    const line = JSON.parse(text) as { node?: NodeKind; row: object; relationship?: Relationship };
    if (line.node !== undefined) nodes[line.node].push(line.row);
    else if (line.relationship !== undefined) relationships.push(line.relationship);
  }
  return { nodes: nodes as unknown as Graph['nodes'], relationships };
}

/** Rows and relationships as one comparable set. */
export const asSet = ({ nodes, relationships }: Graph): string[] =>
  [...Object.entries(nodes).flatMap(([kind, rows]) => rows.map((row) => [kind, row])), ...relationships]
    .map((row) => JSON.stringify(row))
    .sort();

export const edges = (graph: Graph, kind: Relationship['kind']) =>
  graph.relationships.filter((relationship) => relationship.kind === kind);

/** A reader of the graph by the words that stand in it. */
export function reading(graph: Graph) {
  const { episode, fact, entity, category } = graph.nodes;
  // Categories have profiles as well.
  const grouped = new Set(category.map(({ id }) => id as string));
  const profile = graph.nodes.profile.filter(({ owner }) => !grouped.has(owner));
  const nameOf = (id: string) => profile.find((row) => row.owner === id)?.name ?? '';
  return {
    episodes: episode as readonly Episode[],
    facts: fact as readonly Fact[],
    entities: entity as readonly Entity[],
    nameOf,
    contentOf: (id: string) => episode.find((row) => row.id === id)?.content ?? '',
    statementOf: (id: string) => fact.find((row) => row.id === id)?.statement ?? '',
    current: (profile as readonly Profile[]).filter((row) => row.expiredAt === null),
    versionsOf: (name: string) => (profile as readonly Profile[]).filter((row) => row.name === name),
  };
}

/** What a search found, without what differs from run to run. */
export const withoutTime = ({ milliseconds: _, routes, ...result }: SearchResult) => ({
  ...result,
  routes: routes.map((route) => ({ ...route, milliseconds: 0, figures: {} })),
});

export async function answersTo(scope: MemoryScope, queries: readonly string[]) {
  const results = [];
  for (const query of queries) results.push(withoutTime(await scope.search(query, { k: 20 })));
  return results;
}

export const contents = (result: SearchResult) => result.episodes.map((episode) => episode.content);

/** A small conversation in two sessions, with questions, facts, dates and people. */
export const CONVERSATION: readonly TurnInput[] = [
  ['Ann', 's1', '2023-05-08', 'I adopted a puppy last week. His name is Rex.'],
  ['Bob', 's1', '2023-05-08', 'Lovely! Which breed is he?'],
  ['Ann', 's1', '2023-05-08', 'He is a beagle from the shelter in Bergen.'],
  ['Bob', 's1', '2023-05-08', 'I started piano lessons in March 2022.'],
  ['Ann', 's2', '2023-06-20', 'I moved to Oslo on 12 June 2023.'],
  ['Bob', 's2', '2023-06-20', 'How do you like the city?'],
  ['Ann', 's2', '2023-06-20', 'The museums are wonderful and Rex loves the parks.'],
  ['Bob', 's2', '2023-06-21', 'My sister Carla works as a nurse in Lisbon.'],
].map(([speaker, session, at, content]) => ({ speaker, session, at, content }) as TurnInput);

export const QUERIES = [
  'What is the name of the puppy of Ann?',
  'When did Ann move to Oslo?',
  'Which breed is Rex?',
  'Where does Carla work?',
  'piano',
  'What happened in June 2023?',
];

/** Sixty short turns, and a question that finds all of them; resolves to the words of the one at rank 30. */
export const HERONS = 'Where did we see a heron?';
export async function addHerons(memory: MemoryScope): Promise<string> {
  const seen = Array.from({ length: 60 }, (_, at) =>
    turn(`A heron stood at pond ${at}.`, { speaker: 'Nora' }),
  );
  await memory.add(seen);
  const { episodes } = await memory.search(HERONS, { k: 30 });
  return episodes[29]!.content;
}
