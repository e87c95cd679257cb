import { describe, expect, it } from 'vitest';
import { checkMemory, indexDifferences } from '../../../src/files/backup/check-memory.ts';
import type { GraphChanges } from '../../../src/model/graph-changes.ts';
import type { CategoryId } from '../../../src/model/ids.ts';
import type { Profile } from '../../../src/model/nodes.ts';
import { ScopeIndex } from '../../../src/search/scope-index.ts';
import { InMemoryStore } from '../../../src/store/in-memory/in-memory-store.ts';
import {
  category,
  correction,
  edge,
  embedding,
  entity,
  hierarchy,
  profile,
  scopeOf,
} from '../../contract/graph-rows.ts';

const A = scopeOf('a');
const named = (id: string, owner: string, name: string, more: Partial<Profile> = {}) =>
  profile(id, { owner: owner as CategoryId, name, ...more });
const inBroader = (from: string, to: string) => edge('CATEGORIZES', from, to, {}, ['category', 'category']);

/** Two layers over two entities; "Places" stands in both, as a promoted category does. */
const SOUND: GraphChanges = {
  nodes: {
    entity: [entity('n1'), entity('n2')],
    category: [category('c1'), category('c2'), category('t1', { layer: 2 })],
    hierarchy: [hierarchy('h', { layers: 2 })],
    profile: [
      named('pn1', 'n1', 'Ghent'),
      named('pn1-before', 'n1', 'Gent', { expiredAt: 5 }),
      named('pn2', 'n2', 'cities'),
      named('pc1', 'c1', 'Cities'),
      named('pc2', 'c2', 'Places'),
      named('pt1', 't1', 'Places'),
    ],
  },
  relationships: [
    edge('CATEGORIZES', 'c1', 'n1'),
    edge('CATEGORIZES', 'c2', 'n1'),
    edge('CATEGORIZES', 'c2', 'n2'),
    inBroader('t1', 'c1'),
    inBroader('t1', 'c2'),
  ],
};

const unlinkOf = (from: string, to: string) => {
  const { kind, fromKind, toKind } = edge('CATEGORIZES', from, to);
  return { kind, fromKind, from, toKind, to };
};

async function storeOf(...changes: readonly GraphChanges[]): Promise<InMemoryStore> {
  const store = new InMemoryStore();
  for (const each of changes) await store.commit(A, each);
  return store;
}

const findings = async (...changes: readonly GraphChanges[]) =>
  (await checkMemory({ store: await storeOf(...changes), snapshotFolder: null })).findings.map(
    ({ what }) => what,
  );

const stale = (id: string): GraphChanges => ({ updates: [{ kind: 'category', id, set: { staleSince: 9 } }] });
const forgetting = (finishedAt: number | null): GraphChanges => ({
  nodes: { correction: [correction('r', { kind: 'forget', targets: [], finishedAt })] },
});

describe('the check of the hierarchy', () => {
  it('finds nothing in a valid one, and needs none', async () => {
    expect(await findings(SOUND)).toEqual([]);
    expect(await findings({ nodes: { entity: [entity('n1')] } })).toEqual([]);
  });

  it.each<[string, GraphChanges, string[]]>([
    [
      'an entity in a layer above the first',
      { relationships: [edge('CATEGORIZES', 't1', 'n2')] },
      ['1 relationships CATEGORIZES do not lead one layer down'],
    ],
    [
      'a category in one of its layer, and a circle',
      { relationships: [inBroader('c1', 'c2'), inBroader('c1', 't1')] },
      ['2 relationships CATEGORIZES do not lead one layer down'],
    ],
    [
      'a category that is its own child',
      { relationships: [inBroader('t1', 't1')] },
      ['1 relationships CATEGORIZES do not lead one layer down'],
    ],
    [
      'the same name twice in a layer, number and capitals aside',
      {
        nodes: { category: [category('c3')], profile: [named('pc3', 'c3', 'city')] },
        relationships: [
          edge('CATEGORIZES', 'c3', 'n1'),
          edge('CATEGORIZES', 'c3', 'n2'),
          edge('CATEGORIZES', 'c1', 'n2'),
        ],
      },
      ['1 names belong to several categories of a layer'],
    ],
  ])('finds %s', async (_, change, what) => {
    expect(await findings(SOUND, change)).toEqual(what);
  });

  it('allows categories of one name with one child each: they stand for nodes of that name', async () => {
    const alone: GraphChanges = {
      nodes: { category: [category('c3')], profile: [named('pc3', 'c3', 'Cities')] },
      relationships: [edge('CATEGORIZES', 'c3', 'n2')],
    };
    expect(await findings(SOUND, alone)).toEqual([]);
  });

  it('allows a category that waits for an update to lack profile and children', async () => {
    const lost: GraphChanges = {
      removals: [{ kind: 'profile', id: 'pc1' }],
      unlinks: [unlinkOf('c1', 'n1')],
    };
    const both = ['1 categories have no profile', '1 categories are empty'];
    expect(await findings(SOUND, lost)).toEqual(both);
    expect(await findings(SOUND, lost, stale('c1'))).toEqual([]);
    expect(await findings(SOUND, lost, stale('c2'))).toEqual(both);
    const twice: GraphChanges = { nodes: { profile: [named('a', 'c1', 'A'), named('b', 'c1', 'B')] } };
    expect(await findings(SOUND, lost, stale('c1'), twice)).toEqual([
      '1 categories have more than one profile',
    ]);
  });

  it('allows missing rows while everything is being forgotten, and not after', async () => {
    const half: GraphChanges = {
      removals: [
        ...['pc1', 'pc2', 'pt1'].map((id) => ({ kind: 'profile', id }) as const),
        ...['n1', 'n2'].map((id) => ({ kind: 'entity', id }) as const),
        ...['pn1', 'pn1-before', 'pn2'].map((id) => ({ kind: 'profile', id }) as const),
        { kind: 'category', id: 't1' },
      ],
    };
    expect(await findings(SOUND, half, forgetting(null))).toEqual(['1 forgettings are unfinished']);
    expect(await findings(SOUND, half, forgetting(7))).toEqual([
      '2 categories have no profile',
      '2 categories are empty',
      'the hierarchy has 1 layers, but its record says 2',
    ]);
  });
});

describe('an index compared with the graph', () => {
  const indexOf = (...changes: readonly GraphChanges[]) => {
    const index = ScopeIndex.empty(2);
    for (const each of changes) index.apply(each);
    return index;
  };

  it.each<[string, GraphChanges]>([
    ['an edge of a category', { unlinks: [unlinkOf('c2', 'n1')] }],
    ['a profile of a category', { removals: [{ kind: 'profile', id: 'pt1' }] }],
    ['a stale category', stale('c1')],
    ['a record', { removals: [{ kind: 'hierarchy', id: 'h' }] }],
    ['a vector of a category', { nodes: { embedding: [embedding('v', { owner: 'pc1', field: 'name' })] } }],
  ])('differs in its hierarchy by %s', async (_, change) => {
    expect(await indexDifferences(indexOf(SOUND), indexOf(SOUND))).toEqual([]);
    expect(await indexDifferences(indexOf(SOUND), indexOf(SOUND, change))).toEqual(['its hierarchy']);
  });
});
