import { describe, expect, it } from 'vitest';
import { CancelledError } from '../../../src/errors/index.ts';
import { LlmSuperseder } from '../../../src/ingest/supersede/llm-superseder.ts';
import { FakeLanguageModel } from '../../fakes/language-model/fake-language-model.ts';
import { DAY, judgedFact } from './judged-facts.ts';

const oslo = judgedFact('Mara lives in Oslo.', { day: 1 });
const cat = judgedFact('Mara has a cat.', { day: 2 });
const lisbon = judgedFact('Mara moved to Lisbon.', { day: 30, order: 3 });
// Shown by age: 1 Oslo, 2 cat, 3 Lisbon.
const asked = [{ fact: lisbon, candidates: [cat, oslo] }];
const says = (outdated: unknown) => new FakeLanguageModel(() => ({ outdated }));
const judge = (outdated: unknown) => new LlmSuperseder(says(outdated)).supersedeAll(asked);
const entry = (more: object) => ({
  by: 3,
  old: 1,
  reason: 'one home',
  kind: 'replaces',
  confidence: 0.9,
  ...more,
});

describe('LlmSuperseder', () => {
  it("returns the model's verdicts with ids and times, in one call that shows each fact once", async () => {
    const users: string[] = [];
    const model = new FakeLanguageModel(({ user }) => {
      users.push(user);
      return { outdated: [entry({ by: '3', old: 'fact 1', kind: 'Replaces' })] };
    });
    const rome = judgedFact('Mara moved to Rome.', { day: 60, order: 9 });
    const { supersessions, usage } = await new LlmSuperseder(model).supersedeAll([
      ...asked,
      { fact: rome, candidates: [lisbon, oslo] },
    ]);
    expect(supersessions).toEqual([{ old: oslo.id, by: lisbon.id, kind: 'replaces', at: 30 * DAY }]);
    expect(usage.calls).toBe(1);
    expect(users[0]).toContain(
      '1 [1970-01-02] Mara lives in Oslo.\n2 [1970-01-03] Mara has a cat.\n3 [1970-01-31] Mara moved to Lisbon.\n4 [1970-03-02] Mara moved to Rome.\n',
    );
    expect(users[0]).toContain('Compare 3 with 2, 1; 4 with 3, 1.');
  });

  it.each<[said: string, start: number, end: number, replaced: boolean]>([
    ['this month', 0, 31, true],
    ['this year', -40, 325, true],
    ['last week', 20, 27, true],
    ['since last year', -400, -40, true],
    ['last month', -31, 0, false],
    ['five days before', -5, -4, false],
  ])(
    'keeps a verdict on what was told later of %s, unless that was over before',
    async (text, start, end, replaced) => {
      const event = { start: start * DAY, end: end * DAY, precision: 'span' as const, text };
      const moved = { ...judgedFact('Mara moved to Rome.', { day: 35, event }), validAt: start * DAY };
      const model = says([entry({ by: 2, old: 1 })]);
      const { supersessions } = await new LlmSuperseder(model).supersedeAll([
        { fact: moved, candidates: [oslo] },
      ]);
      expect(supersessions.map(({ by }) => by)).toEqual(replaced ? [moved.id] : []);
    },
  );

  it('ends a corrected fact at its own beginning', async () => {
    const { supersessions } = await judge([entry({ kind: 'corrects' })]);
    expect(supersessions).toEqual([{ old: oslo.id, by: lisbon.id, kind: 'corrects', at: DAY }]);
  });

  it('shows the phrases that retract something, and no others', async () => {
    const users: string[] = [];
    const model = new FakeLanguageModel(({ user }) => {
      users.push(user);
      return {};
    });
    const said = `${'So much to tell. '.repeat(20)}Oh, I was wrong about Oslo. ${'And more. '.repeat(20)}`;
    const superseder = new LlmSuperseder(model);
    await superseder.supersede([{ fact: { ...lisbon, said }, candidates: [oslo] }]);
    await superseder.supersede([{ fact: { ...lisbon, said: 'I moved to Lisbon!' }, candidates: [oslo] }]);
    expect(users[0]).toMatch(/Mara moved to Lisbon\. said: .{0,90}I was wrong about Oslo\..{0,90}$/m);
    expect(users[1]).not.toContain('said:');
  });

  it.each([
    ['a number that is not shown', { old: 9 }, 'unknown-number'],
    ['a pair that nobody asked for', { by: 2, old: 1 }, 'unknown-number'],
    ['itself', { by: 3, old: 3 }, 'unknown-number'],
    ['a guess', { confidence: 0.3 }, 'unsupported'],
    ['an end that lies before the beginning', { by: 1, old: 3 }, 'inconsistent'],
    ['a correction by what was said before', { by: 1, old: 3, kind: 'corrects' }, 'inconsistent'],
  ])('drops %s', async (_, more, reason) => {
    const { supersessions, dropped } = await judge([entry(more)]);
    expect(supersessions).toEqual([]);
    expect(dropped).toEqual([{ what: 'decision', reason, count: 1 }]);
  });

  it('uses the first of two opinions, and reads "neither" or an unknown word as none', async () => {
    const first = await judge([entry({ kind: 'neither' }), entry({})]);
    expect(first.supersessions).toEqual([]);
    expect(first.dropped).toEqual([{ what: 'decision', reason: 'repeated', count: 1 }]);
    expect((await judge([entry({ kind: 'extends' })])).supersessions).toEqual([]);
    expect((await judge(undefined)).supersessions).toEqual([]);
  });

  it('makes no call without candidates, or after a cancel', async () => {
    const neverAsked = new FakeLanguageModel(() => {
      throw new Error('asked');
    });
    const superseder = new LlmSuperseder(neverAsked);
    expect(await superseder.supersede([{ fact: lisbon, candidates: [] }])).toEqual([]);
    await expect(superseder.supersede(asked, { signal: AbortSignal.abort() })).rejects.toThrow(
      CancelledError,
    );
  });

  it('shows at most twelve candidates per fact', async () => {
    let user = '';
    const model = new FakeLanguageModel((prompt) => {
      user = prompt.user;
      return {};
    });
    const many = Array.from({ length: 40 }, (_, day) => judgedFact(`Mara saw film ${day}.`, { day }));
    await new LlmSuperseder(model).supersede([{ fact: { ...lisbon, validAt: 90 * DAY }, candidates: many }]);
    expect(user.match(/saw film/g)).toHaveLength(12);
    expect(user).toContain('saw film 11.');
  });
});
