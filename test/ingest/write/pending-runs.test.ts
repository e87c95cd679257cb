import { describe, expect, it } from 'vitest';
import { pendingRuns, type RunFilter } from '../../../src/ingest/write/plan-batch.ts';
import type { EpisodeStatus } from '../../../src/model/nodes.ts';
import { ScopeIndex } from '../../../src/search/scope-index.ts';
import { episode } from '../../contract/graph-rows.ts';
import { seededRandom } from '../../search/random.ts';

interface Turn {
  /** Session and index: "x3". */
  readonly id: string;
  readonly status: EpisodeStatus;
}
const STATUSES: Readonly<Record<string, EpisodeStatus>> = {
  '': 'stored',
  '!': 'extracted',
  '-': 'set-aside',
};

/** "x0 x1! y0-" in the order of arrival: a pending turn, a consolidated one, a discarded one. */
const script = (text: string): Turn[] =>
  text.split(' ').map((word) => ({
    id: word.slice(0, 2),
    status: STATUSES[word.slice(2)]!,
  }));

function indexOf(turns: readonly Turn[]): ScopeIndex {
  const index = ScopeIndex.empty(2);
  for (const { id, status } of turns)
    index.apply({ nodes: { episode: [episode(id, { session: id[0]!, index: Number(id[1]), status })] } });
  return index;
}

const runsOf = (index: ScopeIndex, filter: Partial<RunFilter> = {}) =>
  pendingRuns(index, { turns: 1_000, ...filter }).map(
    ({ session, episodes, isTail }) => `${session}: ${episodes.join(' ')}${isTail ? '…' : ''}`,
  );

describe('runs of pending turns', () => {
  it.each<[name: string, turns: string, runs: string[]]>([
    ['a session that is all new', 'x0 x1 x2', ['x: x0 x1 x2…']],
    ['nothing that waits', 'x0! x1! y0-', []],
    ['new turns after consolidated ones', 'x0! x1! x2 x3', ['x: x2 x3…']],
    ['turns before consolidated ones, which end their run', 'x0 x1 x2! x3', ['x: x0 x1', 'x: x3…']],
    ['a session whose end is consolidated', 'x0 x1 x2!', ['x: x0 x1']],
    ['a turn set aside in the middle', 'x0 x1- x2', ['x: x0', 'x: x2…']],
    ['the order of the session, not of arrival', 'x2 x0 x1', ['x: x0 x1 x2…']],
    ['sessions by their first arrival', 'y0 x0 y1 x1', ['y: y0 y1…', 'x: x0 x1…']],
    ['a turn that came late to its place', 'x0! x2! x1', ['x: x1']],
    ['a gap in the indices, which is no turn', 'x0 x5', ['x: x0 x5…']],
  ])('%s', (_, turns, runs) => expect(runsOf(indexOf(script(turns)))).toEqual(runs));

  it('continue across a superseded turn, and omit it', () => {
    const index = indexOf(script('x0 x1! x2'));
    expect(runsOf(index)).toEqual(['x: x0', 'x: x2…']);
    index.apply({ updates: [{ kind: 'episode', id: 'x1', set: { expiredAt: 5 } }] });
    expect(runsOf(index)).toEqual(['x: x0 x2…']);
    index.apply({ updates: [{ kind: 'episode', id: 'x2', set: { expiredAt: 6 } }] });
    expect(runsOf(index)).toEqual(['x: x0…']);
  });

  it('follow the status of a turn', () => {
    const index = indexOf(script('x0 x1 x2'));
    const set = (id: string, status: EpisodeStatus) =>
      index.apply({ updates: [{ kind: 'episode', id, set: { status } }] });
    set('x1', 'extracted');
    expect(runsOf(index)).toEqual(['x: x0', 'x: x2…']);
    set('x1', 'stored');
    expect(runsOf(index)).toEqual(['x: x0 x1 x2…']);
  });

  it('are limited to the requested sessions', () => {
    const index = indexOf(script('x0 y0 z0'));
    expect(runsOf(index, { sessions: new Set(['y', 'z', 'unknown']) })).toEqual(['y: y0…', 'z: z0…']);
    expect(runsOf(index, { settled: new Set(['y']) })).toEqual(['x: x0…', 'z: z0…']);
    const both = { sessions: new Set(['x', 'y']), settled: new Set(['x']) };
    expect(runsOf(index, both)).toEqual(['y: y0…']);
    expect(runsOf(index, { sessions: new Set() })).toEqual([]);
  });

  it.each([
    [1, ['x: x0 x1 x2…']],
    [3, ['x: x0 x1 x2…']],
    [4, ['x: x0 x1 x2…', 'y: y0…']],
    [5, ['x: x0 x1 x2…', 'y: y0…', 'z: z0 z1…']],
  ])('are returned until they have %i turns, and never cut', (turns, runs) => {
    expect(runsOf(indexOf(script('x0 x1 x2 y0 z0 z1')), { turns })).toEqual(runs);
  });

  it('contain every pending turn once, for every state of the others (300 random memories)', () => {
    const random = seededRandom(8);
    for (let round = 0; round < 300; round++) {
      const turns = randomTurns(random);
      const index = indexOf(turns);
      const runs = pendingRuns(index, { turns: 1_000 });
      expect(runs.map(({ episodes }) => episodes.join(' ')).sort()).toEqual(expectedRuns(turns));
      for (const { session, episodes, isTail } of runs) {
        const last = turns.filter(({ id }) => id[0] === session).map(({ id }) => id);
        expect(isTail).toBe(episodes.at(-1) === last.sort().at(-1));
      }
    }
  });
});

function randomTurns(random: () => number): Turn[] {
  const all = ['x', 'y', 'z'].flatMap((session) =>
    Array.from({ length: 8 }, (_, index) => ({
      id: `${session}${index}`,
      status: (['stored', 'stored', 'extracted', 'set-aside'] as const)[Math.floor(random() * 4)]!,
      place: random(),
    })),
  );
  return all.filter(() => random() < 0.8).sort((a, b) => a.place - b.place);
}

/** Each session in order, split at turns that are not pending. */
function expectedRuns(turns: readonly Turn[]): string[] {
  const line = [...turns].sort((a, b) => (a.id < b.id ? -1 : 1));
  const words = line.map(({ id, status }, at) => {
    const gap = at > 0 && line[at - 1]!.id[0] !== id[0] ? '|' : '';
    return gap + (status === 'stored' ? ` ${id} ` : '|');
  });
  return words
    .join('')
    .split('|')
    .map((run) => run.trim().split(/ +/).join(' '))
    .filter((run) => run !== '')
    .sort();
}
