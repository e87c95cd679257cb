import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Supersession } from '../../src/browse/supersessions.ts';
import type { TimelineBucket } from '../../src/browse/timeline.ts';
import type { MemoryScope } from '../../src/engine/memory-scope.ts';
import type { Mnemis } from '../../src/engine.ts';
import { freshPath, open, remember, turn } from '../engine/memory-fixture.ts';

const SAID = [
  ['2023-03-05T10:00:00Z', 'Ana', 'I live in Porto.'],
  ['2023-09-11T10:00:00Z', 'Ben', 'I live in Ghent.'],
  ['2024-02-10T10:00:00Z', 'Ana', 'I moved to Lisbon.'],
  ['2024-05-20T10:00:00Z', 'Ana', 'I was born in 1990.'],
] as const;
const MOVED = Date.parse('2024-02-10T10:00:00Z');
/** When the engine learned the first half, and the second. */
const [EARLY, LATE] = [Date.parse('2024-06-01T12:00:00Z'), Date.parse('2024-06-03T12:00:00Z')];

let mnemis: Mnemis;
let memory: MemoryScope;
beforeAll(async () => {
  let now = EARLY;
  mnemis = await open(freshPath(), { clock: () => now });
  memory = mnemis.scope('ana');
  const turns = SAID.map(([at, speaker, content], index) =>
    turn(content, { at, speaker, session: `s${index}` }),
  );
  await remember(memory, turns.slice(0, 2));
  now = LATE;
  await remember(memory, turns.slice(2));
});
afterAll(() => mnemis.close());

const used = (buckets: readonly TimelineBucket[]) =>
  buckets.flatMap(({ start, turns, begun, ended }) =>
    turns + begun + ended === 0 ? [] : [[new Date(start).toISOString().slice(0, 10), turns, begun, ended]],
  );
const words = ({ older, newer }: Supersession) => [older.statement, newer.statement];

describe('the timeline of a scope', () => {
  it('counts what was said, and facts that began and ended, while turns were said', async () => {
    const { first, last, unit, buckets, before, after } = await memory.knowledge.timeline({ most: 20 });
    expect(unit).toBe('month');
    expect(buckets).toHaveLength(15);
    expect(used(buckets)).toEqual([
      ['2023-03-01', 1, 1, 0],
      ['2023-09-01', 1, 1, 0],
      ['2024-02-01', 1, 1, 1],
      ['2024-05-01', 1, 0, 0],
    ]);
    expect([first, last]).toEqual([Date.parse('1990-01-01'), Date.parse('2024-05-20T10:00:00Z')]);
    expect(before).toEqual({ turns: 0, begun: 1, ended: 0 });
    expect(after).toEqual({ turns: 0, begun: 0, ended: 0 });
    for (const [at, { start }] of buckets.slice(1).entries()) expect(start).toBe(buckets[at]!.end);
  });

  it('folds a gap that is longer than all the rest, so that the rest is seen in fine parts', async () => {
    const request = { span: 'all', most: 80 } as const;
    const { unit, buckets } = await memory.knowledge.timeline({ ...request, gaps: 'folded' });
    expect(unit).toBe('week');
    expect(buckets.length).toBeLessThan(80);
    const gaps = buckets.filter(({ isGap }) => isGap);
    expect(gaps.map(({ turns, begun, ended }) => turns + begun + ended)).toEqual([0]);
    expect(new Date(gaps[0]!.start).getUTCFullYear()).toBe(1990);
    expect(new Date(gaps[0]!.end).getUTCFullYear()).toBe(2023);
    for (const [at, { start }] of buckets.slice(1).entries()) expect(start).toBe(buckets[at]!.end);
    const total = (of: readonly TimelineBucket[]) =>
      of.reduce((sum, { turns, begun, ended }) => sum + turns + begun + ended, 0);
    expect(total(buckets)).toBe(total((await memory.knowledge.timeline(request)).buckets));
    // Where no gap is that long, nothing is folded.
    const told = await memory.knowledge.timeline({ gaps: 'folded' });
    expect(told).toEqual(await memory.knowledge.timeline());
  });

  it('covers all of which turns tell, in coarser parts', async () => {
    const { unit, buckets, before } = await memory.knowledge.timeline({ span: 'all' });
    expect(unit).toBe('year');
    expect(used(buckets)).toEqual([
      ['1990-01-01', 0, 1, 0],
      ['2023-01-01', 2, 2, 0],
      ['2024-01-01', 2, 1, 1],
    ]);
    expect(before.begun).toBe(0);
  });

  it('narrows to an entity, a period and a unit', async () => {
    const ben = await memory.knowledge.timeline({ entity: 'Ben' });
    expect(used(ben.buckets)).toEqual([['2023-09-11', 1, 1, 0]]);
    const spring = await memory.knowledge.timeline({ from: '2024-02-01', to: '2024-03-01', unit: 'week' });
    expect(spring.buckets).toHaveLength(5);
    expect(used(spring.buckets)).toEqual([['2024-02-05', 1, 1, 1]]);
    expect(spring.before).toEqual({ turns: 2, begun: 3, ended: 0 });
    expect(spring.after).toEqual({ turns: 1, begun: 0, ended: 0 });
  });

  it('counts by the time at which memory learned it', async () => {
    const { unit, buckets } = await memory.knowledge.timeline({ by: 'known', unit: 'day' });
    expect(unit).toBe('day');
    expect(used(buckets)).toEqual([
      ['2024-06-01', 2, 2, 0],
      ['2024-06-03', 2, 2, 1],
    ]);
    const ben = await memory.knowledge.timeline({ by: 'known', entity: 'Ben' });
    expect([ben.unit, used(ben.buckets)]).toEqual(['hour', [['2024-06-01', 1, 1, 0]]]);
  });

  it('is empty for an empty scope, and sees no other scope', async () => {
    const empty = await mnemis.scope('nobody').knowledge.timeline();
    expect(empty).toMatchObject({ first: null, last: null, buckets: [], before: { turns: 0 } });
  });

  it('agrees with the lists of facts and turns', async () => {
    const { buckets } = await memory.knowledge.timeline();
    for (const { start: from, end: to, turns, begun, ended } of buckets) {
      const { total: said } = await memory.knowledge.turns({ from, to });
      const { total: began } = await memory.knowledge.facts({ from, to });
      const { total: over } = await memory.knowledge.facts({ from, to, by: 'ended' });
      expect([turns, begun, ended]).toEqual([said, began, over]);
    }
  });

  it.each([{ most: 0 }, { most: 401 }, { unit: 'hour' as const }, { from: 'never' }, { entity: 'Nobody' }])(
    'rejects %j',
    async (request) => {
      await expect(memory.knowledge.timeline(request)).rejects.toMatchObject({ code: 'invalid-input' });
    },
  );
});

describe('what superseded what', () => {
  it('lists both facts, since when the newer one holds, and when memory learned it', async () => {
    const { items, total, next } = await memory.knowledge.supersessions();
    expect([total, next]).toEqual([1, null]);
    expect(items.map(words)).toEqual([['Ana lives in Porto', 'Ana moved to Lisbon']]);
    expect(items[0]).toMatchObject({
      ...{ how: 'replaced', heldSince: MOVED, learnedAt: LATE },
      older: { invalidAt: MOVED, sources: [{ session: 's0' }] },
      newer: { invalidAt: null, validAt: MOVED, sources: [{ session: 's2' }] },
    });
  });

  it('narrows to an entity and to a period of either time', async () => {
    const count = async (request: Parameters<typeof memory.knowledge.supersessions>[0]) =>
      (await memory.knowledge.supersessions(request)).total;
    expect(await count({ entity: 'Ana' })).toBe(1);
    expect(await count({ entity: 'Porto' })).toBe(1);
    expect(await count({ entity: 'Ben' })).toBe(0);
    expect(await count({ from: '2024-02-01', to: '2024-03-01' })).toBe(1);
    expect(await count({ from: '2024-03-01' })).toBe(0);
    expect(await count({ from: '2024-06-03', by: 'known' })).toBe(1);
    expect(await count({ to: '2024-06-03', by: 'known' })).toBe(0);
    expect((await mnemis.scope('nobody').knowledge.supersessions()).total).toBe(0);
  });

  it('leaves out what a rejected fact superseded, until the rejection is undone', async () => {
    const scope = mnemis.scope('rejected');
    await remember(scope, [
      turn('I live in Porto.', { speaker: 'Ana', session: 's1', at: '2023-03-05' }),
      turn('I moved to Lisbon.', { speaker: 'Ana', session: 's2', at: '2024-02-10' }),
    ]);
    const pairs = async () => (await scope.knowledge.supersessions()).items.map(words);
    expect(await pairs()).toEqual([['Ana lives in Porto', 'Ana moved to Lisbon']]);
    const [lisbon] = (await scope.knowledge.facts({ state: 'holds' })).items;
    const { correction } = await scope.corrections.rejectFact(lisbon!.id);
    expect(await pairs()).toEqual([]);
    await scope.corrections.undo(correction);
    expect(await pairs()).toEqual([['Ana lives in Porto', 'Ana moved to Lisbon']]);
  });

  it('shows edits of a fact as corrections, page by page, and drops what was forgotten', async () => {
    const scope = mnemis.scope('edited');
    await remember(scope, [turn('I live in Oslo.', { speaker: 'Eva', session: 's1' })]);
    const [fact] = (await scope.knowledge.facts()).items;
    const first = await scope.corrections.editFact(fact!.id, { statement: 'Eva lives in Bergen' });
    await scope.corrections.editFact(first.fact!, { statement: 'Eva lives in Trondheim' });
    const one = await scope.knowledge.supersessions({ limit: 1, by: 'known' });
    const two = await scope.knowledge.supersessions({ limit: 1, by: 'known', after: one.next! });
    const pairs = [...one.items, ...two.items];
    expect([one.total, two.next]).toEqual([2, null]);
    expect(pairs.map(({ how }) => how)).toEqual(['corrected', 'corrected']);
    // An edit takes the place of all versions before it.
    expect(pairs.map(words).sort()).toEqual([
      ['Eva lives in Bergen', 'Eva lives in Trondheim'],
      ['Eva lives in Oslo', 'Eva lives in Trondheim'],
    ]);
    await scope.forget({ all: true });
    expect(await scope.knowledge.supersessions()).toMatchObject({ items: [], total: 0 });
    expect((await scope.knowledge.timeline()).buckets).toEqual([]);
  });
});

describe('an answer that was asked with traced', () => {
  const question = 'Where does Ana live?';

  it('reports its context and how long it took', async () => {
    const { trace, search } = await memory.ask(question, { traced: true });
    const { items, tokens, leftOut } = trace!.context;
    expect(trace!.milliseconds).toBeGreaterThanOrEqual(search.milliseconds);
    expect(items.map(({ text }) => text)).toContain('Ana: I moved to Lisbon.');
    for (const item of items) expect(item.tokens).toBeGreaterThan(0);
    expect(tokens).toBeGreaterThanOrEqual(Math.max(...items.map((item) => item.tokens)));
    expect(leftOut).toBe(0);
  });

  it('answers as without it', async () => {
    const plain = await memory.ask(question);
    const { trace: _, ...traced } = await memory.ask(question, { traced: true });
    expect(plain).not.toHaveProperty('trace');
    expect(traced.text).toBe(plain.text);
    expect(traced.citations.map(({ item }) => item.id)).toEqual(plain.citations.map(({ item }) => item.id));
  });

  it('answers as of a time, and as memory knew it at a time', async () => {
    const text = async (times: { asOf?: string; knownAt?: string }) =>
      (await memory.ask(question, { ...times, traced: true })).text;
    expect(await text({ asOf: '2023-06-01' })).toContain('Porto');
    expect(await text({ asOf: '2024-03-01' })).toContain('Lisbon');
    expect(await text({ knownAt: '2024-06-02' })).toContain('Porto');
    expect(await text({})).toContain('Lisbon');
  });
});
