import type { Neighbours, NeighboursOf } from '../answer/candidate-quotes.ts';
import type { FormerState, FormerStates } from '../answer/extractive-answer.ts';
import { factsOf } from '../browse/people.ts';
import type { EntityId, Milliseconds } from '../model/ids.ts';
import type { RetrievedEpisode, RetrievedFact, RetrievedItem } from '../model/retrieved-item.ts';
import { hydrateEpisodes, hydrateFacts } from '../retrieve/hydrate.ts';
import type { TimeView } from '../retrieve/time-view.ts';
import { timeView } from '../retrieve/time-view.ts';
import { analyze } from '../search/analyzer.ts';
import { NONE } from '../search/timeline.ts';
import { everHeld } from '../util/validity.ts';
import type { MemoryView } from './past/known-indexes.ts';

interface Then {
  /** Null for the present. */
  readonly asOf: Milliseconds | null;
  readonly now: Milliseconds;
}

/** The turn before each found turn, and the one after those that ask; only turns said by then. */
export async function neighboursOf(
  view: MemoryView,
  episodes: readonly RetrievedEpisode[],
  { asOf, now }: Then,
): Promise<NeighboursOf> {
  const { ids, timeline, conversation } = view.index.episodes;
  const idAt = (turn: number): string | null =>
    turn === NONE || !conversation.isLive(turn) || (asOf !== null && timeline.validAt.at(turn) > asOf)
      ? null
      : ids.idOf(turn);
  const places = episodes.map((episode) => {
    const turn = ids.ordinalOf(episode.id);
    if (turn === undefined) return { id: episode.id, before: null, after: null };
    const after = episode.content.includes('?') ? idAt(timeline.next.at(turn)) : null;
    return { id: episode.id, before: idAt(timeline.previous.at(turn)), after };
  });
  const found = new Map(episodes.map((episode) => [episode.id as string, episode]));
  const votes = new Map(
    places.flatMap(({ id, after }) => (after === null ? [] : [[after, found.get(id)!.why] as const])),
  );
  const missing = [...new Set(places.flatMap(({ before, after }) => [before, after]))].filter(
    (id) => id !== null && !found.has(id),
  ) as string[];
  const items = missing.map((key) => ({ key, score: 0, votes: votes.get(key) ?? [] }));
  const rows = { ...view, view: viewOf({ asOf, now }) };
  const read = new Map((await hydrateEpisodes(rows, items)).map((each) => [each.id as string, each]));
  const turnOf = (id: string | null) => (id === null ? undefined : (found.get(id) ?? read.get(id)));
  return new Map(
    places.map(({ id, before, after }): [string, Neighbours] => [
      id,
      { before: turnOf(before), after: turnOf(after) },
    ]),
  );
}

/** At most this many of the newest are read. */
const MOST_FACTS = 200;

/** The facts about an entity that hold then, the newest first. */
export async function currentFacts(
  view: MemoryView,
  entity: EntityId,
  { asOf, now }: Then,
): Promise<readonly RetrievedFact[]> {
  const { validity, facts } = view.index;
  const within = { begunBy: asOf ?? Number.POSITIVE_INFINITY, openAt: asOf ?? now };
  const newest = factsOf(view.index, entity)
    .filter((fact) => validity.isWithin(fact, within))
    .sort((a, b) => validity.validAt(b) - validity.validAt(a) || b - a)
    .slice(0, MOST_FACTS)
    .map((fact) => ({ key: facts.ids.idOf(fact), score: 0, votes: [] }));
  const read = await hydrateFacts({ ...view, view: viewOf({ asOf, now }) }, newest);
  return read.filter(({ sources }) => sources.length > 0);
}

function viewOf({ asOf, now }: Then): TimeView {
  return timeView({ validity: 'any', asOf, now });
}

/** States that the items replaced: superseding facts and their source turns. */
export async function formerStates(
  view: MemoryView,
  items: readonly RetrievedItem[],
  now: Milliseconds,
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
  const keys = [...new Set([...former].flat(2))];
  const read = await hydrateFacts(
    { ...view, view: viewOf({ asOf: null, now }) },
    keys.map((key) => ({ key, score: 0, votes: [] })),
  );
  const facts = new Map(read.map((fact) => [fact.id as string, fact]));
  const states = items.flatMap((item) => {
    const state = factsIn(item)
      .flatMap((id) =>
        stateOf(
          facts.get(id),
          (former.get(id) ?? []).flatMap((each) => facts.get(each) ?? []),
        ),
      )
      .find((each) => item.kind === 'fact' || sharesWords(item, each));
    return state === undefined ? [] : [[item.id as string, state] as const];
  });
  return new Map(states);
}

/** With the latest of the facts that it superseded, if that one held for some time. */
function stateOf(now: RetrievedFact | undefined, before: readonly RetrievedFact[]): readonly FormerState[] {
  const held = before
    .filter((fact) => fact.invalidAt !== null && everHeld(fact) && fact.sources.length > 0)
    .toSorted((a, b) => b.invalidAt! - a.invalidAt!);
  return now === undefined || now.invalidAt !== null || held[0] === undefined
    ? []
    : [{ now, before: held[0] }];
}

function sharesWords(item: RetrievedItem, { now, before }: FormerState): boolean {
  if (item.kind !== 'episode') return false;
  const old = new Set(analyze(before.statement));
  const words = new Set(analyze(item.content));
  return analyze(now.statement).some((term) => !old.has(term) && words.has(term));
}
