import { describe, expect, it } from 'vitest';
import type { GraphChanges, RowRemoval, RowUpdate } from '../../src/model/graph-changes.ts';
import type { CategoryId, EntityId } from '../../src/model/ids.ts';
import type { NodeKind, NodeRows } from '../../src/model/nodes.ts';
import type { Relationship } from '../../src/model/relationships.ts';
import { ScopeIndex } from '../../src/search/scope-index.ts';
import { scopeIndexFromSections, scopeIndexSections } from '../../src/search/scope-index-sections.ts';
import { decodeSnapshot, encodeSnapshot } from '../../src/search/snapshot.ts';
import type { GraphStore } from '../../src/store/graph-store.ts';
import { InMemoryStore } from '../../src/store/in-memory/in-memory-store.ts';
import { entityNameKey } from '../../src/util/tidy.ts';
import { category, edge, embedding, entity, hierarchy, profile, scopeOf } from '../contract/graph-rows.ts';
import { randomVector, seededRandom } from './random.ts';
import { pick } from './random-conversation.ts';

const DIMENSION = 8;
const A = scopeOf('a');
const TERMS = ['ant', 'bee', 'cat', 'dog'];

const inCategory = (from: string, to: string) => edge('CATEGORIZES', from, to);
const inBroader = (from: string, to: string) =>
  edge('CATEGORIZES', from, to, {}, ['category', 'category'] as const);

/** Random commits over three layers: new nodes and edges, new profiles, edges taken back, nodes and profiles removed. */
class Writer {
  readonly #random: () => number;
  /** Ids by layer, entities first. */
  readonly #layers: Set<string>[] = [new Set(), new Set(), new Set(), new Set()];
  readonly #profiles = new Map<string, string>();
  #edges = new Map<string, Relationship>();
  #record: string | null = null;
  #count = 0;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  commit(): GraphChanges {
    const now = ++this.#count;
    const unlinks = this.#takeBack();
    const fresh = this.#layers.map((ids, layer) => this.#fresh(layer === 0 ? 3 : 1, ids));
    const due = new Set([...fresh.flat(), ...this.#layers.flatMap((ids) => this.#few(ids))]);
    const profiles = [...due].map((owner) => this.#profile(owner, now));
    const stale = this.#layers
      .slice(1)
      .flatMap((ids) => this.#few(ids))
      .map(
        (id): RowUpdate => ({ kind: 'category', id, set: { staleSince: pick([now, null], this.#random) } }),
      );
    const changes: GraphChanges = {
      unlinks,
      nodes: {
        entity: fresh[0]!.map((id) => entity(id, { createdAt: now })),
        category: [1, 2, 3].flatMap((layer) =>
          fresh[layer]!.map((id) => category(id, { layer, createdAt: now })),
        ),
        profile: profiles.map(({ row }) => row),
        embedding: profiles.flatMap(({ row }) =>
          (['name', 'summary'] as const).map((field) =>
            embedding(this.#id(), { owner: row.id, field, vector: randomVector(this.#random, DIMENSION) }),
          ),
        ),
      },
      relationships: this.#links(),
    };
    const replaced = profiles.flatMap(({ before }): RowRemoval[] =>
      before === undefined ? [] : [{ kind: 'profile', id: before }],
    );
    const removals = this.#random() < 0.5 ? [] : this.#remove();
    return this.#withRecord(now, { ...changes, updates: stale, removals: [...replaced, ...removals] });
  }

  readonly #id = () => String(++this.#count).padStart(6, '0');

  #fresh(most: number, ids: Set<string>): string[] {
    const made = Array.from({ length: Math.floor(this.#random() * (most + 1)) }, this.#id);
    for (const id of made) ids.add(id);
    return made;
  }

  #few(ids: ReadonlySet<string>): string[] {
    return [...ids].filter(() => this.#random() < 2 / (ids.size + 1));
  }

  #profile(owner: string, now: number) {
    const before = this.#profiles.get(owner);
    const words = () => Array.from({ length: 4 }, () => pick(TERMS, this.#random)).join(' ');
    const row = profile(this.#id(), {
      owner: owner as EntityId,
      name: `Name ${owner}`,
      aliases: [],
      tags: [pick(TERMS, this.#random)],
      summary: words(),
      createdAt: now,
    });
    this.#profiles.set(owner, row.id);
    return { row, before };
  }

  #links(): Relationship[] {
    return [1, 2, 3].flatMap((layer) =>
      this.#few(this.#layers[layer]!).flatMap((from) =>
        this.#few(this.#layers[layer - 1]!).flatMap((to) => {
          if (this.#edges.has(`${from} ${to}`)) return [];
          const made = layer === 1 ? inCategory(from, to) : inBroader(from, to);
          this.#edges.set(`${from} ${to}`, made);
          return [made];
        }),
      ),
    );
  }

  #takeBack(): Relationship[] {
    const gone = [...this.#edges].filter(() => this.#random() < 1 / (this.#edges.size + 1));
    for (const [key] of gone) this.#edges.delete(key);
    return gone.map(([, edge]) => edge);
  }

  #remove(): RowRemoval[] {
    const removals = this.#layers.flatMap((ids, layer) =>
      [...ids]
        .filter(() => this.#random() < 0.5 / (ids.size + 1))
        .flatMap((id): RowRemoval[] => {
          ids.delete(id);
          const last = this.#profiles.get(id);
          this.#profiles.delete(id);
          return [
            { kind: layer === 0 ? 'entity' : 'category', id },
            ...(last === undefined ? [] : [{ kind: 'profile', id: last } as const]),
          ];
        }),
    );
    const gone = new Set(removals.map(({ id }) => id));
    this.#edges = new Map([...this.#edges].filter(([, { from, to }]) => !gone.has(from) && !gone.has(to)));
    return removals;
  }

  #withRecord(now: number, changes: GraphChanges): GraphChanges {
    if (this.#random() < 0.7) return changes;
    const before = this.#record;
    const row = hierarchy(this.#id(), { createdAt: now, topNodes: now });
    this.#record = row.id;
    const removed: RowRemoval[] = before === null ? [] : [{ kind: 'hierarchy', id: before }];
    return {
      ...changes,
      nodes: { ...changes.nodes, hierarchy: [row] },
      removals: [...(changes.removals ?? []), ...removed],
    };
  }
}

const load = (store: GraphStore): Promise<ScopeIndex> =>
  ScopeIndex.load(DIMENSION, {
    rows: <K extends NodeKind>(kind: K) => store.scan(A, kind) as AsyncIterable<readonly NodeRows[K][]>,
    embeddings: (fields) => store.scan(A, 'embedding', fields),
    relationships: (kind) => store.relationships(A, kind),
  });

/** The hierarchy by ids: categories of a layer by age; children and parents as sets. */
function view({ hierarchy: index, entities }: ScopeIndex) {
  const words = index.documents.lexicalScores(TERMS);
  const query = randomVector(seededRandom(7), DIMENSION);
  const [summaries, names] = [index.documents.vectors, index.nameVectors].map((vectors) => {
    const scores = new Float32Array(index.documents.length);
    vectors.score(query, scores);
    return scores;
  });
  const layers = Array.from({ length: index.depth }, (_, at) => index.layer(at + 1));
  return {
    record: index.record,
    layers: layers.map((ids, at) =>
      ids.map((id) => {
        const ordinal = index.ordinalOf(id);
        const current = index.profileOf(id);
        return {
          row: index.category(id),
          children: index.childrenOf(id).toSorted(),
          count: index.childCount(id),
          parents: index.parentsOf(id).toSorted(),
          current,
          named: current && index.idOfName(at + 1, entityNameKey(current.name)),
          scores: ordinal === undefined ? null : [words[ordinal], summaries![ordinal], names![ordinal]],
          owner: ordinal === undefined ? null : index.ownerOf(ordinal),
        };
      }),
    ),
    parentsOfEntities: entities.ids
      .ids()
      .map((id) => [id, index.parentsOf(id).toSorted()])
      .filter(([, parents]) => parents!.length > 0)
      .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
  };
}

function throughSnapshot(index: ScopeIndex): ScopeIndex {
  const file = new Uint8Array(Buffer.concat(encodeSnapshot('s', scopeIndexSections(index))));
  return scopeIndexFromSections(DIMENSION, decodeSnapshot(file, 's').snapshot!.sections)!;
}

describe('HierarchyIndex', () => {
  it.each([1, 2, 3, 4])(
    'is the same when updated, loaded and read from a snapshot (seed %i)',
    async (seed) => {
      const store = new InMemoryStore();
      const writer = new Writer(seed);
      let index = ScopeIndex.empty(DIMENSION);
      let most = 0;
      for (let round = 1; round <= 80; round++) {
        const changes = writer.commit();
        await store.commit(A, changes);
        index.apply(changes);
        if (round % 8 === 0) expect(view(index)).toEqual(view(await load(store)));
        if (round % 20 === 0) {
          const before = view(index);
          index = throughSnapshot(index);
          expect(view(index)).toEqual(before);
        }
        most = Math.max(most, index.hierarchy.size);
        // No category is ever found as an entity.
        for (const { owner } of index.entities.current()) expect(index.hierarchy.has(owner)).toBe(false);
      }
      expect(most).toBeGreaterThan(30);
      expect(index.hierarchy.depth).toBe(3);
      expect(index.hierarchy.record).not.toBeNull();
      expect(view(index).parentsOfEntities.length).toBeGreaterThan(5);
    },
  );

  const filled = () => {
    const index = ScopeIndex.empty(DIMENSION);
    index.apply({
      nodes: {
        entity: ['n1', 'n2'].map((id) => entity(id)),
        category: [category('c1'), category('c2', { layer: 2 })],
        hierarchy: [hierarchy('h1')],
        profile: [
          profile('p1', { owner: 'n1' as EntityId, name: 'Ghent', aliases: [], summary: 'a city' }),
          profile('p2', { owner: 'c1' as CategoryId, name: 'Cities', aliases: [], summary: 'of Belgium' }),
          profile('p3', { owner: 'c2' as CategoryId, name: 'Places', aliases: [], summary: 'all of them' }),
        ],
      },
      relationships: [inCategory('c1', 'n1'), inCategory('c1', 'n2'), inBroader('c2', 'c1')],
    });
    return index;
  };

  it('keeps categories and entities apart', () => {
    const { entities, hierarchy: index } = filled();
    expect(entities.idsOfName('cities')).toEqual([]);
    expect(entities.idsOfStart('cit')).toEqual([]);
    expect(entities.profiles.lexical.size).toBe(1);
    expect(index.idOfName(1, 'cities')).toBe('c1');
    expect(index.idOfName(2, 'cities')).toBeUndefined();
    expect(index.documents.lexical.size).toBe(2);
    expect(index.profileOf('n1')).toBeUndefined();
    expect([index.depth, index.size, index.layer(1), index.layer(3)]).toEqual([2, 2, ['c1'], []]);
  });

  it('accepts a category without a profile, and gives it another one later', () => {
    const scope = filled();
    const { hierarchy: index } = scope;
    scope.apply({
      removals: [{ kind: 'profile', id: 'p2' }],
      updates: [{ kind: 'category', id: 'c1', set: { staleSince: 9 } }],
    });
    expect([index.profileOf('c1'), index.ordinalOf('c1'), index.category('c1')?.staleSince]).toEqual([
      undefined,
      undefined,
      9,
    ]);
    expect(index.childrenOf('c1')).toEqual(['n1', 'n2']);
    expect(view(throughSnapshot(scope))).toEqual(view(scope));
    const renewed = profile('p4', { owner: 'c1' as CategoryId, name: 'Towns', aliases: [] });
    scope.apply({
      nodes: { profile: [renewed] },
      updates: [{ kind: 'category', id: 'c1', set: { staleSince: null } }],
    });
    expect([index.idOfName(1, 'towns'), index.category('c1')?.staleSince]).toEqual(['c1', null]);
    // In one commit, as an update of the hierarchy writes it.
    const again = profile('p5', { owner: 'c1' as CategoryId, name: 'Cities', aliases: [] });
    scope.apply({ nodes: { profile: [again] }, removals: [{ kind: 'profile', id: 'p4' }] });
    expect([index.profileOf('c1')?.id, index.idOfName(1, 'towns')]).toEqual(['p5', undefined]);
  });
});
