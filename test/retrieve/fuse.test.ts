import { describe, expect, it } from 'vitest';
import { type RankedList, reciprocalRankFusion } from '../../src/retrieve/fuse.ts';

const list = (name: string, keys: number[], weight = 1): RankedList => ({
  route: 'r',
  list: name,
  weight,
  keys,
  scores: keys.map((_, position) => 10 - position),
});
const fuse = (lists: RankedList[], more: { constant?: number; depth?: number } = {}) =>
  reciprocalRankFusion(lists, { constant: 60, depth: 100, before: (a, b) => a - b, ...more });

describe('reciprocalRankFusion', () => {
  it.each([
    { name: 'nothing', lists: [], wanted: [] },
    { name: 'an empty list', lists: [list('a', [])], wanted: [] },
    {
      name: 'one list',
      lists: [list('a', [7, 3])],
      wanted: [
        [7, 1 / 61],
        [3, 1 / 62],
      ],
    },
    {
      name: 'two lists: both beat one, however high',
      lists: [list('a', [1, 2, 3]), list('b', [4, 3])],
      wanted: [
        [3, 1 / 63 + 1 / 62],
        [1, 1 / 61],
        [4, 1 / 61],
        [2, 1 / 62],
      ],
    },
    {
      name: 'weights',
      lists: [list('a', [1, 2], 0.25), list('b', [2])],
      wanted: [
        [2, 0.25 / 62 + 1 / 61],
        [1, 0.25 / 61],
      ],
    },
    {
      name: 'a tie goes to the one that stands before',
      lists: [list('a', [9, 2]), list('b', [2, 9])],
      wanted: [
        [2, 1 / 61 + 1 / 62],
        [9, 1 / 61 + 1 / 62],
      ],
    },
    {
      name: 'constant 0, as in the profile of the paper',
      lists: [list('a', [1, 2]), list('b', [2, 1]), list('c', [3])],
      constant: 0,
      wanted: [
        [1, 1.5],
        [2, 1.5],
        [3, 1],
      ],
    },
    {
      name: 'a depth',
      lists: [list('a', [1, 2, 3])],
      depth: 2,
      wanted: [
        [1, 1 / 61],
        [2, 1 / 62],
      ],
    },
  ])('$name', ({ lists, wanted, ...options }) => {
    const fused = fuse(lists, options);
    expect(fused.map(({ key }) => key)).toEqual(wanted.map(([ordinal]) => ordinal));
    fused.forEach(({ score }, at) => {
      expect(score).toBeCloseTo(wanted[at]![1]!, 12);
    });
  });

  it('keeps every vote, strongest first', () => {
    const [first] = fuse([list('a', [1, 2, 5]), list('b', [5])]);
    expect(first).toMatchObject({
      key: 5,
      votes: [
        { route: 'r', list: 'b', rank: 1, score: 10 },
        { route: 'r', list: 'a', rank: 3, score: 8 },
      ],
    });
  });

  it('fuses ids as well as numbers, and keeps the path of each', () => {
    const fused = reciprocalRankFusion<string>(
      [
        { route: 'a', list: 'x', weight: 1, keys: ['cat', 'dog'], scores: [2, 1] },
        { route: 'b', list: 'y', weight: 1, keys: ['dog'], scores: [1], paths: [['Pets', 'dog']] },
      ],
      { constant: 60, depth: 10, before: (a, b) => (a < b ? -1 : 1) },
    );
    expect(fused.map(({ key }) => key)).toEqual(['dog', 'cat']);
    expect(fused[0]!.votes).toEqual([
      { route: 'b', list: 'y', rank: 1, score: 1, path: ['Pets', 'dog'] },
      { route: 'a', list: 'x', rank: 2, score: 1 },
    ]);
  });

  describe('lists below the first places of others', () => {
    const below = (keys: number[], places: number, weight = 1): RankedList => ({
      ...list('path', keys, weight),
      below: places,
    });

    it('keeps the first places of the other lists, and orders the rest by all lists', () => {
      const fused = fuse([list('a', [1, 2, 3, 4]), below([4, 5, 2], 2)]);
      expect(fused.map(({ key }) => key)).toEqual([1, 2, 4, 5, 3]);
    });

    it('has scores that descend, equal ones in the order of all lists', () => {
      const fused = fuse([list('a', [1, 2, 3, 4]), below([4, 5, 2], 2)]);
      expect(fused.map(({ score }) => score)).toEqual([1 / 61, 1 / 62, 1 / 62, 1 / 62, 1 / 63]);
    });

    it('says of the first, too, which lists have it', () => {
      const [, second] = fuse([list('a', [1, 2]), below([2], 2)]);
      expect(second!.votes.map((vote) => vote.list)).toEqual(['path', 'a']);
    });

    it.each([
      { name: 'alone, it fills every place', lists: [below([3, 1], 10)], wanted: [3, 1] },
      {
        name: 'where others find fewer, it follows them',
        lists: [list('a', [7]), below([3, 7, 1], 10)],
        wanted: [7, 3, 1],
      },
      {
        name: 'several keep the most places',
        lists: [list('a', [1, 2, 3]), below([3], 1), below([3], 2)],
        wanted: [1, 2, 3],
      },
    ])('$name', ({ lists, wanted }) => expect(fuse(lists).map(({ key }) => key)).toEqual(wanted));

    it('keeps to the depth', () =>
      expect(fuse([list('a', [1, 2, 3]), below([4], 1)], { depth: 2 }).map(({ key }) => key)).toEqual([
        1, 4,
      ]));
  });
});
