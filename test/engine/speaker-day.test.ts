import { describe, expect, it } from 'vitest';
import { memoryContext } from '../../src/answer/memory-context.ts';
import type { MemoryScope } from '../../src/engine/memory-scope.ts';
import { FakeLanguageModel } from '../fakes/language-model/fake-language-model.ts';
import { freshPath } from './memory-fixture.ts';
import { type MemoryOptions, withMemory } from './told-memory.ts';

const HOUR = 3_600_000;

const told = (content: string, at: string) => ({ content, at, speaker: 'Alice', session: 's' });

async function statementsOf(memory: MemoryScope): Promise<string> {
  const { items } = await memory.list({ kind: 'fact' });
  return (items as unknown as readonly { statement: string }[]).map(({ statement }) => statement).join(' ');
}

const read = (content: string, at: string, options: MemoryOptions = {}) =>
  withMemory([told(content, at)], statementsOf, options);

describe('a day that a turn names is the day of its speaker', () => {
  it.each<[at: string, words: string, day: string]>([
    ['2026-03-02T00:30+09:00', 'today', '2 March 2026'],
    ['2026-03-02T00:30+09:00', 'yesterday', '1 March 2026'],
    ['2026-03-02T00:30+09:00', 'the day before yesterday', '28 February 2026'],
    ['2026-03-01T23:30-08:00', 'today', '1 March 2026'],
    ['2026-03-01T23:30-08:00', 'yesterday', '28 February 2026'],
    ['2026-03-01T23:30-08:00', 'this morning', '1 March 2026'],
    ['2026-03-02T00:30+14:00', 'last night', '1 March 2026'],
    ['2026-03-02T00:30+14:00', 'this morning', '2 March 2026'],
    ['2026-03-02T13:30+14:00', 'an hour ago', '2 March 2026'],
    ['2026-03-01T23:30-12:00', 'today', '1 March 2026'],
    ['2024-02-29T22:00-05:00', 'today', '29 February 2024'],
    ['2026-01-01T00:10+01:00', 'yesterday', '31 December 2025'],
    ['2025-12-31T20:00-05:00', 'this year', '2025'],
    ['2026-01-01T05:00+13:00', 'this year', '2026'],
    ['2026-02-28T23:30-05:00', 'this month', 'February 2026'],
    ['2026-03-01T01:00+11:00', 'last month', 'February 2026'],
    // A Friday evening in New York is Saturday in UTC.
    ['2026-03-06T20:00-05:00', 'last Friday', '27 February 2026'],
    ['2026-03-06T20:00-05:00', 'on Friday', '6 March 2026'],
    ['2026-03-02T08:00+10:00', 'last week', 'week of 23 February 2026'],
    ['2026-03-02T00:30+05:45', 'yesterday', '1 March 2026'],
    ['Mon, 02 Mar 2026 00:30:00 +0900', 'today', '2 March 2026'],
    ['2026-03-01 23:30 GMT-0500', 'today', '1 March 2026'],
    ['2026-03-01T23:30:00Z', 'today', '1 March 2026'],
    ['2026-03-01 23:30', 'today', '1 March 2026'],
  ])('%s: I adopted a dog %s', async (at, words, day) => {
    expect(await read(`I adopted a dog ${words}.`, at)).toContain(`(${day})`);
  });

  it.each<[at: string, content: string, day: string]>([
    ['2026-12-31T23:30-05:00', 'I will fly tomorrow.', '1 January 2027'],
    ['2026-12-31T23:30-05:00', "I will propose on New Year's Eve.", '31 December 2026'],
    ['2027-01-01T00:30+09:00', "On New Year's Eve I proposed.", '31 December 2026'],
    ['2026-03-06T20:00-05:00', 'I will fly on Saturday.', '7 March 2026'],
    ['2026-05-03T23:00-07:00', 'The meeting was moved to Monday.', '4 May 2026'],
    ['2026-05-04T00:30+09:00', 'I fly next Sunday.', '17 May 2026'],
  ])('%s: %s', async (at, content, day) => {
    expect(await read(content, at)).toContain(`(${day})`);
  });

  it('is shown in answers, in quotes and in the context of a model', async () => {
    const at = '2026-03-02T00:30+09:00';
    await withMemory([told('I adopted a dog.', at), told('My car broke down today.', at)], async (memory) => {
      expect((await memory.ask('When did Alice’s car break down?')).text).toContain('2 March 2026');
      const found = await memory.search('Alice dog car');
      const { text } = await memoryContext(found, {
        budget: 10_000,
        countTokens: async ({ length }) => length / 4,
      });
      expect(text).toContain('@ Mon 2026-03-02 00:30');
      expect(text).not.toContain('2026-03-01');
    });
  });

  it('does not change when something began: asked as of its time it holds', async () => {
    for (const at of ['2026-03-02T00:30+09:00', '2026-03-01T23:30-08:00'])
      await withMemory([told('I adopted a dog today.', at)], async (memory) => {
        const { facts } = await memory.search('dog', { asOf: at });
        expect(facts).toHaveLength(1);
        expect(facts[0]!.validAt).toBeLessThanOrEqual(Date.parse(at));
      });
  });

  it('is kept by an export and an import', async () => {
    const file = freshPath('.jsonl');
    const said = [told('I adopted a dog today.', '2026-03-02T00:30+09:00')];
    await withMemory(said, (memory) => memory.exportTo(file));
    await withMemory([], async (memory) => {
      await memory.importFrom(file);
      const { episodes, facts } = await memory.search('dog');
      expect([episodes[0]!.offset, facts[0]!.offset]).toEqual([9 * HOUR, 9 * HOUR]);
    });
  });

  it('is that which a model is shown and whose words it reads', async () => {
    const shown: string[] = [];
    const languageModel = new FakeLanguageModel(({ name, user }) => {
      shown.push(user);
      if (name !== 'read-segments') return {};
      const fact = {
        statement: 'Alice adopted a dog.',
        subject: 'Alice',
        relation: 'adopted',
        object: 'dog',
      };
      const read = { ...fact, said: 'yesterday', date: '', confidence: 0.9, turns: [1] };
      return { segments: [{ segment: 1, summary: 'A dog.' }], keep: [1], facts: [read] };
    });
    const said = [told('I adopted a dog yesterday.', '2026-03-02T00:30+09:00')];
    await withMemory(
      said,
      async (memory) => {
        const { items } = await memory.list({ kind: 'fact' });
        expect(items[0]).toMatchObject({ event: { start: Date.UTC(2026, 2, 1), end: Date.UTC(2026, 2, 2) } });
      },
      { languageModel },
    );
    expect(shown.join()).toContain('@ Mon 2026-03-02');
    expect(shown.join()).not.toContain('2026-03-01');
  });
});
