import type { ChangeEvent } from '../../main/contract.ts';

type Of<Type extends ChangeEvent['type']> = Extract<ChangeEvent, { readonly type: Type }>;
type LearnedFact = Extract<ChangeEvent, { readonly what: 'fact' }>;
type LearnedEntity = Extract<ChangeEvent, { readonly what: 'entity' }>;

/** What a feed shows as one entry: neighbours of the same kind together. */
export type FeedEntry = { readonly key: string; readonly at: number } & (
  | { readonly kind: 'stored'; readonly session: string; readonly turns: readonly Of<'stored'>[] }
  | { readonly kind: 'facts'; readonly facts: readonly LearnedFact[] }
  | { readonly kind: 'entities'; readonly names: readonly string[] }
  | { readonly kind: 'event'; readonly event: Exclude<ChangeEvent, Of<'stored' | 'learned' | 'missed'>> }
);

export interface FeedDay {
  /** Midnight at its beginning. */
  readonly day: number;
  readonly entries: readonly FeedEntry[];
}

/** Changes within this time may share an entry; milliseconds. */
const NEAR = 10 * 60_000;

/**
 * Changes by day, the newest first. One exchange makes many changes: its turns, what was learned from them, and the
 * names that are new become one entry each.
 */
export function feedOf(changes: readonly ChangeEvent[]): readonly FeedDay[] {
  const days = new Map<number, FeedEntry[]>();
  for (const change of changes) {
    if (change.type === 'missed' || (change.type === 'learned' && !isNews(change))) continue;
    const day = new Date(change.at).setHours(0, 0, 0, 0);
    const entries = days.get(day) ?? [];
    days.set(day, entries);
    const place = entries.findLastIndex((entry) => isNear(entry, change) && joins(entry, change));
    if (place >= 0) entries[place] = joined(entries[place]!, change);
    else entries.push(entryOf(change));
  }
  return [...days].map(([day, entries]) => ({ day, entries }));
}

/** A date, or letters without a capital where there are capitals: "9 April 2024", "bed". */
const NO_NAME = /^\d|^[^\p{Lu}\p{Lo}]*$/u;

/** Common nouns and dates that are new to memory are no news. */
const isNews = (change: Of<'learned'>) => change.what === 'fact' || !NO_NAME.test(change.name);

const isNear = (entry: FeedEntry, change: ChangeEvent) => Math.abs(entry.at - change.at) <= NEAR;

function joins(entry: FeedEntry, change: ChangeEvent): boolean {
  if (change.type === 'stored') return entry.kind === 'stored' && entry.session === change.session;
  if (change.type !== 'learned') return false;
  return entry.kind === (change.what === 'fact' ? 'facts' : 'entities');
}

function joined(entry: FeedEntry, change: ChangeEvent): FeedEntry {
  if (entry.kind === 'stored') return { ...entry, turns: [...entry.turns, change as Of<'stored'>] };
  if (entry.kind === 'facts') return { ...entry, facts: [...entry.facts, change as LearnedFact] };
  if (entry.kind === 'entities') return { ...entry, names: [...entry.names, (change as LearnedEntity).name] };
  return entry;
}

function entryOf(change: Exclude<ChangeEvent, Of<'missed'>>): FeedEntry {
  const { at } = change;
  if (change.type === 'stored')
    return {
      kind: 'stored',
      key: `stored ${change.episode} ${change.version}`,
      at,
      session: change.session,
      turns: [change],
    };
  if (change.type === 'learned')
    return change.what === 'fact'
      ? { kind: 'facts', key: `fact ${change.fact}`, at, facts: [change] }
      : { kind: 'entities', key: `entity ${change.entity}`, at, names: [change.name] };
  return { kind: 'event', key: keyOf(change), at, event: change };
}

function keyOf(event: Extract<FeedEntry, { readonly kind: 'event' }>['event']): string {
  const id = 'correction' in event ? event.correction : 'fact' in event ? event.fact : '';
  return `${event.type} ${event.at} ${id}`;
}
