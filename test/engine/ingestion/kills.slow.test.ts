import { expect, it } from 'vitest';
import type { MemoryScope } from '../../../src/engine/memory-scope.ts';
import { Mnemis } from '../../../src/engine.ts';
import { HashingEmbedder } from '../../../src/inference/embedder/hashing-embedder.ts';
import { analyze } from '../../../src/search/analyzer.ts';
import { killProgram } from '../../child-program.ts';
import { numberedTurns } from '../../fixtures/engine/numbered-turns.ts';
import { seededRandom } from '../../search/random.ts';
import { freshPath, type Graph, graphOf } from '../memory-fixture.ts';
import { expectConsistent } from './invariants.ts';
import { memoryOver, watchedStore } from './memory-over.ts';

const TRIALS = 20;
const CHILD = new URL('../../fixtures/engine/ingestion-loop.ts', import.meta.url).pathname;

interface Trial {
  /** Number of the first new turn. */
  readonly first: number;
  readonly tier: 'local' | 'model';
  /** Of one flush, as far as earlier trials tell. */
  readonly milliseconds: number;
}

/** Lets a process add and flush, kills it a while after a flush has begun, and gives how many turns it acknowledged. */
async function flushUntilKilled(path: string, { first, tier, milliseconds }: Trial): Promise<number> {
  const { lines, errors, signal } = await killProgram(
    CHILD,
    [path, String(first), tier],
    (printed) => printed.includes('flushing'),
    milliseconds,
  );
  expect([signal, errors]).toEqual(['SIGKILL', '']);
  const counts = lines.flatMap((line) => /^added \d+ (\d+)$/.exec(line)?.[1] ?? []);
  return counts.reduce((sum, count) => sum + Number(count), 0);
}

async function withMemory<T>(path: string, job: (memory: MemoryScope) => Promise<T>): Promise<T> {
  const embedder = new HashingEmbedder({ analyze, dimension: 64 });
  const mnemis = await Mnemis.open({ path, embedder, automatic: false });
  try {
    return await job(mnemis.scope('a'));
  } finally {
    await mnemis.close();
  }
}

const turnNumbers = (graph: Graph) =>
  graph.nodes.episode.map(({ sourceId }) => Number(sourceId)).toSorted((a, b) => a - b);

const statements = (graph: Graph) =>
  graph.nodes.fact
    .filter(({ expiredAt }) => expiredAt === null)
    .map(({ statement }) => statement)
    .toSorted();

it(`keeps every acknowledged turn and no half of a batch, in ${TRIALS} kills`, async () => {
  const path = freshPath();
  const random = seededRandom(20);
  let stored = 0;
  let inMidWork = 0;
  for (let trial = 0; trial < TRIALS; trial++) {
    const tier = trial % 5 === 4 ? 'model' : 'local';
    const acknowledged = await flushUntilKilled(path, {
      first: stored,
      tier,
      milliseconds: random() * (tier === 'model' ? 1_500 : 700),
    });
    await withMemory(path, async (memory) => {
      const graph = await graphOf(memory);
      expectConsistent(graph);
      const numbers = turnNumbers(graph);
      // Each once and in a row: what was acknowledged, and at most one call whose acknowledgement was cut off.
      expect(numbers).toEqual(numbers.map((_, at) => at));
      expect(numbers.length).toBeGreaterThanOrEqual(stored + acknowledged);
      expect(numbers.length).toBeLessThanOrEqual(stored + acknowledged + 40);
      stored = numbers.length;
      const waiting = graph.nodes.episode.filter(({ status }) => status === 'stored').length;
      expect((await memory.stats()).enrichment).toMatchObject({ pending: waiting, setAside: 0 });
      if (waiting > 0 && waiting < stored) inMidWork++;
      // Now and then the rest is done here, else the next process finds it.
      if (trial % 4 !== 3) return;
      expect((await memory.flush()).counts.consolidated).toBe(waiting);
      expectConsistent(await graphOf(memory));
    });
  }
  expect(inMidWork).toBeGreaterThan(TRIALS / 4);
  const disturbed = await withMemory(path, async (memory) => {
    await memory.flush();
    return graphOf(memory);
  });
  expectConsistent(disturbed);
  expect(disturbed.nodes.episode.every(({ status }) => status === 'extracted')).toBe(true);
  const { memory } = await memoryOver(watchedStore().store);
  await memory.add(numberedTurns(0, stored));
  await memory.flush();
  expect(statements(disturbed)).toEqual(statements(await graphOf(memory)));
});
