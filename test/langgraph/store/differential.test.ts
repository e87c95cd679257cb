import { Embeddings } from '@langchain/core/embeddings';
import { type BaseStore, InMemoryStore, type Item, type Operation } from '@langchain/langgraph-checkpoint';
import { expect, it } from 'vitest';
import { randomNumbers } from '../../../bench/synthetic-turns.ts';
import { HashingEmbedder } from '../../../src/inference/embedder/hashing-embedder.ts';
import { MnemisStore } from '../../../src/langgraph/store/mnemis-store.ts';
import { analyze } from '../../../src/search/analyzer.ts';
import { open } from '../../engine/memory-fixture.ts';
import { inTier } from '../../tier.ts';

const OPERATIONS = inTier({ fast: 400, slow: 12_000 });
const LABELS = ['a', 'b', 'c'];
const KEYS = ['k0', 'k1', 'k2', 'k3', 'k4'];
const CITIES = ['Oslo', 'Bergen', 'Turin'];
/** In every namespace and never deleted: the in-memory store also lists namespaces that were emptied. */
const PINNED = 'pinned';

const embedder = new HashingEmbedder({ analyze });
class Hashed extends Embeddings {
  constructor() {
    super({});
  }

  async embedDocuments(texts: string[]) {
    return (await embedder.embed(texts, { as: 'passage' })).map((vector) => [...vector]);
  }

  async embedQuery(text: string) {
    return (await this.embedDocuments([text]))[0]!;
  }
}

/** Operations for which the documents promise no difference; labels have one length, as the store joins them. */
class RandomOperations {
  readonly #random: () => number;
  readonly #used = new Set<string>();

  constructor(seed: number) {
    this.#random = randomNumbers(seed);
  }

  next(): Operation[] {
    const share = this.#random();
    if (share < 0.4) return [this.#write(this.#one(KEYS))];
    if (share < 0.5) return KEYS.filter(() => this.#random() < 0.5).map((key) => this.#write(key));
    if (share < 0.6) return [{ namespace: this.#namespace(), key: this.#one([...KEYS, PINNED]) }];
    if (share < 0.7) return [this.#listing()];
    return [this.#search()];
  }

  #write(key: string): Operation {
    const namespace = this.#namespace();
    const name = namespace.join('/');
    if (!this.#used.has(name)) {
      this.#used.add(name);
      return { namespace, key: PINNED, value: this.#value() };
    }
    return { namespace, key, value: this.#random() < 0.3 ? null : this.#value() };
  }

  #value() {
    const tags = CITIES.filter(() => this.#random() < 0.4);
    const age = Math.floor(this.#random() * 50);
    const city = this.#one(CITIES);
    return this.#random() < 0.3 ? { city, tags, deep: { age: [age, null] } } : { city, age, tags };
  }

  #search(): Operation {
    const age = Math.floor(this.#random() * 50);
    const filter = this.#one([
      undefined,
      { city: this.#one(CITIES) },
      { city: { $ne: this.#one(CITIES) } },
      { age: { $gte: age, $lt: age + 20 } },
      { age: { $gt: age }, city: { $eq: this.#one(CITIES) } },
      { city: { $in: ['Oslo', 'Turin'] }, age: { $lte: age } },
      { city: { $nin: ['Oslo'] } },
    ]);
    const namespacePrefix = this.#namespace().slice(0, Math.floor(this.#random() * 4));
    const isLeaf = namespacePrefix.length === 3;
    // The order of several namespaces differs, so that only pages of one are the same.
    const page = isLeaf ? { limit: 1 + Math.floor(age / 10), offset: age % 4 } : { limit: 1_000, offset: 0 };
    const search = { namespacePrefix, ...page, ...(filter === undefined ? {} : { filter }) };
    return this.#random() < 0.1 ? { ...search, limit: 1_000, offset: 0, query: this.#one(CITIES) } : search;
  }

  #listing(): Operation {
    const path = this.#namespace().map((label) => (this.#random() < 0.3 ? '*' : label));
    const matchType = this.#one(['prefix', 'suffix'] as const);
    const conditions = this.#random() < 0.5 ? [{ matchType, path }] : [];
    const depth = this.#one([{}, { maxDepth: 1 }, { maxDepth: 2 }]);
    return { matchConditions: conditions, ...depth, limit: this.#one([2, 100]), offset: this.#one([0, 1]) };
  }

  #namespace(): string[] {
    return Array.from({ length: this.#one([1, 2, 3, 3]) }, () => this.#one(LABELS));
  }

  #one<T>(choices: readonly T[]): T {
    return choices[Math.floor(this.#random() * choices.length)]!;
  }
}

/** What both stores promise of the results: of several namespaces, and of ranked items, not their order. */
async function resultsOf(store: BaseStore, operations: Operation[]): Promise<unknown> {
  const results = (await store.batch(operations)) as unknown[];
  return results.map((result, at) => {
    const operation = operations[at]!;
    const told = JSON.parse(JSON.stringify(result ?? null), (key, value) =>
      ['createdAt', 'updatedAt', 'score'].includes(key) ? undefined : value,
    );
    const isOrdered =
      !('namespacePrefix' in operation) ||
      (operation.namespacePrefix.length === 3 && operation.query === undefined);
    return isOrdered
      ? told
      : told.map(({ namespace, key, value }: Item) => JSON.stringify([namespace, key, value])).sort();
  });
}

it(`answers ${OPERATIONS} random operations as the in-memory store of LangGraph does`, async () => {
  await using engine = await open(':memory:', { embedder, automatic: false });
  const store = new MnemisStore({ memory: engine.scope('one') });
  const reference = new InMemoryStore({ index: { dims: 256, embeddings: new Hashed() } });
  const operations = new RandomOperations(26);
  for (let done = 0; done < OPERATIONS; ) {
    const batch = operations.next();
    expect(await resultsOf(store, batch), JSON.stringify(batch)).toEqual(await resultsOf(reference, batch));
    done += batch.length;
  }
  expect((await store.search([], { limit: 1_000 })).length).toBeGreaterThan(50);
});
