import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InMemoryStore } from '../../../src/store/in-memory/in-memory-store.ts';
import { inTier } from '../../tier.ts';
import { checkHistory, checkHistoryInFile, checkScopedHistory } from './check-history.ts';
import { type History, histories, scopedHistories } from './histories.ts';

/** Other histories each time: MNEMIS_SEED=$RANDOM npx vitest run test/edit/forget/forget-equality.test.ts */
const seed = Number(process.env.MNEMIS_SEED ?? 20_261_121);

describe('after forgetting, the base graph equals one built from the remaining turns (docs/design.md, "Forgetting")', () => {
  const holds = <Lived>(all: fc.Arbitrary<Lived>, found: (history: Lived) => Promise<string>, runs: number) =>
    fc.assert(
      fc.asyncProperty(all, async (history) => {
        expect(await found(history)).toBe('');
      }),
      { numRuns: runs, seed },
    );

  it('in memory', () =>
    holds(
      histories,
      (history) => checkHistory(history, new InMemoryStore()),
      inTier({ fast: 8, slow: 90, long: 400 }),
    ));
  const visit = 'Mia visited Mia yesterday.';
  const OK = { do: 'add', session: 'check', says: [{ content: 'Ok.' }] } as const;
  const failedOnce: readonly [string, History][] = [
    [
      'a fact given about an entity that was merged into another later',
      [
        { do: 'add', session: 'monday', says: [{ content: visit }] },
        { do: 'flush' },
        { do: 'give', picks: [0], statement: 'Ann plays chess.', subject: 'Ann' },
        { do: 'merge', pick: 37, other: 0 },
        { do: 'merge', pick: 1, other: 0 },
        { do: 'add', session: 'monday', says: [{ content: 'I live in Ghent.' }] },
        { do: 'forget turns', picks: [1] },
      ],
    ],
    [
      'an entity that was merged and only in the forgotten session, while another has its name',
      [
        {
          do: 'add',
          session: 'monday',
          says: [{ content: visit }, { content: 'My sister is called Mia Stone.' }],
        },
        {
          do: 'add',
          session: 'monday',
          says: [{ content: 'I love coffee.' }, { content: 'I work at Acme.' }],
        },
        { do: 'add', session: 'monday', says: [{ content: 'I love coffee.' }] },
        { do: 'add', session: 'friday', says: [{ content: 'Mia visited Mia Stone yesterday.' }] },
        { do: 'flush' },
        { do: 'merge', pick: 0, other: 35 },
        { do: 'forget session', pick: 0 },
      ],
    ],
    [
      'a split that is undone because the other turns of its entity are forgotten',
      [
        OK,
        { do: 'flush' },
        OK,
        { do: 'flush' },
        OK,
        { do: 'split', pick: 0, other: 0, name: 'Lena' },
        OK,
        { do: 'forget turns', picks: [5] },
        OK,
        { do: 'flush' },
        OK,
        { do: 'forget turns', picks: [1] },
      ],
    ],
    [
      'an entity into which a date was merged',
      [
        {
          do: 'add',
          session: 'monday',
          says: [{ content: visit }, { content: 'Mia visited Mia Stone yesterday.' }],
        },
        { do: 'flush' },
        { do: 'merge', pick: 37, other: 0 },
        { do: 'add', session: 'monday', says: [{ content: 'I live in Ghent.' }] },
        { do: 'forget turns', picks: [0] },
      ],
    ],
    [
      'a new version of a turn that, without the forgotten one, is read with more turns',
      [
        {
          do: 'add',
          session: 'tuesday',
          says: [{ content: 'I work at Acme.' }, { content: 'I work at Acme.' }],
        },
        {
          do: 'add',
          session: 'tuesday',
          says: [{ content: 'Mia lives in Ghent.' }, { content: 'I work at Acme.' }],
        },
        { do: 'flush' },
        { do: 'correct turn', pick: 1, says: visit },
        { do: 'flush' },
        { do: 'forget turns', picks: [0] },
      ],
    ],
  ];
  it.each(failedOnce)('with %s', async (_, history) => {
    expect(await checkHistory(history, new InMemoryStore())).toBe('');
  });
  it('in a file', () => holds(histories, checkHistoryInFile, inTier({ fast: 1, slow: 8, long: 40 })));
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
