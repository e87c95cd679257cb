import type { CompareResult, CopyProgress, CopyResult } from '../../../src/files/copy/copy-event.ts';
import { compareMemories, copyMemory, type MemoryPair } from '../../../src/files/copy/copy-memory.ts';
import type { NewNodes } from '../../../src/model/graph-changes.ts';
import type { Scope } from '../../../src/model/ids.ts';
import { NODE_KINDS } from '../../../src/model/nodes.ts';
import { RELATIONSHIP_KINDS, type Relationship } from '../../../src/model/relationships.ts';
import type { GraphStore } from '../../../src/store/graph-store.ts';
import {
  category,
  correction,
  description,
  edge,
  embedding,
  entity,
  episode,
  fact,
  failure,
  hierarchy,
  item,
  profile,
  segment,
  tombstone,
} from '../../contract/graph-rows.ts';

/** NUL, half a surrogate pair, quotes, line ends, other scripts, and longer than a piece of Kùzu's long texts. */
const HOSTILE = `\u0000 "it's"\\ \ud83d \r\n\u2028 שלום 記憶 ${'👩‍👩‍👧‍👦'.repeat(200)}`;

/** Rows of every kind with every type of column; their ids, and only these, begin with the prefix. */
export function everyRow(prefix: string): NewNodes {
  const id = (name: string) => `${prefix}${name}`;
  return {
    episode: [
      episode(id('e1'), {
        content: HOSTILE,
        key: HOSTILE.slice(0, 20),
        sourceId: '\u0000n',
        attachments: [{ kind: HOSTILE, description: '', uri: HOSTILE }],
        metadata: { z: 1.5, a: 'b', ключ: true },
        verified: true,
        status: 'set-aside',
        gate: 'dropped',
        trust: 'low',
        role: 'tool',
        validAt: -1,
      }),
      episode(id('e2'), { key: 'same', expiredAt: 0 }),
      episode(id('e3'), { key: 'same', version: 2 }),
    ],
    segment: [segment(id('s1'), { keywords: ['', HOSTILE] }), segment(id('s2'), { keywords: [] })],
    entity: [entity(id('n1')), entity(id('n2'))],
    profile: [profile(id('p1'), { name: HOSTILE, aliases: [], tags: [HOSTILE] })],
    description: [description(id('d1'), { text: HOSTILE })],
    fact: [
      fact(id('f1'), {
        confidence: 0.1 + 0.2,
        event: { start: -1, end: 2, precision: 'day', text: HOSTILE },
        statedEnd: 7,
        origin: 'given',
      }),
      fact(id('f2'), { kind: 'proposition', relation: '', confidence: 0 }),
    ],
    category: [category(id('c1'), { staleSince: 5 }), category(id('c2'), { layer: 2 })],
    hierarchy: [hierarchy(id('h1'))],
    failure: [failure(id('x1'), { reason: HOSTILE })],
    correction: [correction(id('r1'), { targets: [HOSTILE], finishedAt: 1 })],
    tombstone: [tombstone(id('t1'), { kind: 'entity' }), tombstone(id('t2'), { kind: 'moved' })],
    item: [item(id('i1'), { namespace: [HOSTILE, ''], key: HOSTILE, value: '{}' })],
    embedding: [
      embedding(id('v1'), { model: 'one@3', vector: Float32Array.of(-0, 1e-45, 0.1) }),
      embedding(id('v2'), { model: 'two@1', vector: Float32Array.of(3.4e38) }),
    ],
  };
}

export function everyEdge(prefix: string): Relationship[] {
  const of = (...[kind, from, to, extra, pair]: Parameters<typeof edge>) =>
    edge(kind, `${prefix}${from}`, `${prefix}${to}`, extra, pair);
  return [
    of('NEXT', 'e1', 'e2'),
    of('IN_SEGMENT', 'e1', 's1'),
    of('MENTIONS', 'e1', 'n1'),
    of('ABOUT', 'f1', 'n1', { role: 'subject' }),
    of('ABOUT', 'f1', 'n1', { role: 'object' }),
    of('ABOUT', 'f2', 'n2', { role: 'participant' }),
    of('EVIDENCED_BY', 'f1', 'e1'),
    of('EVIDENCED_BY', 'd1', 'e1', {}, ['description', 'episode']),
    of('SUPERSEDES', 'f1', 'f2'),
    of('RELATED', 's1', 's2', { relation: 'support', confidence: 0.1 + 0.2 }),
    of('RELATED', 's2', 's1', { relation: 'contradict', confidence: 1 }),
    of('FAILED_IN', 'e1', 'x1'),
    of('POSSIBLY_SAME', 'n1', 'n2', { confidence: 0.5 }),
    of('CATEGORIZES', 'c1', 'n1'),
    of('CATEGORIZES', 'c2', 'c1', {}, ['category', 'category']),
  ];
}

export const scopes = ['a', 'b', ' \u0000\ud83d'] as Scope[];

/** Scopes that differ in their ids alone; the first one also has many rows and relationships, for several commits. */
export async function fill(store: GraphStore, many = 2_600): Promise<void> {
  await store.setFingerprint({ model: 'one', dimension: 3 });
  for (const [number, scope] of scopes.entries())
    await store.commit(scope, { nodes: everyRow(`${number}`), relationships: everyEdge(`${number}`) });
  const ids = Array.from({ length: many }, (_, number) => `many${number}`);
  const mentions = ids.map((id, number) => edge('MENTIONS', `0e${1 + (number % 3)}`, id));
  await store.commit(scopes[0]!, { nodes: { entity: ids.map((id) => entity(id)) }, relationships: mentions });
}

/** All rows and relationships of a store, by scope, as the port gives them. */
export async function contentOf(store: GraphStore): Promise<Record<string, string[]>> {
  const content: Record<string, string[]> = {};
  for (const scope of await store.scopes()) {
    const rows: string[] = [];
    for (const kind of NODE_KINDS)
      for await (const batch of store.scan(scope, kind))
        for (const row of batch) rows.push(`${kind} ${JSON.stringify(row, readable)}`);
    for (const kind of RELATIONSHIP_KINDS)
      for await (const batch of store.relationships(scope, kind))
        for (const each of batch) rows.push(`${kind} ${JSON.stringify(each, readable)}`);
    if (rows.length > 0) content[scope] = rows.sort();
  }
  return content;
}

/** With sorted keys, and vectors bit by bit. */
function readable(_key: string, value: unknown): unknown {
  if (value instanceof Float32Array)
    return [...new Uint32Array(value.slice().buffer)].map((bits) => bits.toString(16)).join(' ');
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort());
}

interface Copied {
  readonly progress: readonly CopyProgress[];
  readonly result: CopyResult;
}

/** Runs a copy to its end. */
export async function copyAll(
  context: MemoryPair,
  onProgress: (event: CopyProgress) => Promise<void> | void = () => undefined,
): Promise<Copied> {
  const progress: CopyProgress[] = [];
  let result: CopyResult | undefined;
  for await (const event of copyMemory(context))
    if (event.type === 'done') result = event;
    else {
      progress.push(event);
      await onProgress(event);
    }
  return { progress, result: result! };
}

export async function compareAll(context: MemoryPair): Promise<CompareResult> {
  let result: CompareResult | undefined;
  for await (const event of compareMemories(context)) if (event.type === 'done') result = event;
  return result!;
}

/** A store with some methods replaced. */
export function withMethods(store: GraphStore, methods: Partial<GraphStore>): GraphStore {
  return new Proxy(store, {
    get(_, name: keyof GraphStore) {
      const method = methods[name] ?? store[name];
      return typeof method === 'function' ? method.bind(name in methods ? methods : store) : method;
    },
  });
}
