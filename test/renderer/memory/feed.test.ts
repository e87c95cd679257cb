import { describe, expect, it } from 'vitest';
import type { ChangeEvent } from '../../../main/contract.ts';
import { feedOf } from '../../../renderer/memory/feed.ts';

const noon = new Date(2026, 4, 8, 12).getTime();
const MINUTE = 60_000;

const stored = (at: number, session: string, index: number) =>
  ({
    type: 'stored',
    at,
    episode: `${session}-${index}`,
    session,
    index,
    version: 1,
    speaker: 'Ana',
  }) as ChangeEvent;
const fact = (at: number, id: string) =>
  ({ type: 'learned', what: 'fact', at, fact: id, statement: `Statement ${id}` }) as ChangeEvent;
const entity = (at: number, name: string) =>
  ({ type: 'learned', what: 'entity', at, entity: name, name }) as ChangeEvent;

describe('feedOf', () => {
  it('joins the changes of one exchange: its turns, its facts, its new names', () => {
    const [day, ...others] = feedOf([
      entity(noon + 3, 'Lisbon'),
      fact(noon + 2, 'b'),
      entity(noon + 2, 'Clara'),
      fact(noon + 1, 'a'),
      stored(noon, 's1', 1),
      stored(noon, 's1', 0),
    ]);
    expect(others).toEqual([]);
    expect(day!.day).toBe(new Date(2026, 4, 8).getTime());
    expect(day!.entries).toMatchObject([
      { kind: 'entities', names: ['Lisbon', 'Clara'] },
      { kind: 'facts', facts: [{ fact: 'b' }, { fact: 'a' }] },
      { kind: 'stored', session: 's1', turns: [{ index: 1 }, { index: 0 }] },
    ]);
  });

  it('names no common nouns and no dates', () => {
    const [day] = feedOf(
      ['bed', "Ana's desk", '9 April 2024', 'Rex', '東京'].map((name) => entity(noon, name)),
    );
    expect(day!.entries).toMatchObject([{ kind: 'entities', names: ["Ana's desk", 'Rex', '東京'] }]);
    expect(feedOf([entity(noon, 'bed')])).toEqual([]);
  });

  it('keeps sessions, days and distant changes apart, and omits what is no change', () => {
    const days = feedOf([
      stored(noon, 's2', 0),
      stored(noon, 's1', 1),
      { type: 'missed', at: noon, since: noon },
      fact(noon, 'b'),
      fact(noon - 60 * MINUTE, 'a'),
      stored(noon - 24 * 60 * MINUTE, 's1', 0),
    ]);
    expect(days.map(({ entries }) => entries.map(({ kind }) => kind))).toEqual([
      ['stored', 'stored', 'facts', 'facts'],
      ['stored'],
    ]);
    const keys = days.flatMap(({ entries }) => entries.map(({ key }) => key));
    expect(new Set(keys).size).toBe(keys.length);
  });
});
