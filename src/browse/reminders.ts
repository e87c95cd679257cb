import type { IndexedScope } from '../ingest/ingest-context.ts';
import type { Milliseconds } from '../model/ids.ts';
import type { Fact } from '../model/nodes.ts';
import { DAY, startOfDay } from '../time/calendar.ts';
import { inSecondPerson } from '../util/second-person.ts';
import { type FactLine, factLinesOf } from './fact-line.ts';
import { namesOfUser } from './people.ts';

/** A dated fact to remind a person of. */
export interface Reminder extends FactLine {
  /** The statement as it is said to the user: "You fly to Lisbon". */
  readonly said: string;
  /** The day of it, at 0:00 UTC: today or later for what is ahead, the day in an earlier year for the rest. */
  readonly day: Milliseconds;
}

/** What dated facts say about a day. */
export interface Reminders {
  /** What happens from today on, within a week; the next first. */
  readonly ahead: readonly Reminder[];
  /** What happened, or was told, on this day of earlier years; the latest first. */
  readonly before: readonly Reminder[];
}

const DAYS_AHEAD = 7;
const [MOST_AHEAD, MOST_BEFORE] = [5, 3];
/** An event is looked for among the newest facts that were told within this time. */
const TOLD_WITHIN = 400 * DAY;
const MOST_READ = 2_000;

type RemindedScope = Pick<IndexedScope, 'index' | 'scope' | 'clock'> & {
  readonly store: Pick<IndexedScope['store'], 'get' | 'relationships'>;
};

/**
 * What is ahead this week, and what this day was in earlier years, by facts whose statement names a day; a day of an
 * earlier year without one has what was told on it.
 *
 * @param name - the user's name, where the app knows it.
 * @param offset - how far the user's clock is ahead of UTC, in milliseconds: today is the day that it shows.
 */
export async function remindersOf(context: RemindedScope, name = '', offset = 0): Promise<Reminders> {
  const { index, store, scope, clock } = context;
  const now = clock() + offset;
  const today = startOfDay(now);
  const ids = candidates(index, now).map((fact) => index.facts.ids.idOf(fact));
  const rows = ids.length === 0 ? [] : await store.get(scope, 'fact', ids);
  const live = rows.filter(
    ({ expiredAt, invalidAt }) => expiredAt === null && (invalidAt === null || invalidAt > now),
  );
  const dated = live.flatMap((row) => {
    const day = row.event?.precision === 'day' ? startOfDay(row.event.start) : null;
    return day === null ? [] : [{ row, day }];
  });
  const ahead = dated
    .filter(({ day }) => day >= today && day < today + DAYS_AHEAD * DAY)
    .sort((a, b) => a.day - b.day);
  const told = live
    .filter(({ event }) => event === null)
    .map((row) => ({ row, day: startOfDay(row.validAt) }));
  const isThisDay = ({ day }: { readonly day: Milliseconds }) => isDayOfEarlierYear(day, today);
  const happened = dated.filter(isThisDay);
  const before = (happened.length > 0 ? happened : told.filter(isThisDay)).sort((a, b) => b.day - a.day);
  const names = await namesOfUser(context, name);
  const shown = (found: readonly { readonly row: Fact; readonly day: Milliseconds }[]): Reminder[] => {
    const lines = factLinesOf(
      context,
      found.map(({ row }) => row),
    );
    return lines.map((line, at) => ({
      ...line,
      said: inSecondPerson(line.statement, names),
      day: found[at]!.day,
    }));
  };
  return { ahead: shown(ahead.slice(0, MOST_AHEAD)), before: shown(before.slice(0, MOST_BEFORE)) };
}

/** Ordinals of facts that may have an event of this week, and of those from this day of an earlier year. */
function candidates({ facts, validity }: RemindedScope['index'], now: Milliseconds): readonly number[] {
  const today = startOfDay(now);
  const recent: number[] = [];
  const others: number[] = [];
  for (let fact = facts.ids.length - 1; fact >= 0; fact--) {
    if (!facts.lexical.has(fact)) continue;
    const at = validity.validAt(fact);
    if (isDayOfEarlierYear(startOfDay(at), today)) others.push(fact);
    else if (now - at < TOLD_WITHIN) recent.push(fact);
  }
  const newest = recent.sort((a, b) => validity.validAt(b) - validity.validAt(a)).slice(0, MOST_READ);
  return [...newest, ...others.slice(0, MOST_READ)];
}

function isDayOfEarlierYear(day: Milliseconds, today: Milliseconds): boolean {
  if (day >= today) return false;
  const [then, now] = [new Date(day), new Date(today)];
  return (
    then.getUTCMonth() === now.getUTCMonth() &&
    then.getUTCDate() === now.getUTCDate() &&
    then.getUTCFullYear() < now.getUTCFullYear()
  );
}
