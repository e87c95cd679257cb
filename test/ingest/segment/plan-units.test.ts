import { describe, expect, it } from 'vitest';
import { BUFFER_LIMITS } from '../../../src/ingest/segment/defaults.ts';
import { estimateTokens, type PlanOptions, planUnits } from '../../../src/ingest/segment/plan-units.ts';
import type { Segmenter, TurnToSegment } from '../../../src/ingest/segment/segmenter.ts';
import { SimilaritySegmenter } from '../../../src/ingest/segment/similarity-segmenter.ts';
import { seededRandom } from '../../search/random.ts';
import { SAID_AT, turn, withVector } from '../turns.ts';
import { randomTurns } from './segmenter-contract.ts';

const MINUTE = 60_000;

/** Cuts after every turn that ends with a bar, if that leaves two turns on both sides. */
const barSegmenter: Segmenter = {
  async boundaries(turns) {
    const found: number[] = [];
    for (const [at, { content }] of turns.entries())
      if (content.endsWith('|') && at - (found.at(-1) ?? -1) >= 2 && at < turns.length - 2) found.push(at);
    return found;
  },
};

/** "a b| c" is three turns a minute apart; a number is a pause of this many minutes. */
function script(text: string): TurnToSegment[] {
  let at = SAID_AT;
  return text.split(' ').flatMap((word) => {
    at += (/^\d+$/.test(word) ? Number(word) - 1 : 1) * MINUTE;
    return /^\d+$/.test(word) ? [] : [withVector([1, 0], { content: word, validAt: at })];
  });
}

async function plan(turns: readonly TurnToSegment[], options: Partial<PlanOptions> = {}) {
  const { units, tail } = await planUnits(turns, { segmenter: barSegmenter, ended: false, ...options });
  return {
    units: units.map((unit) => [unit.trigger, unit.turns.map(({ content }) => content).join(' ')]),
    tail: tail.map(({ content }) => content).join(' '),
  };
}

/** Exactly this many tokens. */
function long(tokens: number, rest: Partial<TurnToSegment> = {}): TurnToSegment {
  const made = withVector([1, 0], { content: 'x'.repeat(tokens * 4 - 5), ...rest });
  expect(estimateTokens(made)).toBe(tokens);
  return made;
}

it('tokens are a quarter of the bytes, plus a byte for the end of each part', () => {
  expect(estimateTokens(turn('Ann', '123456789'))).toBe(4);
  expect(estimateTokens(turn('Ann', '北京'))).toBe(3);
  expect(estimateTokens(turn('', ''))).toBe(1);
  const attachments = [{ kind: 'image', description: 'a dog' }];
  expect(estimateTokens(turn('Ann', '123456789', { attachments }))).toBe(5);
});

describe('a buffer', () => {
  it('has the limits of the paper', () => {
    expect(BUFFER_LIMITS).toEqual({ pause: 1_800_000, tokens: 2_048 });
  });

  it('keeps all turns without a trigger', async () => {
    expect(await plan(script('a b| c d'))).toEqual({ units: [], tail: 'a b| c d' });
    expect(await plan([])).toEqual({ units: [], tail: '' });
  });

  it('releases all turns at the end of a session', async () => {
    const expected = [
      ['end', 'a b|'],
      ['end', 'c d'],
    ];
    expect(await plan(script('a b| c d'), { ended: true })).toEqual({ units: expected, tail: '' });
    expect(await plan(script('a'), { ended: true })).toEqual({ units: [['end', 'a']], tail: '' });
    expect(await plan([], { ended: true })).toEqual({ units: [], tail: '' });
  });

  it('releases the turns before the last boundary at a pause, and keeps the tail', async () => {
    const units = [
      ['pause', 'a b|'],
      ['pause', 'c d|'],
    ];
    expect(await plan(script('a b| c d| e f 30 g'))).toEqual({ units, tail: 'e f g' });
  });

  it('keeps all turns at a pause without a boundary', async () => {
    expect(await plan(script('a b c 600 d'))).toEqual({ units: [], tail: 'a b c d' });
  });

  it('starts a pause at 30 minutes, and at no step back in time', async () => {
    expect((await plan(script('a b| c d 29 e'))).units).toEqual([]);
    const [first, ...rest] = script('a b| c d e');
    expect((await plan([...rest, first!])).units).toEqual([]);
  });

  it('releases the turns before the last boundary at an overflow, and keeps the tail', async () => {
    const turns = [long(500), long(500, { content: `${'x'.repeat(1994)}|` }), long(500), long(500)];
    expect((await planUnits(turns, { segmenter: barSegmenter, ended: false })).units).toEqual([]);
    const { units, tail } = await planUnits([...turns, long(49)], { segmenter: barSegmenter, ended: false });
    expect(units).toEqual([{ trigger: 'overflow', turns: turns.slice(0, 2) }]);
    expect(tail).toHaveLength(3);
  });

  it('releases all turns at an overflow without a boundary', async () => {
    const turns = [long(1_024), long(1_024), long(2)];
    const { units, tail } = await planUnits(turns, { segmenter: barSegmenter, ended: false });
    expect(units).toEqual([{ trigger: 'overflow', turns }]);
    expect(tail).toEqual([]);
  });

  it('holds exactly the limit', async () => {
    const { units } = await planUnits([long(1_024), long(1_024)], { segmenter: barSegmenter, ended: false });
    expect(units).toEqual([]);
  });

  it('segments again if the tail alone is too long', async () => {
    const bar = (tokens: number) => long(tokens, { content: `${'x'.repeat(tokens * 4 - 6)}|` });
    const turns = [long(10), bar(10), long(10), long(3_000)];
    const { units, tail } = await planUnits(turns, { segmenter: barSegmenter, ended: false });
    expect(units.map((unit) => unit.turns.length)).toEqual([2, 2]);
    expect(tail).toEqual([]);
  });

  it('waits for a second turn if one alone is too long', async () => {
    const giant = long(60_000);
    expect((await planUnits([giant], { segmenter: barSegmenter, ended: false })).tail).toEqual([giant]);
    const { units } = await planUnits([giant, long(2)], { segmenter: barSegmenter, ended: false });
    expect(units.map((unit) => unit.turns.length)).toEqual([2]);
  });

  it('appends a single last turn after an overflow to the unit before', async () => {
    const turns = [long(1_024), long(1_025), long(2)];
    const { units, tail } = await planUnits(turns, { segmenter: barSegmenter, ended: true });
    expect(units).toEqual([{ trigger: 'end', turns }]);
    expect(tail).toEqual([]);
  });

  it('does not segment turns again that were in the buffer before', async () => {
    const turns = script('a b c 40 d e| f g');
    const asked: number[] = [];
    const segmenter: Segmenter = {
      boundaries: async (held) => {
        asked.push(held.length);
        return [];
      },
    };
    await planUnits(turns, { segmenter, buffered: 4, ended: false });
    expect(asked).toEqual([]);
    await planUnits(turns, { segmenter, ended: false });
    expect(asked).toEqual([3]);
  });

  it('checks the pause between buffered and new turns', async () => {
    const turns = script('a b| c d 40 e');
    expect(await plan(turns, { buffered: 4 })).toEqual({ units: [['pause', 'a b|']], tail: 'c d e' });
  });

  it('passes a cancellation on', async () => {
    const options = { segmenter: new SimilaritySegmenter(), ended: true, signal: AbortSignal.abort() };
    await expect(planUnits(script('a b'), options)).rejects.toMatchObject({ code: 'cancelled' });
  });
});

describe('random sessions', () => {
  const seeds = Array.from({ length: 40 }, (_, at) => at + 1);

  /** Pauses and long turns mixed in. */
  function session(seed: number): TurnToSegment[] {
    const random = seededRandom(seed);
    let at = SAID_AT;
    return randomTurns(Math.floor(random() * 60), seed).map((each) => {
      at += random() < 0.15 ? 45 * MINUTE : MINUTE;
      return { ...each, validAt: at, content: 'x'.repeat(random() < 0.2 ? 3_000 : 100) };
    });
  }
  const segmenter = new SimilaritySegmenter();

  it.each(seeds)(
    'every turn is in one unit, in order, and units have at least two turns (%i)',
    async (seed) => {
      const turns = session(seed);
      const { units, tail } = await planUnits(turns, { segmenter, ended: true });
      expect(units.flatMap((unit) => unit.turns)).toEqual(turns);
      expect(tail).toEqual([]);
      if (turns.length > 1) expect(Math.min(...units.map((unit) => unit.turns.length))).toBeGreaterThan(1);
    },
  );

  it.each(seeds)('turns give the same units incrementally as at once (%i)', async (seed) => {
    const turns = session(seed);
    const whole = await planUnits(turns, { segmenter, ended: false });
    const units: unknown[] = [];
    let tail: readonly TurnToSegment[] = [];
    for (const each of turns) {
      const step = await planUnits([...tail, each], { segmenter, buffered: tail.length, ended: false });
      units.push(...step.units);
      tail = step.tail;
    }
    expect({ units, tail, isUnfinished: false }).toEqual(whole);
  });

  it.each(seeds)('stops when there are enough units, and continues to the same ones (%i)', async (seed) => {
    const turns = session(seed);
    const whole = await planUnits(turns, { segmenter, ended: true });
    const units: unknown[] = [];
    let [left, buffered, isUnfinished] = [turns, 0, true];
    while (isUnfinished) {
      const step = await planUnits(left, { segmenter, buffered, ended: true, enough: 3 });
      const taken = step.units.reduce((sum, unit) => sum + unit.turns.length, 0);
      if (step.isUnfinished) expect(taken).toBeGreaterThanOrEqual(3);
      units.push(...step.units);
      [left, buffered, isUnfinished] = [left.slice(taken), step.tail.length, step.isUnfinished];
    }
    expect(units.flatMap((unit) => (unit as { turns: unknown[] }).turns)).toEqual(turns);
    expect(units.length).toBeGreaterThanOrEqual(whole.units.length);
  });
});
