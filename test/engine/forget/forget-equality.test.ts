import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Mnemis } from '../../../src/engine.ts';
import type { GraphStore } from '../../../src/store/graph-store.ts';
import { InMemoryStore } from '../../../src/store/in-memory/in-memory-store.ts';
import { KuzuStore } from '../../../src/store/kuzu/kuzu-store.ts';
import { freshPath } from '../memory-fixture.ts';
import { differences } from '../rederive/canonical-graph.ts';
import { embedder } from '../rederive/local-memory.ts';
import { type History, histories } from './histories.ts';
import { LivedMemory } from './lived-memory.ts';

/** Other histories each time: MNEMIS_SEED=$RANDOM npx vitest run test/engine/forget/forget-equality.test.ts */
const seed = Number(process.env.MNEMIS_SEED ?? 20_261_121);

/** What a memory is after a history, beside one that never held what it has forgotten. */
async function compare(history: History, store: GraphStore): Promise<string> {
  const [lived, other] = [await LivedMemory.over(store), await LivedMemory.over(new InMemoryStore())];
  await lived.live(history);
  await lived.withoutForgotten(other);
  return differences(await lived.graph(), await other.graph());
}

/** The same in a file; and whether that is sound when its log has been replayed. */
async function compareInFile(history: History): Promise<string> {
  const path = freshPath();
  const store = await KuzuStore.open({ path });
  const difference = await compare(history, store).finally(() => store.close());
  const engine = await Mnemis.open({ path, embedder, automatic: false });
  const { sound, findings } = await engine.verify().finally(() => engine.close());
  return difference + (sound ? '' : JSON.stringify(findings));
}

describe('after forgetting, the base graph is what the turns that are left give (DESIGN §8.1)', () => {
  const holds = (found: (history: History) => Promise<string>, runs: number) =>
    fc.assert(
      fc.asyncProperty(histories, async (history) => {
        expect(await found(history)).toBe('');
      }),
      { numRuns: runs, seed },
    );

  it('in memory', { timeout: 600_000 }, () => holds((history) => compare(history, new InMemoryStore()), 180));
  it('in a file', { timeout: 600_000 }, () => holds(compareInFile, 20));
});
