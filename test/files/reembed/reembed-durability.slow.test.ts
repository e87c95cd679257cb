import { expect, it } from 'vitest';
import { Mnemis, type OpenOptions } from '../../../src/engine.ts';
import { EmbeddingMismatchError } from '../../../src/errors/index.ts';
import { HashingEmbedder } from '../../../src/inference/embedder/hashing-embedder.ts';
import { analyze } from '../../../src/search/analyzer.ts';
import { killProgram } from '../../child-program.ts';
import { freshPath } from '../../engine/memory-fixture.ts';
import { seededRandom } from '../../search/random.ts';
import { allAnswers, manyTurns, repeatable, tell, vectorsIn } from './reembed-fixture.ts';

const KILLS = 10;
const CHILD = new URL('../../fixtures/engine/reembed-memory.ts', import.meta.url).pathname;
const MANY = manyTurns(300);
const DIMENSIONS = [64, 96] as const;

const embedderOf = (dimension: number) => new HashingEmbedder({ analyze, dimension });
const openWith = (path: string, dimension: number, more: Partial<OpenOptions> = {}) =>
  Mnemis.open({ path, embedder: embedderOf(dimension), logger: { warn: () => undefined }, ...more });

/**
 * Lets a process move the memory, kills it a while after it has printed so many lines (the first one says that the
 * file is open, each further one is an event of the move), and gives what it printed.
 */
async function moveUntilKilled(
  path: string,
  { dimension, lines, milliseconds }: { dimension: number; lines: number; milliseconds: number },
): Promise<readonly string[]> {
  const killed = await killProgram(
    CHILD,
    [path, String(dimension)],
    (printed) => printed.length >= lines,
    milliseconds,
  );
  expect(killed.errors).toBe('');
  return killed.lines;
}

/** Opens it with the embedder that it goes by. */
async function openAsItIs(path: string): Promise<{ mnemis: Mnemis; dimension: number }> {
  for (const dimension of DIMENSIONS) {
    const mnemis = await openWith(path, dimension).catch((error: unknown) => {
      if (EmbeddingMismatchError.isInstance(error)) return null;
      throw error;
    });
    if (mnemis !== null) return { mnemis, dimension };
  }
  throw new Error('the memory goes by neither embedder');
}

async function answersWith(dimension: number) {
  const mnemis = await openWith(':memory:', dimension, repeatable());
  await tell(mnemis, MANY);
  const answers = await allAnswers(mnemis);
  const { embedding } = await mnemis.scope('a').stats();
  await mnemis.close();
  return { answers, embedding };
}

it('answers with the old or the new vectors when it is killed at any point, and continues from there', {
  timeout: 240_000,
}, async () => {
  const path = freshPath();
  const wanted = new Map<number, Awaited<ReturnType<typeof answersWith>>>();
  for (const dimension of DIMENSIONS) wanted.set(dimension, await answersWith(dimension));
  const first = await openWith(path, DIMENSIONS[0], repeatable());
  await tell(first, MANY);
  await first.close();
  const random = seededRandom(3);
  const seen = { before: 0, partly: 0, moved: 0 };
  let reported = 0;
  let inUse: number = DIMENSIONS[0];
  for (let kill = 0; kill < KILLS; kill++) {
    const target = DIMENSIONS.find((dimension) => dimension !== inUse)!;
    const lines = await moveUntilKilled(path, {
      dimension: target,
      lines: 1 + Math.floor(random() * 7),
      milliseconds: random() * 60,
    });
    const done = Math.max(0, ...lines.map(Number).filter(Number.isFinite));
    const { mnemis, dimension } = await openAsItIs(path);
    expect(await allAnswers(mnemis)).toEqual(wanted.get(dimension)!.answers);
    await mnemis.close();
    if (lines.includes('switched')) expect(dimension).toBe(target);
    const vectors = (await vectorsIn(path))[`hashing-v1@${target}`] ?? 0;
    expect(vectors).toBeGreaterThanOrEqual(done); // what was reported is there
    if (dimension === target) seen.moved++;
    else seen[vectors > 0 ? 'partly' : 'before']++;
    reported = Math.max(reported, done);
    inUse = dimension;
  }
  expect(seen.partly).toBeGreaterThan(0);
  expect(seen.moved).toBeGreaterThan(0);
  expect(reported).toBeGreaterThan(0);
  const last = await openAsItIs(path);
  await last.mnemis.reembed({ embedder: embedderOf(32) });
  const { embedding } = await last.mnemis.scope('a').stats();
  expect(await allAnswers(last.mnemis)).toEqual((await answersWith(32)).answers);
  await last.mnemis.close();
  expect(Object.keys(await vectorsIn(path))).toEqual(['hashing-v1@32']);
  expect(embedding).toBeGreaterThanOrEqual(wanted.get(64)!.embedding);
});
