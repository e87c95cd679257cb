import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Reminder } from '../../src/browse/reminders.ts';
import { Mnemis } from '../../src/engine.ts';
import { freshPath } from '../engine/memory-fixture.ts';

let now = Date.parse('2026-12-01T09:00:00Z');

const TOLD: readonly (readonly [speaker: string, content: string, at: string])[] = [
  ['Mara', 'My dentist appointment is on 3 December at 9.', '2026-11-20T10:00:00Z'],
  ['Mara', 'Lena has her driving test next Friday.', '2026-11-28T10:00:00Z'],
  ['Mara', 'I am flying to Lisbon on 9 December.', '2026-11-29T10:00:00Z'],
  ['Mara', 'We are getting married in June 2027.', '2026-11-29T10:00:00Z'],
  ['Mara', 'I moved to Ghent today.', '2025-12-01T10:00:00Z'],
  ['Mara', 'I went to the opera on 1 December.', '2024-12-03T10:00:00Z'],
  ['Mara', 'I play the cello.', '2025-12-04T10:00:00Z'],
];

describe('reminders', () => {
  let engine: Mnemis;
  const reminders = (scope = 'mara') => engine.scope(scope).knowledge.reminders('Mara');
  const short = (found: readonly Reminder[]) =>
    found.map(({ said, day }) => `${new Date(day).toISOString().slice(0, 10)} ${said.slice(0, 30)}`);
  beforeAll(async () => {
    engine = await Mnemis.open({ path: freshPath(), clock: () => now });
    const memory = engine.scope('mara');
    await memory.add(
      TOLD.map(([speaker, content, at], index) => ({
        ...{ speaker, content, at, role: 'user' as const, session: `s${index}` },
      })),
    );
    await memory.flush();
  });
  afterAll(() => engine.close());

  it('are what is ahead this week by its day, each with its turn, and no further', async () => {
    const { ahead } = await reminders();
    expect(short(ahead)).toEqual([
      '2026-12-03 Your dentist appointment is on',
      '2026-12-04 Lena has her driving test next',
    ]);
    expect(ahead[0]!.sources).toMatchObject([{ session: 's0', index: 0 }]);
  });

  it('are what happened on the day in earlier years, told then or later', async () => {
    expect(short((await reminders()).before)).toEqual([
      '2025-12-01 You moved to Ghent today (1 De',
      '2024-12-01 You went to the opera on 1 Dec',
    ]);
  });

  it('are what was told on the day where nothing is dated on it', async () => {
    now = Date.parse('2026-12-04T09:00:00Z');
    const { ahead, before } = await reminders();
    expect(short(before)).toEqual(['2025-12-04 You play the cello']);
    expect(short(ahead).map((line) => line.slice(0, 10))).toEqual(['2026-12-04', '2026-12-09']);
    now = Date.parse('2026-12-20T09:00:00Z');
    expect(await reminders()).toEqual({ ahead: [], before: [] });
    expect(await reminders('nobody')).toEqual({ ahead: [], before: [] });
  });

  it('leave with what is forgotten', async () => {
    now = Date.parse('2026-12-01T09:00:00Z');
    const memory = engine.scope('mara');
    const [dentist] = (await reminders()).ahead;
    await memory.forget({ episode: dentist!.sources[0]!.episode });
    expect(short((await reminders()).ahead)).toEqual(['2026-12-04 Lena has her driving test next']);
  });
});
