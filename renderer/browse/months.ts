/** What belongs to a month, in UTC. */
export interface Month<Fact, Turn> {
  /** Such as "2023-05". */
  readonly key: string;
  readonly start: number;
  readonly facts: readonly Fact[];
  readonly turns: readonly Turn[];
}

interface Dated {
  readonly validAt: number;
}

interface Loaded<Item> {
  readonly items: readonly Item[];
  readonly hasMore: boolean;
}

/**
 * Facts and turns by month, the latest first. Months of which a list has not loaded all are left out, so that none is
 * shown with a part of its content; the latest month is always shown.
 */
export function monthsOf<Fact extends Dated, Turn extends Dated>(
  facts: Loaded<Fact>,
  turns: Loaded<Turn>,
): readonly Month<Fact, Turn>[] {
  const months = new Map<string, { facts: Fact[]; turns: Turn[] }>();
  const monthOf = ({ validAt }: Dated) => {
    const key = new Date(validAt).toISOString().slice(0, 7);
    const month = months.get(key) ?? { facts: [], turns: [] };
    months.set(key, month);
    return month;
  };
  for (const fact of facts.items) monthOf(fact).facts.push(fact);
  for (const turn of turns.items) monthOf(turn).turns.push(turn);
  const oldest = (loaded: Loaded<Dated>) => {
    const last = loaded.hasMore ? loaded.items.at(-1) : undefined;
    return last === undefined ? '' : new Date(last.validAt).toISOString().slice(0, 7);
  };
  const bounds = [oldest(facts), oldest(turns)];
  return [...months]
    .sort(([a], [b]) => (a < b ? 1 : -1))
    .filter(([key], at) => at === 0 || bounds.every((bound) => bound === '' || key > bound))
    .map(([key, month]) => ({ key, start: Date.parse(`${key}-01`), ...month }));
}
