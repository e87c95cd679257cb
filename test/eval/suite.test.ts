import { describe, expect, it } from 'vitest';
import type { EvaluationCase, EvaluationDataset } from '../../eval/datasets/dataset.ts';
import { runSuite, type SuiteEmbedder } from '../../eval/suite.ts';
import { Mnemis } from '../../src/engine.ts';
import { CancelledError } from '../../src/errors/index.ts';
import { HashingEmbedder } from '../../src/inference/embedder/hashing-embedder.ts';
import { recipeNamed } from '../../src/retrieve/recipes/recipes.ts';
import { analyze } from '../../src/search/analyzer.ts';

const THINGS = 'kiln boat tortoise umbrella violin ladder compass lantern saddle anchor teapot pillow'.split(
  ' ',
);

/** A session of two turns about each thing, and a question about some of them. */
function conversation(scope: string, asked: readonly string[], things = THINGS): EvaluationCase {
  const turns = things.flatMap((thing, at) => {
    const given = { session: `${thing} day`, source: 'test', at: new Date(Date.UTC(2024, 0, at + 1)) };
    return [`I bought a ${thing}.`, 'How nice.'].map((content, index) => ({
      ...{ ...given, content, index, speaker: index === 0 ? 'Ana' : 'Ben' },
      sourceId: `${scope}/${thing}${index}`,
    }));
  });
  const questions = asked.map((thing) => ({
    ...{ id: `${scope}/${thing}`, text: `When did she buy the ${thing}?`, category: '1', answer: null },
    evidenceTurns: things.includes(thing) ? [`${scope}/${thing}0`] : [],
    evidenceSessions: [`${thing} day`],
  }));
  return { scope, turns, facts: [], questions };
}

const dataset = (name: string, cases: EvaluationCase[]): EvaluationDataset => ({ name, cases, rejected: [] });

const LONG = dataset('long', [
  conversation('a', ['kiln', 'boat', 'submarine']),
  conversation('b', ['violin']),
]);
const SHORT = dataset('short', [conversation('c', ['kiln'], ['kiln', 'boat'])]);
const recipes = ['system1', 'system1-lexical'].map(recipeNamed);

function embedderOf(name: string, dimension: number): SuiteEmbedder & { opened: number } {
  const embedder = new HashingEmbedder({ dimension, analyze });
  const each = {
    ...{ name, embedder, opened: 0 },
    open: async () => {
      each.opened += 1;
      const engine = await Mnemis.open({ path: ':memory:', automatic: false, embedder });
      return { engine, close: () => engine.close() };
    },
  };
  return each;
}

describe('suite', () => {
  it('has a row for each embedder and ranking, BM25 once, on one memory for each data set and embedder', async () => {
    const embedders = [embedderOf('wide', 256), embedderOf('narrow', 32)];
    const seen: string[] = [];
    const onProgress = (done: number, total: number, what: string) => seen.push(`${done}/${total} ${what}`);
    const sets = await runSuite({ datasets: [LONG, SHORT], embedders, recipes, onProgress });
    expect(sets.map(({ name, turns, questions, resampled }) => [name, turns, questions, resampled])).toEqual([
      ['long', 48, 3, 'conversations'],
      ['short', 4, 1, 'questions'],
    ]);
    for (const { rows } of sets)
      expect(rows.map(({ embedder, ranking }) => [embedder, ranking])).toEqual([
        [null, 'BM25'],
        ['wide', 'cosine'],
        ['wide', 'BM25 + cosine'],
        ['wide', 'system1'],
        ['wide', 'system1-lexical'],
        ['narrow', 'cosine'],
        ['narrow', 'BM25 + cosine'],
        ['narrow', 'system1'],
        ['narrow', 'system1-lexical'],
      ]);
    expect(embedders.map(({ opened }) => opened)).toEqual([2, 2]);
    expect(seen).toEqual([
      '0/104 long, wide, a',
      '24/104 long, wide, b',
      '48/104 long, narrow, a',
      '72/104 long, narrow, b',
      '96/104 short, wide, c',
      '100/104 short, narrow, c',
    ]);
  });

  it('reports recall of the questions with evidence, of sessions only where ten of them say something', async () => {
    const [long, short] = await runSuite({
      ...{ datasets: [LONG, SHORT], embedders: [embedderOf('wide', 256)], recipes },
    });
    const all = { mean: 100, low: 100, high: 100 };
    const row = (rows: (typeof long & object)['rows'], name: string) =>
      rows.find(({ ranking }) => ranking === name);
    for (const name of ['BM25', 'system1-lexical'])
      expect(row(long!.rows, name)).toMatchObject({
        turnRecall: { '3': all, '5': all, '10': all },
        sessionRecall: { '10': all },
        search: { p50Ms: expect.any(Number) },
      });
    expect(row(short!.rows, 'system1')).toMatchObject({
      turnRecall: { '10': all },
      sessionRecall: { '10': null },
    });
  });

  it('closes its memory when it is cancelled', async () => {
    const controller = new AbortController();
    const each = embedderOf('wide', 64);
    let closed = 0;
    const open = async () => {
      const { engine, close } = await each.open();
      return { engine, close: () => close().finally(() => closed++) };
    };
    const run = runSuite({
      ...{ datasets: [LONG], embedders: [{ ...each, open }], recipes, signal: controller.signal },
      onProgress: () => controller.abort(),
    });
    await expect(run).rejects.toSatisfy(CancelledError.isInstance);
    expect(closed).toBe(1);
  });
});
