import type { OutputOf } from '../../main/contract.ts';
import { DAY } from '../strings/text.ts';

export type UsageRow = OutputOf<'usage'>['rows'][number];

export interface Totals {
  readonly calls: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Dollars of the rows that have a price; null if none has. */
  readonly cost: number | null;
  /** Whether a row has no price. */
  readonly isPart: boolean;
}

export function totalsOf(rows: readonly UsageRow[]): Totals {
  const priced = rows.flatMap(({ cost }) => (cost === null ? [] : [cost]));
  return {
    calls: sum(rows.map(({ calls }) => calls)),
    promptTokens: sum(rows.map(({ promptTokens }) => promptTokens)),
    completionTokens: sum(rows.map(({ completionTokens }) => completionTokens)),
    cost: priced.length === 0 ? null : sum(priced),
    isPart: priced.length > 0 && priced.length < rows.length,
  };
}

/** Rows by a name of theirs, the largest group first. */
export function grouped(
  rows: readonly UsageRow[],
  nameOf: (row: UsageRow) => string,
): readonly (Totals & { readonly name: string })[] {
  const groups = new Map<string, UsageRow[]>();
  for (const row of rows) groups.set(nameOf(row), [...(groups.get(nameOf(row)) ?? []), row]);
  return Array.from(groups, ([name, members]) => ({ name, ...totalsOf(members) })).sort(
    (a, b) => b.promptTokens + b.completionTokens - a.promptTokens - a.completionTokens,
  );
}

export interface DayBar {
  /** ISO date. */
  readonly day: string;
  readonly chat: number;
  readonly other: number;
}

/** Tokens of each day up to `last`, also of days without any. @param last - an ISO date */
export function dayBars(rows: readonly UsageRow[], days: number, last: string): readonly DayBar[] {
  const end = Date.parse(`${last}T00:00:00Z`);
  return Array.from({ length: days }, (_, index) => {
    const day = new Date(end - (days - 1 - index) * DAY).toISOString().slice(0, 10);
    const ofDay = rows.filter((row) => row.day === day);
    const tokens = (isChat: boolean) =>
      sum(
        ofDay
          .filter(({ purpose }) => (purpose === 'chat') === isChat)
          .map(({ promptTokens, completionTokens }) => promptTokens + completionTokens),
      );
    return { day, chat: tokens(true), other: tokens(false) };
  });
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
