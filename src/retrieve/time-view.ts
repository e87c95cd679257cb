import type { Milliseconds } from '../model/ids.ts';
import type { ReadFilter } from '../search/field-filter.ts';
import type { ScopeIndex } from '../search/scope-index.ts';
import type { SearchedKind } from './route-settings.ts';
import { fieldsOf } from './turn-filter.ts';

export const VALIDITIES = ['current', 'any'] as const;
/** Whether facts that have ended are eligible too. */
export type Validity = (typeof VALIDITIES)[number];

/** The rows that are eligible by time (docs/design.md, "Time"). */
export interface TimeView {
  /** Facts that began later are not eligible; Infinity for no limit. */
  readonly begunBy: Milliseconds;
  /** Facts that had ended by then are not eligible; −Infinity for no limit. */
  readonly openAt: Milliseconds;
  /** Turns said later, and entities not mentioned by then, are not eligible; null for no limit. */
  readonly saidBy: Milliseconds | null;
  /** Turns whose fields fail it are not eligible, nor what only they support; null for no filter. */
  readonly filter: ReadFilter | null;
  /** The caller's present, independent of the question's time; Infinity if not given. */
  readonly now: Milliseconds;
}

export function timeView({
  validity,
  asOf,
  now,
  filter = null,
}: {
  readonly validity: Validity;
  /** Null for a search about the present. */
  readonly asOf: Milliseconds | null;
  readonly now: Milliseconds;
  readonly filter?: TimeView['filter'] | undefined;
}): TimeView {
  return {
    begunBy: asOf ?? Number.POSITIVE_INFINITY,
    openAt: validity === 'any' ? Number.NEGATIVE_INFINITY : (asOf ?? now),
    saidBy: asOf,
    filter,
    now,
  };
}

/** By ordinal in the index of each kind, 1 for eligible rows; null if all of a kind are. */
export type Eligible = Readonly<Record<SearchedKind, Uint8Array | null>>;

export function eligibleRows(index: ScopeIndex, view: TimeView): Eligible {
  const fact = index.validity.select(view);
  if (view.saidBy === null && view.filter === null)
    return { episode: withText(index, null), entity: null, fact };
  const episode = turnsUntil(index, view, 'episode');
  // A filter on the kind of result passes other turns for each.
  const turnsFor = (kind: SearchedKind) =>
    view.filter?.fields.has('kind') ? turnsUntil(index, view, kind) : episode;
  const held = view.filter === null ? fact : factsOf(turnsFor('fact'), index, fact);
  const mentioned = turnsFor('entity');
  const about = mentioned === episode || view.filter === null ? held : factsOf(mentioned, index, fact);
  const entity = profilesOf(entitiesKnown(index, { episode: mentioned, fact: about }), index);
  return { episode: withText(index, episode), entity, fact: held };
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

function turnsUntil(index: ScopeIndex, { saidBy, filter }: TimeView, kind: SearchedKind): Uint8Array {
  const { conversation, timeline, length } = index.episodes;
  const times = timeline.validAt.data;
  const until = saidBy ?? Number.POSITIVE_INFINITY;
  const said = new Uint8Array(length);
  for (let turn = 0; turn < said.length; turn++)
    if (times[turn]! <= until && conversation.isLive(turn) && (filter?.(fieldsOf(index, turn, kind)) ?? true))
      said[turn] = 1;
  return said;
}

/** Of the eligible facts, those that an eligible turn supports. */
function factsOf(
  episode: Uint8Array,
  { facts, graphs }: ScopeIndex,
  eligible: Uint8Array | null,
): Uint8Array {
  const supported = new Uint8Array(facts.length);
  const evidence = graphs.evidence.adjacency('in');
  for (let turn = 0; turn < episode.length; turn++) if (episode[turn] === 1) mark(supported, evidence, turn);
  return eligible === null ? supported : supported.map((is, fact) => is & eligible[fact]!);
}

/** By entity ordinal: 1 for those that an eligible turn mentions or an eligible fact is about. */
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
  // A node without edges may be beyond the last offset.
  const end = offsets[from + 1] ?? 0;
  for (let at = offsets[from] ?? 0; at < end; at++) marks[others[at]!] = 1;
}

function profilesOf(known: Uint8Array, { entities }: ScopeIndex): Uint8Array {
  const profiles = new Uint8Array(entities.profiles.length);
  for (const { id, owner } of entities.current())
    if (known[entities.ids.ordinalOf(owner) ?? -1] === 1) profiles[entities.profiles.ids.ordinalOf(id)!] = 1;
  return profiles;
}
