import { describe, expect, it } from 'vitest';
import type { CorrectionRecord, Portrait, PortraitFact } from '../../../main/contract.ts';
import { inColumns } from '../../../renderer/memory/columns.ts';
import { sectionsShown } from '../../../renderer/memory/portrait-sections.ts';
import { datesOf, formatFactDate } from '../../../renderer/parts/fact/fact-dates.ts';
import { openCorrectionsOf } from '../../../renderer/parts/fact/open-corrections.ts';

const told = Date.parse('2024-03-05T10:20:00Z');
const may = Date.parse('2023-05-08');

describe('the dates of a fact', () => {
  it('are the date of the telling where nobody said since when', () => {
    expect(datesOf({ validAt: told, saidAt: told, invalidAt: null })).toMatch(/^told on /);
    expect(datesOf({ validAt: may, saidAt: told, invalidAt: null })).toBe(`since ${formatFactDate(may)}`);
    const next = Date.parse('2024-04-02');
    expect(datesOf({ validAt: told, saidAt: told, invalidAt: null, eventAt: next })).toBe(
      `on ${formatFactDate(next)}`,
    );
  });

  it('say when it happened, and since when it goes on', () => {
    const fact = { validAt: may, saidAt: told, invalidAt: null, eventAt: may };
    expect(datesOf({ ...fact, statement: 'Ana sold the car on 8 May' })).toBe(`on ${formatFactDate(may)}`);
    expect(datesOf({ ...fact, statement: 'Ana is ill since 8 May' })).toBe(`since ${formatFactDate(may)}`);
    const year = Date.parse('2022-01-01');
    expect(datesOf({ ...fact, validAt: year, eventAt: year })).toBe('in 2022');
    expect(datesOf({ ...fact, statement: 'Ana was ill last week (week of 8 May 2023)' })).toBeNull();
  });

  it('tell when it ended', () => {
    const end = Date.parse('2024-01-20');
    expect(datesOf({ validAt: may, saidAt: told, invalidAt: end })).toBe(
      `${formatFactDate(may)} to ${formatFactDate(end)}`,
    );
    expect(datesOf({ validAt: told, saidAt: told, invalidAt: end })).toBe(`until ${formatFactDate(end)}`);
    expect(datesOf({ validAt: may, saidAt: told, invalidAt: may })).toBe(`on ${formatFactDate(may)}`);
  });

  it('are as exact as what was said, whatever the time zone', () => {
    expect(formatFactDate(Date.parse('2019-01-01'))).toBe('2019');
    expect(formatFactDate(Date.parse('2023-05-01'))).toMatch(/May.*2023|2023.*May/);
    expect(formatFactDate(Date.parse('2023-05-01'))).not.toMatch(/\b1\b/);
    expect(formatFactDate(may)).toMatch(/\b8\b/);
  });
});

describe('corrections of a fact', () => {
  const record = (id: string, kind: string, more: Partial<CorrectionRecord>) =>
    ({ id, kind, undoneAt: null, about: [], made: null, undid: null, ...more }) as CorrectionRecord;

  it('are those in force that made it what it is', () => {
    const corrections = [
      record('5', 'pin-fact', { about: ['new'] }),
      record('4', 'pin-fact', { about: ['new'], undoneAt: 1 }),
      record('3', 'undo', { about: ['new'] }),
      record('2', 'edit-fact', { about: ['old'], made: 'new' }),
      record('1', 'pin-fact', { about: ['old'] }),
    ];
    expect(openCorrectionsOf(corrections, 'new').map(({ id }) => id)).toEqual(['5', '2']);
    expect(openCorrectionsOf(corrections, 'old').map(({ id }) => id)).toEqual(['1']);
  });
});

describe('the sections of a portrait', () => {
  const line = (id: string, statement: string) =>
    ({ id, statement, said: statement.replace('Ana has', 'You have') }) as PortraitFact;
  const sections = [
    {
      title: 'Things and animals',
      key: 'things',
      facts: [line('1', 'Ana has a dog'), line('2', 'Ana likes cats')],
      total: 9,
    },
    { title: 'Health', key: 'health', facts: [line('3', 'Ana runs with the dog')], total: 1 },
  ] as Portrait['sections'];
  const shown = (query: string) =>
    sectionsShown(sections, query).map(({ title, facts }) => [title, facts.map(({ id }) => id)]);

  it('are filtered by words in any order and case, and by their title', () => {
    expect(shown('')).toEqual([
      ['Things and animals', ['1', '2']],
      ['Health', ['3']],
    ]);
    expect(shown('DOG ana')).toEqual([
      ['Things and animals', ['1']],
      ['Health', ['3']],
    ]);
    expect(shown('animals')).toEqual([['Things and animals', ['1', '2']]]);
    expect(shown('you dog')).toEqual([['Things and animals', ['1']]]);
    expect(shown('whale')).toEqual([]);
  });

  it('say how many facts they do not list', () => {
    expect(sectionsShown(sections, '').map(({ unlisted }) => unlisted)).toEqual([7, 0]);
    expect(sectionsShown(sections, 'cats').map(({ unlisted }) => unlisted)).toEqual([0]);
  });

  it('fill columns of about the same height, in order', () => {
    expect(inColumns([5, 1, 1, 1, 3], 2, (height) => height)).toEqual([[5], [1, 1, 1, 3]]);
    expect(inColumns([1, 2], 1, (height) => height)).toEqual([[1, 2]]);
  });
});
