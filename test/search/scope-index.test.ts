import { describe, expect, it } from 'vitest';
import type { GraphChanges } from '../../src/model/graph-changes.ts';
import type { EntityId, FactId } from '../../src/model/ids.ts';
import type { NodeKind, NodeRows } from '../../src/model/nodes.ts';
import { RECIPES } from '../../src/retrieve/recipes.ts';
import { ScopeIndex } from '../../src/search/scope-index.ts';
import { scopeIndexFromSections, scopeIndexSections } from '../../src/search/scope-index-sections.ts';
import type { GraphStore } from '../../src/store/graph-store.ts';
import { InMemoryStore } from '../../src/store/in-memory/in-memory-store.ts';
import { edge, embedding, entity, episode, fact, profile, scopeOf } from '../contract/graph-rows.ts';
import { randomVector, seededRandom } from './random.ts';
import { pick } from './random-conversation.ts';

const DIMENSION = 8;
const A = scopeOf('a');
const { reading } = RECIPES[0]!.routes[0]!;
const TERMS = ['ant', 'bee', 'cat', 'dog'];

/** Random commits as an engine makes them: new rows, new versions, removals; every id is a number in order. */
class Writer {
  readonly #random: () => number;
  readonly #live = { episode: new Set<string>(), fact: new Set<string>(), entity: new Set<string>() };
  readonly #profiles = new Map<string, string>();
  #count = 0;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  commit(): GraphChanges {
    const now = ++this.#count;
    const rows = {
      episode: this.#some(3, () =>
        episode(this.#id(), {
          createdAt: now,
          content: this.#words(),
          session: pick(['x', 'y'], this.#random),
          index: Math.floor(this.#random() * 30),
          speaker: pick(['Ann', 'Bob'], this.#random),
          validAt: now * 1e9,
        }),
      ),
      fact: this.#some(2, () => fact(this.#id(), { createdAt: now, statement: this.#words() })),
      entity: this.#some(1, () => entity(this.#id(), { createdAt: now })),
    };
    const updates = [...this.#expire('episode', now), ...this.#expire('fact', now)];
    const removals = [...this.#remove('episode', updates), ...this.#remove('fact', updates)];
    for (const kind of ['episode', 'fact', 'entity'] as const)
      for (const { id } of rows[kind]) this.#live[kind].add(id);
    const renewed = [...new Set([...rows.entity.map(({ id }) => id), ...this.#few('entity')])];
    const profiles = renewed.map((owner) =>
      profile(this.#id(), {
        owner: owner as EntityId,
        name: `name ${owner}`,
        aliases: [],
        summary: this.#words(),
        createdAt: now,
      }),
    );
    const expired = renewed.flatMap((owner) => {
      const before = this.#profiles.get(owner);
      return before === undefined ? [] : [{ kind: 'profile' as const, id: before, set: { expiredAt: now } }];
    });
    for (const { id, owner } of profiles) this.#profiles.set(owner, id);
    const vector = (owner: string, field: 'content' | 'statement' | 'name' | 'summary') =>
      embedding(this.#id(), { owner, field, vector: randomVector(this.#random, DIMENSION) });
    return {
      nodes: {
        ...rows,
        profile: profiles,
        embedding: [
          ...rows.episode.map(({ id }) => vector(id, 'content')),
          ...rows.fact.map(({ id }) => vector(id, 'statement')),
          ...profiles.flatMap(({ id }) => [vector(id, 'name'), vector(id, 'summary')]),
        ],
      },
      relationships: [
        ...rows.episode.flatMap(({ id }) => this.#few('entity').map((to) => edge('MENTIONS', id, to))),
        ...rows.fact.flatMap(({ id }) => [
          ...this.#few('entity').map((to) => edge('ABOUT', id, to, { role: 'participant' })),
          ...this.#few('episode').map((to) => edge('EVIDENCED_BY', id, to)),
        ]),
      ],
      updates: [...updates, ...expired],
      removals,
    };
  }

  readonly #id = () => String(++this.#count).padStart(6, '0');
  #some<T>(most: number, make: () => T): T[] {
    return Array.from({ length: Math.floor(this.#random() * (most + 1)) }, make);
  }
  #words(): string {
    return Array.from({ length: 6 }, () => pick([...TERMS, 'eel', 'fox?', 'hen.'], this.#random)).join(' ');
  }
  #few(kind: 'episode' | 'entity'): string[] {
    return [...this.#live[kind]].filter(() => this.#random() < 2 / (this.#live[kind].size + 1));
  }
  #expire(kind: 'episode' | 'fact', now: number) {
    if (this.#random() < 0.6 || this.#live[kind].size === 0) return [];
    const id = pick([...this.#live[kind]], this.#random);
    this.#live[kind].delete(id);
    return [{ kind, id, set: { expiredAt: now } } as const];
  }
  #remove(kind: 'episode' | 'fact', updates: readonly { id: string }[]) {
    if (this.#random() < 0.8 || this.#live[kind].size === 0) return [];
    const id = pick([...this.#live[kind]], this.#random);
    this.#live[kind].delete(id);
    return updates.some((update) => update.id === id) ? [] : [{ kind, id } as const];
  }
}

const load = (store: GraphStore): Promise<ScopeIndex> =>
  ScopeIndex.load(DIMENSION, {
    rows: <K extends NodeKind>(kind: K) => store.scan(A, kind) as AsyncIterable<readonly NodeRows[K][]>,
    embeddings: (fields) => store.scan(A, 'embedding', fields),
    relationships: (kind) => store.relationships(A, kind),
  });

/** Everything that search reads of an index, by id instead of by ordinal. */
function view(index: ScopeIndex) {
  const query = randomVector(seededRandom(7), DIMENSION);
  const { episodes, facts, entities } = index;
  const words = new Float32Array(episodes.length);
  episodes.conversation.score(TERMS, reading, words);
  const vectors = new Float32Array(episodes.length);
  episodes.vectors.score(query, vectors);
  const turns = episodes.ids.ids().flatMap((id, ordinal) => {
    if (!episodes.conversation.isLive(ordinal)) return [];
    const { previous, next } = episodes.timeline;
    const neighbours = [previous, next].map((links) => episodes.ids.idOf(links.at(ordinal)));
    return [[id, words[ordinal], vectors[ordinal], neighbours, index.factsEvidencedBy(id).toSorted()]];
  });
  const factWords = facts.lexicalScores(TERMS);
  const factVectors = new Float32Array(facts.length);
  facts.vectors.score(query, factVectors);
  const statements = facts.ids
    .ids()
    .flatMap((id, ordinal) =>
      facts.lexical.has(ordinal)
        ? [[id, factWords[ordinal], factVectors[ordinal], index.evidenceOf(id).toSorted()]]
        : [],
    );
  const profileWords = entities.profiles.lexicalScores(TERMS);
  const profileVectors = new Float32Array(entities.profiles.length);
  entities.profiles.vectors.score(query, profileVectors);
  const nameVectors = new Float32Array(entities.profiles.length);
  entities.nameVectors.score(query, nameVectors);
  const people = entities.current().map((current) => {
    const ordinal = entities.profiles.ids.ordinalOf(current.id)!;
    return [
      current,
      [profileWords[ordinal], profileVectors[ordinal], nameVectors[ordinal]],
      [entities.ownerOf(ordinal), entities.idOfName(`name ${current.owner}`)],
      [index.mentionCount(current.owner), index.mentionsOf(current.owner).toSorted()],
      index.factsAbout(current.owner as EntityId).toSorted() as FactId[],
    ];
  });
  const byId = (rows: readonly unknown[]) => rows.map((row) => JSON.stringify(row)).sort();
  return { turns, statements, people: byId(people) };
}

describe('ScopeIndex', () => {
  it.each([1, 2, 3, 4])('loaded from the graph equals one kept in step (seed %i)', async (seed) => {
    const store = new InMemoryStore();
    const writer = new Writer(seed);
    let index = ScopeIndex.empty(DIMENSION);
    for (let round = 1; round <= 60; round++) {
      const changes = writer.commit();
      await store.commit(A, changes);
      index.apply(changes);
      if (round % 12 === 0) expect(view(index)).toEqual(view(await load(store)));
      if (round % 20 === 0) {
        const before = view(index);
        index = scopeIndexFromSections(DIMENSION, scopeIndexSections(index))!;
        expect(view(index)).toEqual(before);
      }
    }
    expect(index.episodes.conversation.size).toBeGreaterThan(20);
    expect(index.facts.lexical.size).toBeGreaterThan(10);
  });

  it('is not read from sections of another dimension, or with one missing', () => {
    const sections = scopeIndexSections(ScopeIndex.empty(DIMENSION));
    expect(scopeIndexFromSections(DIMENSION, sections)).not.toBeNull();
    expect(scopeIndexFromSections(DIMENSION + 8, sections)).toBeNull();
    for (const name of sections.keys()) {
      const less = new Map(sections);
      less.delete(name);
      expect(scopeIndexFromSections(DIMENSION, less), name).toBeNull();
    }
  });
});
