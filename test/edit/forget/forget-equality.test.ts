import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InMemoryStore } from '../../../src/store/in-memory/in-memory-store.ts';
import { inTier } from '../../tier.ts';
import { checkHistory, checkHistoryInFile, checkScopedHistory } from './check-history.ts';
import { histories, scopedHistories } from './histories.ts';

/** Other histories each time: MNEMIS_SEED=$RANDOM npx vitest run test/edit/forget/forget-equality.test.ts */
const seed = Number(process.env.MNEMIS_SEED ?? 20_261_121);

describe('after forgetting, the base graph equals one built from the remaining turns (docs/design.md, "Forgetting")', () => {
  const holds = <History>(
    all: fc.Arbitrary<History>,
    found: (history: History) => Promise<string>,
    runs: number,
  ) =>
    fc.assert(
      fc.asyncProperty(all, async (history) => {
        expect(await found(history)).toBe('');
      }),
      { numRuns: runs, seed },
    );

  it('in memory', { timeout: 600_000 }, () =>
    holds(
      histories,
      (history) => checkHistory(history, new InMemoryStore()),
      inTier({ fast: 8, slow: 90, long: 400 }),
    ),
  );
  it('in a file', { timeout: 600_000 }, () =>
    holds(histories, checkHistoryInFile, inTier({ fast: 1, slow: 8, long: 40 })),
  );
  it(
    'with several speakers, quotations and namesakes in two scopes, usable after each step',
    {
      timeout: 900_000,
    },
    () =>
      holds(
        scopedHistories({ scopes: 2, steps: 16 }),
        (history) => checkScopedHistory(history, new InMemoryStore()),
        inTier({ fast: 5, slow: 60, long: 400 }),
      ),
  );
  it('over 100 steps in 20 scopes', { timeout: 900_000 }, () =>
    holds(
      scopedHistories({ scopes: 20, steps: 100 }),
      (history) => checkScopedHistory(history, new InMemoryStore()),
      inTier({ fast: 1, slow: 2, long: 20 }),
    ),
  );
});
