import { MOST_EARLIER, type Neighbours, type NeighboursOf } from '../answer/candidate-quotes.ts';
import type { FormerState, FormerStates } from '../answer/extractive-answer.ts';
import { factsOf } from '../browse/people.ts';
import type { EntityId, Milliseconds } from '../model/ids.ts';
import type { RetrievedEpisode, RetrievedFact, RetrievedItem } from '../model/retrieved-item.ts';
import { hydrateEpisodes, hydrateFacts } from '../retrieve/hydrate.ts';
import type { Eligible, TimeView } from '../retrieve/time-view.ts';
import { eligibleRows, timeView } from '../retrieve/time-view.ts';
import { analyze } from '../search/analyzer.ts';
import type { LookBack } from '../search/look-back.ts';
import { NONE } from '../search/timeline.ts';
import { isQuestion } from '../util/questions.ts';
import { everHeld, hasEnded } from '../util/validity.ts';
import type { MemoryView } from './past/known-indexes.ts';

export interface Then {
  /** Null for the present. */
  readonly asOf: Milliseconds | null;
  readonly now: Milliseconds;
  /** Rows that may be quoted: those that had begun by then and pass the filter of the call, ended facts among them. */
  readonly eligible: Eligible;
}

/** What decides of what time, and from which turns, a call is answered. */
export interface CallView {
  readonly times: LookBack;
  readonly clock: () => Milliseconds;
  readonly filter?: TimeView['filter'] | undefined;
}

/** The "now" of a question: its `knownAt`, else the clock. */
export function presentOf({ knownAt }: LookBack, clock: () => Milliseconds): Milliseconds {
  return knownAt ?? clock();
}

export function thenOf(
  { index }: Pick<MemoryView, 'index'>,
  { times: { asOf, ...times }, clock, filter }: CallView,
): Then {
  const now = presentOf({ asOf, ...times }, clock);
  return { asOf, now, eligible: eligibleRows(index, timeView({ validity: 'any', asOf, now, filter })) };
}

/** A row that a commit added since is not known to pass. */
function isEligible(rows: Uint8Array | null, ordinal: number | undefined): boolean {
  return rows === null || (ordinal !== undefined && rows[ordinal] === 1);
}

/**
 * The turn before each found turn, the reply to those that ask, and the turns further up where one of them asks;
 * only turns that may be quoted.
 */
export async function neighboursOf(
  view: MemoryView,
  episodes: readonly RetrievedEpisode[],
  then: Then,
): Promise<NeighboursOf> {
  const { ids, timeline, conversation } = view.index.episodes;
  const mayQuote = mayQuoteTurn(then);
  const idAt = (turn: number): string | null =>
    turn === NONE || !conversation.isLive(turn) || !mayQuote(turn) ? null : ids.idOf(turn);
  const places = episodes.map((episode) => {
    const { id, content } = episode;
    const turn = ids.ordinalOf(id);
    if (turn === undefined) return { episode, turn: NONE, before: null, after: null };
    const after = content.includes('?') || isQuestion(content) ? idAt(timeline.next.at(turn)) : null;
    return { episode, turn, before: idAt(timeline.previous.at(turn)), after };
  });
  const known = new Map(episodes.map((episode) => [episode.id as string, episode]));
  const votes = new Map(
    places.flatMap(({ episode, after }) => (after === null ? [] : [[after, episode.why] as const])),
  );
  const read = async (wanted: readonly (string | null)[]) => {
    const missing = [...new Set(wanted)].filter((id): id is string => id !== null && !known.has(id));
    const items = missing.map((key) => ({ key, score: 0, votes: votes.get(key) ?? [] }));
    const rows = { ...view, view: viewOf(then) };
    for (const each of await hydrateEpisodes(rows, items)) known.set(each.id, each);
  };
  const turnOf = (id: string | null) => (id === null ? undefined : known.get(id));
  await read(places.flatMap(({ before, after }) => [before, after]));
  const further = places.map(({ episode, turn, before }) => {
    const earlier: string[] = [];
    const asks = [episode, turnOf(before)].some((each) => each !== undefined && isQuestion(each.content));
    let at = turn === NONE || !asks ? NONE : timeline.previous.at(turn);
    while (at !== NONE && earlier.length < MOST_EARLIER) {
      at = timeline.previous.at(at);
      const id = idAt(at);
      if (id === null) break;
      earlier.push(id);
    }
    return earlier;
  });
  await read(further.flat());
  return new Map(
    places.map(({ episode, before, after }, at): [string, Neighbours] => [
      episode.id,
      {
        before: turnOf(before),
        after: turnOf(after),
        earlier: further[at]!.flatMap((id) => turnOf(id) ?? []),
      },
    ]),
  );
}

/** At most this many of the newest are read. */
const MOST_FACTS = 200;

/** Whether a turn, by its ordinal, may be quoted. */
export function mayQuoteTurn({ eligible }: Then): (turn: number) => boolean {
  return (turn) => isEligible(eligible.episode, turn);
}

/** Whether a fact, by its id, may be quoted, perhaps as one that has ended. */
export function mayQuote(
  { index: { facts } }: Pick<MemoryView, 'index'>,
  then: Then,
): (id: string) => boolean {
  return (id) => isEligible(then.eligible.fact, facts.ids.ordinalOf(id));
}

/** Whether a fact, by its ordinal, holds then and may be quoted. */
export function isCurrent(
  { index: { validity } }: Pick<MemoryView, 'index'>,
  then: Then,
): (fact: number) => boolean {
  const { asOf, now, eligible } = then;
  const within = { begunBy: asOf ?? Number.POSITIVE_INFINITY, openAt: asOf ?? now };
  return (fact) => validity.isWithin(fact, within) && isEligible(eligible.fact, fact);
}

/** The facts about an entity that hold then and may be quoted, the newest first. */
export async function currentFacts(
  view: MemoryView,
  entity: EntityId,
  then: Then,
): Promise<readonly RetrievedFact[]> {
  const { validity, facts } = view.index;
  const ids = factsOf(view.index, entity)
    .filter(isCurrent(view, then))
    .sort((a, b) => validity.validAt(b) - validity.validAt(a) || b - a)
    .slice(0, MOST_FACTS)
    .map((fact) => facts.ids.idOf(fact));
  const read = await factsById(view, ids, then);
  return read.filter(({ sources }) => sources.length > 0);
}

/** Facts that no search found. */
export async function factsById(
  view: MemoryView,
  ids: readonly string[],
  then: Then,
): Promise<readonly RetrievedFact[]> {
  const items = ids.map((key) => ({ key, score: 0, votes: [] }));
  return hydrateFacts({ ...view, view: viewOf(then) }, items);
}

/** Turns that no search found. */
export async function turnsById(
  view: MemoryView,
  ids: readonly string[],
  then: Then,
): Promise<readonly RetrievedEpisode[]> {
  const items = ids.map((key) => ({ key, score: 0, votes: [] }));
  return hydrateEpisodes({ ...view, view: viewOf(then) }, items);
}

function viewOf({ asOf, now }: Pick<Then, 'asOf' | 'now'>): TimeView {
  return timeView({ validity: 'any', asOf, now });
}

/** States that the items replaced: superseding facts and their source turns; only what may be quoted. */
export async function formerStates(
  view: MemoryView,
  items: readonly RetrievedItem[],
  then: Then,
): Promise<FormerStates> {
  const { index, store, scope } = view;
  const factsIn = (item: RetrievedItem): readonly string[] =>
    item.kind === 'fact' ? [item.id] : item.kind === 'episode' ? index.factsEvidencedBy(item.id) : [];
  const wanted = [...new Set(items.flatMap(factsIn))];
  if (wanted.length === 0) return new Map();
  const former = new Map<string, string[]>();
  for await (const batch of store.relationships(scope, 'SUPERSEDES', { from: wanted }))
    for (const { from, to } of batch) former.set(from, [...(former.get(from) ?? []), to]);
  if (former.size === 0) return new Map();
  const ids = [...new Set([...former].flat(2))].filter(mayQuote(view, then));
  const read = await factsById(view, ids, then);
  const facts = new Map(read.map((fact) => [fact.id as string, fact]));
  const states = items.flatMap((item) => {
    const state = factsIn(item)
      .flatMap((id) =>
        stateOf(
          facts.get(id),
          (former.get(id) ?? []).flatMap((each) => facts.get(each) ?? []),
          then.asOf ?? then.now,
        ),
      )
      .find((each) => item.kind === 'fact' || sharesWords(item, each));
    return state === undefined ? [] : [[item.id as string, state] as const];
  });
  return new Map(states);
}

/** With the latest of the facts that it superseded, if that one held for some time. */
function stateOf(
  now: RetrievedFact | undefined,
  before: readonly RetrievedFact[],
  at: Milliseconds,
): readonly FormerState[] {
  const held = before
    .filter((fact) => fact.invalidAt !== null && everHeld(fact) && fact.sources.length > 0)
    .toSorted((a, b) => b.invalidAt! - a.invalidAt!);
  return now === undefined || hasEnded(now.invalidAt, at) || held[0] === undefined
    ? []
    : [{ now, before: held[0] }];
}

function sharesWords(item: RetrievedItem, { now, before }: FormerState): boolean {
  if (item.kind !== 'episode') return false;
  const old = new Set(analyze(before.statement));
  const words = new Set(analyze(item.content));
  return analyze(now.statement).some((term) => !old.has(term) && words.has(term));
}
