import { describe, expect, it } from 'vitest';
import type { GraphChanges, Unlink } from '../../src/model/graph-changes.ts';
import type { EntityId } from '../../src/model/ids.ts';
import type { NodeKind, NodeRows } from '../../src/model/nodes.ts';
import type { Relationship } from '../../src/model/relationships.ts';
import { IN_CONVERSATION } from '../../src/retrieve/similarity/defaults.ts';
import { ScopeIndex } from '../../src/search/scope-index.ts';
import { scopeIndexFromSections, scopeIndexSections } from '../../src/search/scope-index-sections.ts';
import type { GraphStore } from '../../src/store/graph-store.ts';
import { InMemoryStore } from '../../src/store/in-memory/in-memory-store.ts';
import { edge, embedding, entity, episode, fact, profile, scopeOf, segment } from '../contract/graph-rows.ts';
import { randomVector, seededRandom } from './random.ts';
import { pick } from './random-conversation.ts';

const DIMENSION = 8;
const A = scopeOf('a');
const reading = IN_CONVERSATION;
const TERMS = ['ant', 'bee', 'cat', 'dog'];
const STATUSES = ['stored', 'extracted', 'set-aside'] as const;
type Kept = 'episode' | 'fact' | 'segment';

/** Random commits as an engine makes them: new rows, new versions, removals; every id is a number in order. */
class Writer {
  readonly #random: () => number;
  readonly #live = {
    episode: new Set<string>(),
    fact: new Set<string>(),
    segment: new Set<string>(),
    entity: new Set<string>(),
  };
  readonly #profiles = new Map<string, string>();
  /** Edges that may be taken back, by their two ends. */
  readonly #linked = new Map<string, Unlink>();
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
          status: pick(STATUSES, this.#random),
        }),
      ),
      segment: this.#some(2, () =>
        segment(this.#id(), { createdAt: now, keywords: [this.#word()], summary: this.#words() }),
      ),
      fact: this.#some(3, () => fact(this.#id(), { createdAt: now, statement: this.#words() })),
      entity: this.#some(1, () => entity(this.#id(), { createdAt: now })),
    };
    const kept = ['episode', 'fact', 'segment'] as const;
    const updates = kept.flatMap((kind) => this.#expire(kind, now));
    const removals = [...kept.flatMap((kind) => this.#remove(kind, updates)), ...this.#removeEntity()];
    const judged = this.#few('episode').map((id) => ({
      kind: 'episode' as const,
      id,
      set: { status: pick(STATUSES, this.#random) },
    }));
    for (const kind of [...kept, 'entity'] as const)
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
    const unlinks = this.#takeBack();
    const relationships = [
      ...this.#few('episode').flatMap((from) =>
        this.#few('entity').map((to) => this.#link('MENTIONS', from, to)),
      ),
      ...this.#few('episode').flatMap((from) =>
        this.#isInSegment(from)
          ? []
          : this.#few('segment')
              .slice(0, 1)
              .map((to) => this.#link('IN_SEGMENT', from, to)),
      ),
      ...rows.fact.flatMap(({ id }) => [
        ...this.#few('entity').map((to) => edge('ABOUT', id, to, { role: 'participant' })),
        ...this.#few('episode').map((to) => this.#link('EVIDENCED_BY', id, to)),
      ]),
    ].filter((each) => each !== null);
    const vector = (owner: string, field: 'content' | 'statement' | 'name' | 'summary') =>
      embedding(this.#id(), { owner, field, vector: randomVector(this.#random, DIMENSION) });
    return {
      nodes: {
        ...rows,
        profile: profiles,
        embedding: [
          ...rows.episode.map(({ id }) => vector(id, 'content')),
          ...rows.segment.map(({ id }) => vector(id, 'summary')),
          ...rows.fact.map(({ id }) => vector(id, 'statement')),
          ...profiles.flatMap(({ id }) => [vector(id, 'name'), vector(id, 'summary')]),
        ],
      },
      relationships,
      unlinks,
      updates: [...updates, ...judged, ...expired],
      removals,
    };
  }

  readonly #id = () => String(++this.#count).padStart(6, '0');
  #some<T>(most: number, make: () => T): T[] {
    return Array.from({ length: Math.floor(this.#random() * (most + 1)) }, make);
  }
  #word = () => pick([...TERMS, 'eel', 'fox?', 'hen.'], this.#random);
  #words = () => Array.from({ length: 6 }, this.#word).join(' ');
  /** Null for an edge that is there already. */
  #link(kind: 'MENTIONS' | 'IN_SEGMENT' | 'EVIDENCED_BY', from: string, to: string): Relationship | null {
    const made = edge(kind, from, to);
    const key = `${kind} ${from} ${to}`;
    if (this.#linked.has(key)) return null;
    const { fromKind, toKind } = made;
    this.#linked.set(key, { kind, fromKind, from, toKind, to });
    return made;
  }
  #isInSegment(turn: string): boolean {
    const edges = [...this.#linked.values()];
    return edges.some(
      ({ kind, from, to }) => kind === 'IN_SEGMENT' && from === turn && this.#live.segment.has(to),
    );
  }
  #takeBack(): Unlink[] {
    const gone = [...this.#linked].filter(() => this.#random() < 1 / (this.#linked.size + 1));
    for (const [key] of gone) this.#linked.delete(key);
    return gone.map(([, unlink]) => unlink);
  }
  #few(kind: 'episode' | 'entity' | 'segment'): string[] {
    return [...this.#live[kind]].filter(() => this.#random() < 2 / (this.#live[kind].size + 1));
  }
  #expire(kind: Kept, now: number) {
    if (this.#random() < 0.6 || this.#live[kind].size === 0) return [];
    const id = pick([...this.#live[kind]], this.#random);
    this.#live[kind].delete(id);
    return [{ kind, id, set: { expiredAt: now } } as const];
  }
  #remove(kind: Kept, updates: readonly { id: string }[]) {
    if (this.#random() < 0.8 || this.#live[kind].size === 0) return [];
    const id = pick([...this.#live[kind]], this.#random);
    this.#live[kind].delete(id);
    if (updates.some((update) => update.id === id)) return [];
    this.#unlinkAll(id);
    return [{ kind, id } as const];
  }
  #removeEntity() {
    if (this.#random() < 0.8 || this.#live.entity.size === 0) return [];
    const id = pick([...this.#live.entity], this.#random);
    const current = this.#profiles.get(id)!;
    this.#live.entity.delete(id);
    this.#unlinkAll(id);
    return [{ kind: 'entity', id } as const, { kind: 'profile', id: current } as const];
  }
  #unlinkAll(id: string): void {
    for (const [key, { from, to }] of this.#linked) if (from === id || to === id) this.#linked.delete(key);
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
  const { episodes, facts, entities, segments } = index;
  const words = new Float32Array(episodes.length);
  episodes.conversation.score(TERMS, reading, { out: words, topics: index.topicsOfTurns() });
  const vectors = new Float32Array(episodes.length);
  episodes.vectors.score(query, vectors);
  const turns = episodes.ids.ids().flatMap((id, ordinal) => {
    if (!episodes.conversation.isLive(ordinal)) return [];
    const { previous, next } = episodes.timeline;
    const neighbours = [previous, next].map((links) => episodes.ids.idOf(links.at(ordinal)));
    const linked = [index.factsEvidencedBy(id), index.segmentOf(id), index.entitiesMentionedIn(id)];
    return [[id, words[ordinal], vectors[ordinal], neighbours, ...linked]];
  });
  const factWords = facts.lexicalScores(TERMS);
  const factVectors = new Float32Array(facts.length);
  facts.vectors.score(query, factVectors);
  const statements = facts.ids
    .ids()
    .flatMap((id, ordinal) =>
      facts.lexical.has(ordinal)
        ? [[id, factWords[ordinal], factVectors[ordinal], index.evidenceOf(id), index.entitiesOf(id)]]
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
      [index.mentionCount(current.owner), index.mentionsOf(current.owner)],
      index.factsAbout(current.owner as EntityId),
    ];
  });
  const segmentWords = segments.lexicalScores(TERMS);
  const segmentVectors = new Float32Array(segments.length);
  segments.vectors.score(query, segmentVectors);
  const topics = segments.ids
    .ids()
    .flatMap((id, ordinal) =>
      segments.lexical.has(ordinal)
        ? [[id, segmentWords[ordinal], segmentVectors[ordinal], index.turnsOf(id)]]
        : [],
    );
  const { pending, setAside } = index.enrichment;
  const byId = (rows: readonly unknown[]) => rows.map((row) => JSON.stringify(row)).sort();
  return {
    turns,
    statements,
    topics,
    people: byId(people),
    waiting: byId([...pending]),
    setAside: byId([...setAside]),
  };
}

describe('ScopeIndex', () => {
  it.each([1, 2, 3, 4])(
    'loaded from the graph equals one that followed each commit (seed %i)',
    async (seed) => {
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
      expect(index.segments.lexical.size).toBeGreaterThan(3);
      expect(index.enrichment.pending.size).toBeGreaterThan(3);
      for (const turn of index.enrichment.pending) expect(index.episodes.isLive(turn)).toBe(true);
    },
  );

  it('returns turns and facts oldest first, in any order of consolidation', () => {
    const index = ScopeIndex.empty(DIMENSION);
    const ids = ['1', '2', '3'];
    index.apply({
      nodes: { entity: [entity('n')], segment: [segment('s')], episode: ids.map((id) => episode(id)) },
    });
    index.apply({ nodes: { fact: [fact('f'), fact('g')] } });
    for (const id of ['3', '1', '2'])
      index.apply({
        relationships: [
          edge('MENTIONS', id, 'n'),
          edge('IN_SEGMENT', id, 's'),
          edge('EVIDENCED_BY', 'f', id),
        ],
      });
    for (const id of ['g', 'f'])
      index.apply({ relationships: [edge('ABOUT', id, 'n', { role: 'subject' })] });
    expect([index.mentionsOf('n'), index.evidenceOf('f'), index.turnsOf('s')]).toEqual([ids, ids, ids]);
    expect(index.factsAbout('n' as EntityId)).toEqual(['f', 'g']);
    // Read anew, as after a correction in its segment.
    const { kind, fromKind, from, toKind, to } = edge('MENTIONS', '1', 'n');
    index.apply({
      unlinks: [{ kind, fromKind, from, toKind, to }],
      relationships: [edge('MENTIONS', '1', 'n')],
    });
    expect(index.mentionsOf('n')).toEqual(ids);
  });

  it('finds live facts by their statement', () => {
    const index = ScopeIndex.empty(DIMENSION);
    const statements = ['Ann moved to Oslo.', 'ANN moved to Oslo', 'Ann moved to Rome.'];
    index.apply({ nodes: { fact: statements.map((statement, at) => fact(`f${at}`, { statement })) } });
    expect(index.factsStating('Ann moved to Oslo!')).toEqual(['f0', 'f1']);
    index.apply({
      updates: [{ kind: 'fact', id: 'f0', set: { expiredAt: 5 } }],
      removals: [{ kind: 'fact', id: 'f2' }],
    });
    expect(index.factsStating('Ann moved to Oslo!')).toEqual(['f1']);
    expect(index.factsStating('Ann moved to Rome')).toEqual([]);
  });

  it('keeps nothing that pages made of it over a commit, or over the removal of text', () => {
    const index = ScopeIndex.empty(DIMENSION);
    const key = Symbol('page');
    index.made.set(key, 'a title');
    index.apply({ nodes: { fact: [fact('f0')] } });
    expect(index.made.size).toBe(0);
    index.made.set(key, 'a title');
    index.dropRemoved();
    expect(index.made.size).toBe(0);
  });

  it('rejects sections of another dimension, or with one missing', () => {
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
