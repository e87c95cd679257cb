import type { Milliseconds } from '../model/ids.ts';
import type { ScopeIndex } from '../search/scope-index.ts';
import type { SearchedKind } from './route-settings.ts';

export const VALIDITIES = ['current', 'any'] as const;
/** Whether facts that have ended are eligible too. */
export type Validity = (typeof VALIDITIES)[number];

/** The rows that are eligible by time (docs/design.md, "Time"). */
export interface TimeView {
  /** Facts that began later are left out; Infinity for none. */
  readonly begunBy: Milliseconds;
  /** Facts that ended until then are left out; −Infinity for none. */
  readonly openAt: Milliseconds;
  /** Turns said later, and entities not mentioned until then, are left out; null for none. */
  readonly saidBy: Milliseconds | null;
  /** The present of the caller, whatever the question is about; Infinity where it is not given. */
  readonly now: Milliseconds;
}

export function timeView({
  validity,
  asOf,
  now,
}: {
  readonly validity: Validity;
  /** Null for a search about the present. */
  readonly asOf: Milliseconds | null;
  readonly now: Milliseconds;
}): TimeView {
  return {
    begunBy: asOf ?? Number.POSITIVE_INFINITY,
    openAt: validity === 'any' ? Number.NEGATIVE_INFINITY : (asOf ?? now),
    saidBy: asOf,
    now,
  };
}

/** By the ordinals of each kind's index, 1 for eligible rows; null where all of a kind are. */
export type Eligible = Readonly<Record<SearchedKind, Uint8Array | null>>;

export function eligibleRows(index: ScopeIndex, view: TimeView): Eligible {
  const fact = index.validity.select(view);
  if (view.saidBy === null) return { episode: withText(index, null), entity: null, fact };
  const episode = turnsUntil(index, view.saidBy);
  const entity = profilesOf(entitiesKnown(index, { episode, fact }), index);
  return { episode: withText(index, episode), entity, fact };
}

/** A turn whose text was removed is not eligible, though its neighbours may raise its score. */
function withText({ episodes, corrections }: ScopeIndex, eligible: Uint8Array | null): Uint8Array | null {
  const removed = corrections.turnsWithoutText;
  if (removed.size === 0) return eligible;
  const left = eligible?.slice() ?? new Uint8Array(episodes.length).fill(1);
  for (const id of removed) {
    const turn = episodes.ids.ordinalOf(id);
    if (turn !== undefined) left[turn] = 0;
  }
  return left;
}

function turnsUntil({ episodes }: ScopeIndex, until: Milliseconds): Uint8Array {
  const times = episodes.timeline.validAt.data;
  const said = new Uint8Array(episodes.length);
  for (let turn = 0; turn < said.length; turn++)
    if (times[turn]! <= until && episodes.conversation.isLive(turn)) said[turn] = 1;
  return said;
}

/** By entity: 1 for those that one of the turns mentions or one of the facts is about. */
function entitiesKnown(
  { entities, facts, graphs }: ScopeIndex,
  eligible: Omit<Eligible, 'entity' | 'episode'> & { readonly episode: Uint8Array },
): Uint8Array {
  const known = new Uint8Array(entities.ids.length);
  const mentions = graphs.mentions.adjacency('out');
  for (let turn = 0; turn < eligible.episode.length; turn++)
    if (eligible.episode[turn] === 1) mark(known, mentions, turn);
  const about = graphs.about.adjacency('out');
  for (let fact = 0; fact < facts.length; fact++)
    if (facts.lexical.has(fact) && eligible.fact?.[fact] !== 0) mark(known, about, fact);
  return known;
}

function mark(
  marks: Uint8Array,
  { offsets, others }: { readonly offsets: Uint32Array; readonly others: Uint32Array },
  from: number,
): void {
  // A node without edges may lie beyond the last offset.
  const end = offsets[from + 1] ?? 0;
  for (let at = offsets[from] ?? 0; at < end; at++) marks[others[at]!] = 1;
}

function profilesOf(known: Uint8Array, { entities }: ScopeIndex): Uint8Array {
  const profiles = new Uint8Array(entities.profiles.length);
  for (const { id, owner } of entities.current())
    if (known[entities.ids.ordinalOf(owner) ?? -1] === 1) profiles[entities.profiles.ids.ordinalOf(id)!] = 1;
  return profiles;
}
