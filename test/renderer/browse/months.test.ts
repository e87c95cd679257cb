import { describe, expect, it } from 'vitest';
import { monthsOf } from '../../../renderer/browse/months.ts';

const at = (day: string) => ({ validAt: Date.parse(day) });
const whole = <T>(items: readonly T[]) => ({ items, hasMore: false });

describe('monthsOf', () => {
  it('groups facts and turns by month, the latest first', () => {
    const months = monthsOf(whole([at('2024-03-05'), at('2024-01-31')]), whole([at('2024-03-01')]));
    expect(months.map(({ key, facts, turns }) => [key, facts.length, turns.length])).toEqual([
      ['2024-03', 1, 1],
      ['2024-01', 1, 0],
    ]);
  });

  it('leaves out months that are not loaded as a whole', () => {
    const turns = { items: [at('2024-03-05'), at('2024-02-10')], hasMore: true };
    const months = monthsOf(whole([at('2024-03-01'), at('2024-02-01'), at('2023-01-01')]), turns);
    expect(months.map(({ key }) => key)).toEqual(['2024-03']);
  });

  it('shows the latest month in any case', () => {
    expect(monthsOf(whole([]), { items: [at('2024-03-05')], hasMore: true })).toHaveLength(1);
  });
});
