import { KnownIndexes, type MemoryView } from '../../../src/engine/past/known-indexes.ts';
import { EmbeddingSwitch } from '../../../src/inference/embedder/embedding-switch.ts';
import { HashingEmbedder } from '../../../src/inference/embedder/hashing-embedder.ts';
import { graphSource } from '../../../src/ingest/graph-source.ts';
import { embedNodes } from '../../../src/ingest/write/embed-nodes.ts';
import type { GraphChanges } from '../../../src/model/graph-changes.ts';
import type { Recipe } from '../../../src/retrieve/recipes/recipe.ts';
import { recipeFrom } from '../../../src/retrieve/recipes/recipes.ts';
import { analyze } from '../../../src/search/analyzer.ts';
import { type LookBackOptions, readLookBack } from '../../../src/search/look-back.ts';
import { ScopeIndex } from '../../../src/search/scope-index.ts';
import type { GraphStore } from '../../../src/store/graph-store.ts';
import { InMemoryStore } from '../../../src/store/in-memory/in-memory-store.ts';
import { edge, entity, episode, fact, profile, scopeOf } from '../../contract/graph-rows.ts';
import { askMemory, searchMemory } from '../../engine/ask-memory.ts';

/** Milliseconds of a day. */
export const day = (text: string): number => Date.parse(`${text}T00:00:00Z`);

const DIMENSION = 64;
const embedder = new HashingEmbedder({ dimension: DIMENSION, analyze });
const model = new EmbeddingSwitch({ embedder, comparesVectors: true });

interface Asked extends LookBackOptions {
  readonly recipe?: string | Recipe;
  readonly k?: number;
}

/** A memory whose rows are written by hand, asked as the engine asks. */
export class HandMade {
  readonly store: GraphStore;
  readonly scope;
  readonly known: KnownIndexes;
  clock = day('2026-01-01');
  #ids = 0;

  constructor(name = 'a', store: GraphStore = new InMemoryStore()) {
    this.store = store;
    this.scope = scopeOf(name);
    this.known = new KnownIndexes(this.scope, { store, embedding: model });
  }

  get context() {
    return { store: this.store, scope: this.scope, clock: () => this.clock };
  }

  /** With the vectors of the texts. */
  async commit(changes: GraphChanges): Promise<void> {
    const newId = () => `${this.scope} vector ${++this.#ids}`;
    const embedding = await embedNodes({ embedder, newId }, changes.nodes ?? {}, undefined);
    const { fingerprint } = this.store.describe();
    if (fingerprint === null) await this.store.setFingerprint(embedder.fingerprint);
    await this.store.commit(this.scope, { ...changes, nodes: { ...changes.nodes, embedding } });
  }

  async index(): Promise<ScopeIndex> {
    return ScopeIndex.load(DIMENSION, graphSource(this.store, this.scope, model.current));
  }

  async view({ knownAt }: LookBackOptions = {}): Promise<MemoryView> {
    const at = readLookBack({ knownAt }).knownAt;
    if (at !== null) return this.known.load(at);
    return { scope: this.scope, index: await this.index(), store: this.store, embedder };
  }

  async search(query: string, asked: Asked = {}) {
    return searchMemory(await this.view(asked), query, this.#settings(asked));
  }

  async ask(query: string, asked: Asked = {}) {
    return askMemory(await this.view(asked), query, this.#settings(asked));
  }

  #settings({ recipe = 'system1', k = 10, ...times }: Asked) {
    return { recipe: recipeFrom(recipe), k, times: readLookBack(times), clock: () => this.clock };
  }
}

/** When memory learned of each part of Nora's story; all of it long after it was so. */
export const HEARD = {
  oslo: day('2018-03-02'),
  work: day('2019-02-02'),
  antwerp: day('2020-06-02'),
  cat: day('2021-01-02'),
  ghent: day('2023-05-04'),
  corrected: day('2024-01-02'),
};

const about = (id: string, ...entities: string[]) =>
  entities.map((to) => edge('ABOUT', id, to, { role: 'participant' }));

/**
 * Nora lives in Oslo from March 2018, in Antwerp from June 2020, in Ghent from May 2023. Her cat is first called Milo,
 * by mistake.
 */
export async function noraStory(memory = new HandMade()): Promise<HandMade> {
  const said = (id: string, at: string, heard: number, content: string) =>
    episode(id, {
      content,
      speaker: 'Nora',
      session: id,
      index: 0,
      validAt: day(at),
      createdAt: heard,
      status: 'extracted',
    });
  const told = (id: string, at: string, heard: number, statement: string) =>
    fact(id, { statement, validAt: day(at), createdAt: heard });
  const called = (id: string, owner: string, createdAt: number, name: string, summary: string) =>
    profile(id, { owner: owner as never, name, aliases: [], summary, tags: ['place'], createdAt });

  await memory.commit({
    nodes: {
      episode: [said('t1', '2018-03-01', HEARD.oslo, 'I live in Oslo now.')],
      entity: [entity('nora', { createdAt: HEARD.oslo }), entity('oslo', { createdAt: HEARD.oslo })],
      fact: [told('f1', '2018-03-01', HEARD.oslo, 'Nora lives in Oslo')],
      profile: [
        { ...called('p1', 'nora', HEARD.oslo, 'Nora', 'Nora lives in Oslo.'), tags: ['person'] },
        called('p-oslo', 'oslo', HEARD.oslo, 'Oslo', 'Nora lives in Oslo.'),
      ],
    },
    relationships: [
      edge('MENTIONS', 't1', 'nora'),
      edge('MENTIONS', 't1', 'oslo'),
      edge('EVIDENCED_BY', 'f1', 't1'),
      ...about('f1', 'nora', 'oslo'),
    ],
  });
  await memory.commit({
    nodes: {
      episode: [said('t2', '2019-02-01', HEARD.work, 'I work at the library. I live close by.')],
      fact: [
        told('f-work', '2019-02-01', HEARD.work, 'Nora works at the library'),
        told('f-near', '2019-02-01', HEARD.work, 'Nora lives close by the library'),
      ],
    },
    relationships: [
      edge('MENTIONS', 't2', 'nora'),
      edge('EVIDENCED_BY', 'f-work', 't2'),
      edge('EVIDENCED_BY', 'f-near', 't2'),
      ...about('f-work', 'nora'),
      ...about('f-near', 'nora'),
    ],
  });
  await memory.commit({
    nodes: {
      episode: [said('t3', '2020-06-01', HEARD.antwerp, 'I live in Antwerp now.')],
      entity: [entity('antwerp', { createdAt: HEARD.antwerp })],
      fact: [told('f2', '2020-06-01', HEARD.antwerp, 'Nora lives in Antwerp')],
      profile: [called('p-antwerp', 'antwerp', HEARD.antwerp, 'Antwerp', 'Nora lives in Antwerp.')],
    },
    relationships: [
      edge('MENTIONS', 't3', 'nora'),
      edge('MENTIONS', 't3', 'antwerp'),
      edge('EVIDENCED_BY', 'f2', 't3'),
      edge('SUPERSEDES', 'f2', 'f1'),
      edge('SUPERSEDES', 'f2', 'f-near'),
      ...about('f2', 'nora', 'antwerp'),
    ],
    updates: ['f1', 'f-near'].map((id) => ({ kind: 'fact', id, set: { invalidAt: day('2020-06-01') } })),
  });
  await memory.commit({
    nodes: {
      episode: [said('t4', '2021-01-01', HEARD.cat, 'The cat is called Milo.')],
      fact: [told('f-milo', '2021-01-01', HEARD.cat, 'The cat of Nora is called Milo')],
    },
    relationships: [
      edge('MENTIONS', 't4', 'nora'),
      edge('EVIDENCED_BY', 'f-milo', 't4'),
      ...about('f-milo', 'nora'),
    ],
  });
  await memory.commit({
    nodes: {
      episode: [said('t5', '2023-05-03', HEARD.ghent, 'I live in Ghent now.')],
      entity: [entity('ghent', { createdAt: HEARD.ghent })],
      fact: [told('f3', '2023-05-03', HEARD.ghent, 'Nora lives in Ghent')],
      profile: [
        { ...called('p2', 'nora', HEARD.ghent, 'Nora', 'Nora lives in Ghent.'), tags: ['person'] },
        called('p-ghent', 'ghent', HEARD.ghent, 'Ghent', 'Nora lives in Ghent.'),
      ],
    },
    relationships: [
      edge('MENTIONS', 't5', 'nora'),
      edge('MENTIONS', 't5', 'ghent'),
      edge('EVIDENCED_BY', 'f3', 't5'),
      edge('SUPERSEDES', 'f3', 'f2'),
      ...about('f3', 'nora', 'ghent'),
    ],
    updates: [
      { kind: 'fact', id: 'f2', set: { invalidAt: day('2023-05-03') } },
      { kind: 'profile', id: 'p1', set: { expiredAt: HEARD.ghent } },
    ],
  });
  await memory.commit({
    nodes: {
      episode: [said('t6', '2024-01-01', HEARD.corrected, 'No, the cat is called Mila.')],
      fact: [told('f-mila', '2024-01-01', HEARD.corrected, 'The cat of Nora is called Mila')],
    },
    relationships: [
      edge('MENTIONS', 't6', 'nora'),
      edge('EVIDENCED_BY', 'f-mila', 't6'),
      edge('SUPERSEDES', 'f-mila', 'f-milo'),
      ...about('f-mila', 'nora'),
    ],
    updates: [
      { kind: 'fact', id: 'f-milo', set: { invalidAt: day('2021-01-01'), expiredAt: HEARD.corrected } },
    ],
  });
  return memory;
}
