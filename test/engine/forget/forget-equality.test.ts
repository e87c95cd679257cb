import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { GraphStore } from '../../../src/store/graph-store.ts';
import { InMemoryStore } from '../../../src/store/in-memory/in-memory-store.ts';
import { KuzuStore } from '../../../src/store/kuzu/kuzu-store.ts';
import { freshPath } from '../memory-fixture.ts';
import { differences } from '../rederive/canonical-graph.ts';
import { type History, histories } from './histories.ts';
import { LivedMemory } from './lived-memory.ts';

/** Other histories each time: MNEMIS_SEED=$RANDOM npx vitest run test/engine/forget/forget-equality.test.ts */
const seed = Number(process.env.MNEMIS_SEED ?? 20_261_121);

/** What a memory is after a history, beside one that never held what it has forgotten. */
async function compare(history: History, open: () => Promise<GraphStore>): Promise<string> {
  const [store, fresh] = [await open(), new InMemoryStore()];
  try {
    const [lived, other] = [await LivedMemory.over(store), await LivedMemory.over(fresh)];
    await lived.live(history);
    await lived.withoutForgotten(other);
    return differences(await lived.graph(), await other.graph());
  } finally {
    await store.close();
  }
}

describe('after forgetting, the base graph is what the turns that are left give (DESIGN §8.1)', () => {
  const holds = (open: () => Promise<GraphStore>, runs: number) =>
    fc.assert(
      fc.asyncProperty(histories, async (history) => {
        expect(await compare(history, open)).toBe('');
      }),
      { numRuns: runs, seed, endOnFailure: false },
    );

  it('in memory', { timeout: 600_000 }, () => holds(async () => new InMemoryStore(), 180));
  it('in a file', { timeout: 600_000 }, () => holds(() => KuzuStore.open({ path: freshPath() }), 20));
});
