import { describe, expect, it } from 'vitest';
import { countThen } from '../../../src/engine/past/known-then.ts';
import { readLookBack } from '../../../src/search/look-back.ts';
import { day, HandMade, HEARD, noraStory } from '../../browse/history/hand-made.ts';
import { category, description, edge, episode, failure, item, segment } from '../../contract/graph-rows.ts';

const nora = await noraStory();

const count = async (memory: HandMade, times: { asOf?: string | number; knownAt?: string | number }) =>
  countThen(memory.context, readLookBack(times));

describe('counts for a past time', () => {
  it.each([
    // The corrected fact is not live; the first profile of Nora has given way.
    [{ asOf: '2026-01-01' }, { episode: 6, fact: 3, entity: 4, profile: 4 }],
    [{ asOf: '2019-06-01' }, { episode: 2, fact: 3, entity: 2, profile: 2 }],
    [{ asOf: '2018-02-28' }, { episode: 0, fact: 0, entity: 0, profile: 0 }],
    [{ knownAt: HEARD.oslo }, { episode: 1, fact: 1, entity: 2, profile: 2 }],
    [{ knownAt: HEARD.antwerp }, { episode: 3, fact: 4, entity: 3, profile: 3 }],
    [{ knownAt: HEARD.corrected - 1 }, { episode: 5, fact: 6, entity: 4, profile: 4 }],
    [{ knownAt: HEARD.corrected }, { episode: 6, fact: 6, entity: 4, profile: 4 }],
    [
      { knownAt: HEARD.antwerp, asOf: '2019-06-01' },
      { episode: 2, fact: 3, entity: 2, profile: 2 },
    ],
    [
      { knownAt: HEARD.work, asOf: '2022-01-01' },
      { episode: 2, fact: 3, entity: 2, profile: 2 },
    ],
  ])('%j', async (times, { episode: turns, fact, entity, profile }) => {
    expect(await count(nora, times)).toEqual({
      episode: turns,
      fact,
      entity,
      profile,
      // One a turn and a fact, two a profile.
      embedding: turns + fact + 2 * profile,
      segment: 0,
      description: 0,
      category: 0,
      hierarchy: 0,
      failure: 0,
      correction: 0,
      tombstone: 0,
      item: 0,
    });
  });

  it('equal those of what a search offers', async () => {
    for (const times of [{ asOf: '2021-06-01' }, { knownAt: HEARD.ghent, asOf: '2021-06-01' }]) {
      const { fact, entity, episode: turns } = await count(nora, times);
      const { ranked } = await nora.search('Nora cat lives in Oslo Antwerp Ghent library', times);
      expect([ranked.facts.length, ranked.entities.length, ranked.episodes.length]).toEqual([
        fact,
        entity,
        turns,
      ]);
    }
  });

  it('use the beginning of a segment, and otherwise system time', async () => {
    const memory = new HandMade();
    await memory.commit({
      nodes: {
        episode: [episode('t', { validAt: 10, createdAt: 100 })],
        segment: [
          segment('s1', { startAt: 10, createdAt: 100 }),
          segment('s2', { startAt: 20, createdAt: 100, expiredAt: 200 }),
        ],
        entity: [{ id: 'e' as never, createdAt: 100 }],
        description: ['s1', 's2'].map((each) =>
          description(`d${each}`, { entity: 'e' as never, segment: each as never, createdAt: 100 }),
        ),
        category: [category('c', { createdAt: 150 })],
        failure: [failure('x', { createdAt: 100, expiredAt: 150 })],
        item: [item('i', { createdAt: 100, expiredAt: 200 })],
      },
      relationships: [edge('MENTIONS', 't', 'e')],
    });
    const of = async (times: { asOf?: number; knownAt?: number }) => {
      const {
        segment: segments,
        description: said,
        category: groups,
        failure: failed,
        item: items,
      } = await count(memory, times);
      return [segments, said, groups, failed, items];
    };
    // Categories are those of today: they keep no history.
    expect(await of({ knownAt: 100 })).toEqual([2, 2, 1, 1, 1]);
    expect(await of({ knownAt: 150 })).toEqual([2, 2, 1, 0, 1]);
    expect(await of({ knownAt: 200 })).toEqual([1, 1, 1, 0, 0]);
    expect(await of({ knownAt: 150, asOf: 15 })).toEqual([1, 1, 1, 0, 1]);
    expect(await of({ asOf: 15 })).toEqual([1, 1, 1, 0, 0]);
    expect(await of({ asOf: 5 })).toEqual([0, 0, 1, 0, 0]);
  });

  it('belong to one scope', async () => {
    const other = new HandMade('b', nora.store);
    const counts = await count(other, { asOf: day('2026-01-01') });
    expect(Object.values(counts).every((number) => number === 0)).toBe(true);
  });
});
