import { beforeAll, describe, expect, it } from 'vitest';
import { EVERY_RECIPE } from '../../eval/papers/recipes.ts';
import type { MemoryScope } from '../../src/engine/memory-scope.ts';
import { Mnemis } from '../../src/engine.ts';
import { CancelledError } from '../../src/errors/index.ts';

const QUESTION = 'Which cities did Nora see?';

/** A memory with topics, facts and categories, so that every route has input. */
async function filled(engine: Mnemis, scope: string): Promise<MemoryScope> {
  const memory = engine.scope(scope);
  const said = [
    'I saw Oslo in May.',
    'My sister Mel lives in Ghent.',
    'I saw Rome with Mel.',
    'Lima was hot.',
  ];
  await memory.add(
    said.map((content, index) => ({ content, speaker: 'Nora', session: 's', index, at: '2024-05-01' })),
  );
  await memory.flush();
  return memory;
}

/** Routes with loops, or of several steps; the others are quick, and only checked at their end. */
const POLLING: ReadonlySet<string> = new Set(['system2', 'pagerank', 'topics', 'traversal']);

/** A signal that fires when it has been polled this many times. */
function pollable() {
  const stop = new AbortController();
  const { signal } = stop;
  let left = Number.POSITIVE_INFINITY;
  Object.defineProperty(signal, 'aborted', {
    get() {
      if (--left === 0) stop.abort();
      return left <= 0;
    },
  });
  const fireAt = (poll: number) => {
    left = poll;
  };
  return { signal, fireAt };
}

describe.each(EVERY_RECIPE)('$name', (recipe) => {
  let engine: Mnemis;
  let memory: MemoryScope;
  beforeAll(async () => {
    engine = await Mnemis.open({ path: ':memory:' });
    memory = await filled(engine, 'a');
    return () => engine.close();
  });
  /** No route may have failed, with or without results. */
  const search = async (question: string, of = memory) => {
    const result = await of.search(question, { recipe });
    expect(result.routes.map(({ failure }) => failure)).toEqual(result.routes.map(() => null));
    return result;
  };

  it('finds nothing in an empty memory', async () => {
    const { episodes, entities, facts, ranked } = await search(QUESTION, engine.scope('empty'));
    expect([episodes, entities, facts, ranked.episodes]).toEqual([[], [], [], []]);
  });

  it('searches a memory of one turn, consolidated or not', async () => {
    const one = engine.scope('one');
    await one.add({ content: 'Nora saw Oslo.', speaker: 'Nora', at: '2024-05-01' });
    const waiting = await search(QUESTION, one);
    await one.flush();
    const read = await search(QUESTION, one);
    for (const { ranked } of [waiting, read]) expect(ranked.episodes.length).toBeLessThanOrEqual(1);
  });

  it('accepts questions in any script and length, and texts that look like database commands', async () => {
    for (const question of [
      'ノラはどの都市を見ましたか？',
      'Какие города видела Нора?',
      'أي مدن رأت نورا؟',
      "'; DROP TABLE Episode; --",
      'MATCH (n) DETACH DELETE n RETURN n // Nora',
      `${'Which city did Nora see in May? '.repeat(312)}`.slice(0, 10_000),
      '👩‍🚀'.repeat(50),
    ]) {
      const { episodes } = await search(question);
      expect(new Set(episodes.map(({ id }) => id)).size).toBe(episodes.length);
    }
    // No command was executed.
    expect((await memory.stats()).episode).toBe(4);
    expect((await memory.search('Oslo')).episodes[0]?.content).toBe('I saw Oslo in May.');
  });

  it('stops on a cancel before it begins, while a route runs, and before its end', async () => {
    await expect(memory.search(QUESTION, { recipe, signal: AbortSignal.abort() })).rejects.toSatisfy(
      CancelledError.isInstance,
    );
    for (const [place, { route }] of recipe.routes.entries()) {
      const { signal, fireAt } = pollable();
      const run = await memory.retrievalSteps(QUESTION, { recipe, signal, begins: true });
      // The signal is polled twice before a route starts; the third poll is during its work.
      fireAt(3);
      const outcome = run.route(place, { signal });
      if (POLLING.has(route)) await expect(outcome).rejects.toSatisfy(CancelledError.isInstance);
      else {
        await outcome;
        await expect(run.rerank({ signal })).rejects.toSatisfy(CancelledError.isInstance);
      }
    }
    await search(QUESTION);
  });
});
