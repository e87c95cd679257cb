import {
  type Change,
  changesAnswer,
  changesAsked,
  changesIn,
  WORDS_OF_CHANGE,
} from '../answer/changes-answer.ts';
import type { GivenAnswer } from '../answer/given-answer.ts';
import { endingTurns } from '../answer/replaced-quotes.ts';
import { bestKnown, factsOf, soleUser } from '../browse/people.ts';
import type { EntityId, Milliseconds } from '../model/ids.ts';
import type { RetrievedEpisode, SearchResult } from '../model/retrieved-item.ts';
import { analyze } from '../search/analyzer.ts';
import type { MemoryView } from './past/known-indexes.ts';
import { factsById, formerStates, mayQuote, mayQuoteTurn, type Then, turnsById } from './quoting-view.ts';

/** At most this many of the newest facts are read. */
const MOST_READ = 1_000;

/** And of the newest turns with each word of change. */
const MOST_TURNS = 40;

/**
 * What has changed for the one whom a question such as "What has changed for Gina since March?" names, or for the one
 * who asks it; null for other questions, and for somebody whom memory does not know.
 */
export async function changesFor(
  view: MemoryView,
  search: SearchResult,
  { asker, time }: { readonly asker?: string | undefined; readonly time: Then },
): Promise<GivenAnswer | null> {
  const now = time.asOf ?? time.now;
  const asked = changesAsked(search.query, now);
  if (asked === null) return null;
  const name = asked.name ?? asker ?? (await soleUser(view));
  const entity = name === null ? null : bestKnown(view.index, name);
  if (entity === null) return null;
  return changesAnswer(search, await changesOf(view, entity, { since: asked.since, time }));
}

/** What has changed for an entity, since a time if that is given. */
export async function changesOf(
  view: MemoryView,
  entity: EntityId,
  { since = null, time }: { readonly since?: Milliseconds | null; readonly time: Then },
): Promise<readonly Change[]> {
  const { validity, facts } = view.index;
  const ids = factsOf(view.index, entity)
    .sort((a, b) => validity.validAt(b) - validity.validAt(a) || b - a)
    .slice(0, MOST_READ)
    .map((fact) => facts.ids.idOf(fact))
    .filter(mayQuote(view, time));
  const read = (await factsById(view, ids, time)).filter(({ sources }) => sources.length > 0);
  const former = await formerStates(view, read, time);
  const turns = await turnsOfChange(view, new Set([view.index.entities.profileOf(entity)!.name]), time);
  return changesIn({ facts: read, turns }, former, { since, now: time.asOf ?? time.now });
}

/** Turns that end what found turns say, by their speakers: "I gave up the lapsang" of "I drink that smoky lapsang". */
export async function endingsOf(
  view: MemoryView,
  { episodes, facts }: Pick<SearchResult, 'episodes' | 'facts'>,
  time: Then,
): Promise<readonly RetrievedEpisode[]> {
  const found = new Set(episodes.map(({ id }) => id));
  const speakers = new Set(episodes.map(({ speaker }) => speaker));
  const turns = await turnsOfChange(view, speakers, time);
  return endingTurns(
    turns.filter(({ id }) => !found.has(id)),
    [...episodes.map(({ content }) => content), ...facts.map(({ statement }) => statement)],
  );
}

/** Turns of speakers with a word of change. */
async function turnsOfChange(
  view: MemoryView,
  speakers: ReadonlySet<string>,
  time: Then,
): Promise<readonly RetrievedEpisode[]> {
  const { conversation, timeline, ids } = view.index.episodes;
  const mayQuote = mayQuoteTurn(time);
  const isOwn = (turn: number) =>
    mayQuote(turn) && speakers.has(timeline.speakers[timeline.speaker.at(turn)] ?? '');
  const found = analyze(WORDS_OF_CHANGE).flatMap((term) => conversation.turnsWith(term, MOST_TURNS, isOwn));
  return turnsById(
    view,
    [...new Set(found)].map((turn) => ids.idOf(turn)),
    time,
  );
}
