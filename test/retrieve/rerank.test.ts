import { beforeAll, describe, expect, it } from 'vitest';
import { Mnemis } from '../../src/engine.ts';
import { ModelFaultError } from '../../src/errors/index.ts';
import type { Reranker } from '../../src/inference/reranker.ts';
import type { RetrievedItem } from '../../src/model/retrieved-item.ts';
import { type Recipe, recipe } from '../../src/retrieve/recipes/recipe.ts';
import { rerankedText } from '../../src/retrieve/rerank.ts';
import { SYSTEM1 } from '../../src/retrieve/similarity/defaults.ts';

/** Prefers long texts: an order that no route gives. */
class LengthReranker implements Reranker {
  readonly model = 'length';
  readonly read: string[][] = [];
  readonly #failure: Error | undefined;

  constructor(failure?: Error) {
    this.#failure = failure;
  }

  async rerank(_: string, documents: readonly string[]): Promise<number[]> {
    if (this.#failure !== undefined) throw this.#failure;
    this.read.push([...documents]);
    return documents.map((text) => text.length / 1_000);
  }
}

const RERANKED: Recipe = recipe('mine', 'system1, reranked', { routes: [SYSTEM1], rerank: 4 });
const CATS = [
  'A cat.',
  'My cat is grey.',
  'The cat of my aunt sleeps all day long.',
  'Cat, cat, cat.',
  'Cats!',
];

async function memoryWith(reranker?: Reranker) {
  const engine = await Mnemis.open({ path: ':memory:', ...(reranker && { reranker }) });
  const memory = engine.scope('a');
  await memory.add(
    CATS.map((content, index) => ({ content, speaker: 'Ann', session: 's', index, at: '2024-01-01' })),
  );
  await memory.flush();
  return memory;
}

const lengthOf = (item: RetrievedItem) => rerankedText(item).length;
const descending = (values: readonly number[]) => values.toSorted((a, b) => b - a);

/** Never returns, and ignores the signal. */
const SILENT: Reranker = { model: 'silent', rerank: () => new Promise<never>(() => undefined) };

describe('a reranker that does not return', () => {
  it('is abandoned at its time limit, with the order unchanged', async () => {
    const memory = await memoryWith(SILENT);
    const { episodes, reranked } = await memory.search('cat', { recipe: RERANKED, routeMilliseconds: 400 });
    expect(episodes.length).toBeGreaterThan(0);
    expect(reranked.episode).toMatchObject({ model: 'silent', failure: 'route-late' });
  });

  it('does not delay a cancel', async () => {
    const memory = await memoryWith(SILENT);
    const stop = new AbortController();
    const { signal } = stop;
    const run = await memory.retrievalSteps('cat', { recipe: RERANKED, signal, begins: true });
    await run.fuse({ signal });
    const end = run.rerank({ signal });
    stop.abort();
    await expect(end).rejects.toMatchObject({ code: 'cancelled' });
    await expect(run.rerank({ signal })).rejects.toMatchObject({ code: 'cancelled' });
  });
});

describe('reranking', () => {
  let plain: Awaited<ReturnType<typeof memoryWith>>;
  beforeAll(async () => {
    plain = await memoryWith();
  });

  it('adds the reranker’s score to the sum of each candidate, kind by kind, and reports it', async () => {
    const reranker = new LengthReranker();
    const memory = await memoryWith(reranker);
    const { episodes, facts, entities, reranked, ranked } = await memory.search('cat', {
      recipe: RERANKED,
      k: 3,
    });
    const before = await plain.search('cat', { recipe: RERANKED, k: 4 });
    const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
    const sumOf = ({ why }: RetrievedItem) => why.find(({ route }) => route === 'system1')!.score;
    const [sums, texts] = [before.episodes.map(sumOf), before.episodes.map(lengthOf)];
    const expected = new Map(
      before.episodes.map((item, at) => [lengthOf(item), sums[at]! / mean(sums) + texts[at]! / mean(texts)]),
    );
    for (const item of episodes) expect(item.score).toBeCloseTo(expected.get(lengthOf(item))!, 5);
    for (const items of [episodes, facts, entities])
      expect(items.map(({ score }) => score)).toEqual(descending(items.map(({ score }) => score)));
    expect(episodes).toHaveLength(3);
    const [longest] = descending(texts);
    expect(episodes.find((item) => lengthOf(item) === longest)!.why[0]).toEqual({
      ...{ route: 'rerank', list: 'length', rank: 1, score: longest! / 1_000 },
    });
    expect(episodes.map(({ rank }) => rank)).toEqual([1, 2, 3]);
    expect(reranked.episode).toMatchObject({ model: 'length', candidates: 4, failure: null });
    // Unread candidates stay behind; none is lost or duplicated.
    expect(ranked.episodes.slice(0, 3).map(({ id }) => id)).toEqual(episodes.map(({ id }) => id));
    expect(new Set(ranked.episodes.map(({ id }) => id)).size).toBe(CATS.length);
    expect(ranked.episodes).toHaveLength(CATS.length);
    // Each kind separately.
    expect(reranker.read[0]!.every((text) => text.startsWith('Ann: '))).toBe(true);
  });

  it('keeps the fused order without a reranker, and if the recipe has none', async () => {
    const without = await plain.search('cat', { recipe: RERANKED });
    const system1 = await plain.search('cat', { recipe: 'system1' });
    expect(without.reranked).toEqual({ episode: null, entity: null, fact: null });
    expect(without.episodes.map(({ id }) => id)).toEqual(system1.episodes.map(({ id }) => id));
    const reranker = new LengthReranker();
    await (await memoryWith(reranker)).search('cat', { recipe: 'system1' });
    expect(reranker.read).toEqual([]);
  });

  it('keeps the fused order if the reranker fails, and reports it', async () => {
    const memory = await memoryWith(new LengthReranker(new ModelFaultError('length', 'it broke')));
    const { episodes, reranked } = await memory.search('cat', { recipe: RERANKED });
    const fused = await plain.search('cat', { recipe: RERANKED });
    expect(episodes.map(({ content }) => content)).toEqual(fused.episodes.map(({ content }) => content));
    expect(reranked.episode).toMatchObject({ failure: 'model-fault' });
  });
});
