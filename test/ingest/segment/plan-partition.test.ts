import { describe, expect, it } from 'vitest';
import type { Partition } from '../../../src/ingest/profile.ts';
import { estimateTokens, planPartition, planUnits } from '../../../src/ingest/segment/plan-units.ts';
import type { TurnToSegment } from '../../../src/ingest/segment/segmenter.ts';
import { SimilaritySegmenter } from '../../../src/ingest/segment/similarity-segmenter.ts';
import { seededRandom } from '../../search/random.ts';
import { withVector } from '../turns.ts';
import { randomTurns } from './segmenter-contract.ts';

interface Options {
  readonly ended?: boolean;
  readonly buffered?: number;
}

async function plan(turns: readonly TurnToSegment[], partition: Partition, options: Options = {}) {
  const { units, tail } = await planPartition(turns, {
    partition,
    segmenter: null,
    ended: false,
    ...options,
  });
  return {
    units: units.map((unit) => [unit.trigger, said(unit.turns)]),
    tail: said(tail),
  };
}
const said = (turns: readonly TurnToSegment[]) => turns.map(({ content }) => content[0]).join('');

/** "abc" is three turns, an hour apart: pauses matter only for topics. */
const letters = (text: string) =>
  [...text].map((content, at) => withVector([1, 0], { content, validAt: at * 3_600_000 }));

/** Turns of this many tokens, named in order from "a". */
const sized = (...sizes: number[]) =>
  sizes.map((tokens, at) => {
    const made = withVector([1, 0], { content: String.fromCharCode(97 + at).repeat(tokens * 4 - 5) });
    expect(estimateTokens(made)).toBe(tokens);
    return made;
  });

describe('whole sessions', () => {
  const by: Partition = { by: 'session' };
  it('wait until they end, for every size and every pause', async () => {
    expect(await plan(letters('abcdef'), by)).toEqual({ units: [], tail: 'abcdef' });
    expect(await plan(sized(2_000, 2_000), by)).toEqual({ units: [], tail: 'ab' });
    expect(await plan(letters('abcdef'), by, { ended: true })).toEqual({
      units: [['end', 'abcdef']],
      tail: '',
    });
  });
});

describe('a fixed number of turns', () => {
  const three: Partition = { by: 'turns', turns: 3 };
  it.each<[turns: string, ended: boolean, units: [string, string][], tail: string]>([
    ['', true, [], ''],
    ['ab', false, [], 'ab'],
    ['abc', false, [['overflow', 'abc']], ''],
    [
      'abcdefg',
      false,
      [
        ['overflow', 'abc'],
        ['overflow', 'def'],
      ],
      'g',
    ],
    [
      'abcdefg',
      true,
      [
        ['overflow', 'abc'],
        ['overflow', 'def'],
        ['end', 'g'],
      ],
      '',
    ],
    ['abc', true, [['overflow', 'abc']], ''],
    ['a', true, [['end', 'a']], ''],
  ])('%j, ended: %s', async (turns, ended, units, tail) => {
    expect(await plan(letters(turns), three, { ended })).toEqual({ units, tail });
  });

  it('may be one', async () => {
    const units = [
      ['overflow', 'a'],
      ['overflow', 'b'],
    ];
    expect(await plan(letters('ab'), { by: 'turns', turns: 1 })).toEqual({ units, tail: '' });
  });
});

describe('a fixed number of tokens', () => {
  const ten: Partition = { by: 'tokens', tokens: 10 };
  it.each<[name: string, sizes: number[], units: string[], tail: string]>([
    ['what fits stays in the buffer', [4, 4], [], 'ab'],
    ['exactly full is not too full', [5, 5], [], 'ab'],
    ['the turn that is too much opens the next unit', [5, 5, 2], ['ab'], 'c'],
    ['one that leaves no room', [9, 2, 9], ['a', 'b'], 'c'],
    ['one that is too large by itself stands alone', [3, 30, 3, 3], ['a', 'b'], 'cd'],
    ['one that is too large at the start', [30, 3], ['a'], 'b'],
    ['one that is too large at the end waits', [3, 30], ['a'], 'b'],
  ])('%s: %j', async (_, sizes, units, tail) => {
    const overflow = units.map((turns) => ['overflow', turns]);
    expect(await plan(sized(...sizes), ten)).toEqual({ units: overflow, tail });
    const ended = [...overflow, ['end', tail]];
    expect(await plan(sized(...sizes), ten, { ended: true })).toEqual({ units: ended, tail: '' });
  });
});

it('topics equal those of planUnits with the same input', async () => {
  const segmenter = new SimilaritySegmenter();
  const turns = randomTurns(40, 3);
  for (const ended of [true, false])
    for (const buffered of [0, 20]) {
      const options = { segmenter, ended, buffered, limits: { pause: 60_000, tokens: 30 } };
      const expected = await planUnits(turns, options);
      expect(expected.units.length).toBeGreaterThan(0);
      expect(await planPartition(turns, { partition: { by: 'topic' }, ...options })).toEqual(expected);
    }
});

const PARTITIONS: readonly Partition[] = [
  { by: 'session' },
  { by: 'turns', turns: 1 },
  { by: 'turns', turns: 4 },
  { by: 'tokens', tokens: 1 },
  { by: 'tokens', tokens: 40 },
];
describe.each(PARTITIONS)('%j', (partition) => {
  it('neither loses nor duplicates a turn, and gives the same units incrementally as at once (50 random sessions)', async () => {
    const random = seededRandom(12);
    for (let round = 0; round < 50; round++) {
      const turns = sized(
        ...Array.from({ length: Math.floor(random() * 20) }, () => 2 + Math.floor(random() * 30)),
      );
      const options = { partition, segmenter: null };
      const whole = await planPartition(turns, { ...options, ended: true });
      expect(whole.tail).toEqual([]);
      expect(whole.units.flatMap((unit) => unit.turns)).toEqual(turns);
      expect(whole.units.every((unit) => unit.turns.length > 0)).toBe(true);

      // As a session grows: complete units leave the buffer, the others are planned again.
      const units = [];
      let held: readonly TurnToSegment[] = [];
      for (const [at, turn] of turns.entries()) {
        const ended = at === turns.length - 1;
        const { units: complete, tail } = await planPartition([...held, turn], {
          ...options,
          buffered: held.length,
          ended,
        });
        units.push(...complete);
        held = tail;
      }
      expect(units).toEqual(whole.units);
    }
  });
});
