import { InvalidInputError } from '../errors/index.ts';
import { entitiesBelow } from '../hierarchy/traverse/hierarchy-view.ts';
import type { IndexedScope } from '../ingest/ingest-context.ts';
import type { Milliseconds } from '../model/ids.ts';
import type { Episode } from '../model/nodes.ts';
import type { TimeInput } from '../model/time-input.ts';
import type { ScopeIndex } from '../search/scope-index.ts';
import { parseTimestamp } from '../util/parse-timestamp.ts';
import { hasEnded } from '../util/validity.ts';
import { type FactLine, factLines } from './fact-line.ts';
import { BY_TIME, type Page, type PageRequest, pageGradually } from './history/page.ts';
import { factsOf, knownEntity } from './people.ts';

/** A period: from the one time on, and before the other. */
export interface Period {
  readonly from?: TimeInput | undefined;
  readonly to?: TimeInput | undefined;
}

/** Which facts to list, the latest first. Every condition is optional; a fact has to pass all of them. */
export interface FactListRequest extends PageRequest, Period {
  /** Facts about this entity, by id or by a name that no other entity has. */
  readonly entity?: string | undefined;
  /** Facts about entities below this category, by id. */
  readonly category?: string | undefined;
  /** Facts that hold, have ended, or both (default). */
  readonly state?: 'holds' | 'ended' | 'any' | undefined;
  /**
   * What the period and the order are about: when facts began to hold (default), or when they ended, which leaves out
   * facts without an end.
   */
  readonly by?: 'begun' | 'ended' | undefined;
}

/** Which turns to list, the latest first. Every condition is optional; a turn has to pass all of them. */
export interface TurnListRequest extends PageRequest, Period {
  /** Turns that mention this entity, by id or by a name that no other entity has. */
  readonly entity?: string | undefined;
  readonly session?: string | undefined;
  readonly speaker?: string | undefined;
  readonly source?: string | undefined;
}

/**
 * Facts that memory believes, page by page. Reads the index, and rows only of the page.
 *
 * @throws InvalidInputError for an unknown entity, an ambiguous name, an invalid time or page.
 */
export async function factsListed(
  context: IndexedScope,
  { entity, category, state = 'any', by = 'begun', limit, after, ...period }: FactListRequest,
): Promise<Page<FactLine>> {
  const { index, clock } = context;
  const now = clock();
  const isIn = within(period);
  const timeOf = (fact: number) =>
    by === 'begun' ? index.validity.validAt(fact) : index.validity.invalidAt(fact);
  const holds = (fact: number) => !hasEnded(index.validity.invalidAt(fact), now);
  const placeOf = (fact: number) => {
    // A commit may come in between.
    if (!index.facts.lexical.has(fact) || (by === 'ended' && !index.validity.hasEnd(fact))) return null;
    if (state !== 'any' && holds(fact) !== (state === 'holds')) return null;
    const at = timeOf(fact);
    return isIn(at) ? { at: -at, createdAt: -fact, id: index.facts.ids.idOf(fact) } : null;
  };
  const facts = factsAbout(index, { entity, category });
  const page = await pageGradually(facts, { order: BY_TIME, placeOf }, { limit, after });
  const lines = await factLines(
    context,
    page.items.map((fact) => index.facts.ids.idOf(fact)),
  );
  return { ...page, items: lines };
}

/**
 * Live turns, page by page. Reads the index, and rows only of the page.
 *
 * @throws InvalidInputError for an unknown entity, an ambiguous name, an invalid time or page.
 */
export async function turnsListed(
  { store, scope, index }: IndexedScope,
  { entity, session, speaker, source, limit, after, ...period }: TurnListRequest,
): Promise<Page<Episode>> {
  const { timeline, ids, conversation } = index.episodes;
  const isIn = within(period);
  const has = (names: readonly string[], number: number, wanted: string | undefined) =>
    wanted === undefined || names[number] === wanted;
  const placeOf = (turn: number) => {
    // A commit may come in between.
    if (!conversation.isLive(turn)) return null;
    if (!has(timeline.sessions, timeline.session.at(turn), session)) return null;
    if (!has(timeline.speakers, timeline.speaker.at(turn), speaker)) return null;
    if (!has(timeline.sources, timeline.source.at(turn), source)) return null;
    const at = timeline.validAt.at(turn);
    return isIn(at) ? { at: -at, createdAt: -turn, id: ids.idOf(turn) } : null;
  };
  const turns = turnsMentioning(index, entity);
  const page = await pageGradually(turns, { order: BY_TIME, placeOf }, { limit, after });
  const rows = await store.get(
    scope,
    'episode',
    page.items.map((turn) => ids.idOf(turn)),
  );
  return { ...page, items: rows };
}

/** Ordinals of live facts, of all or of those about an entity or a category. */
export function factsAbout(
  index: ScopeIndex,
  { entity, category }: Pick<FactListRequest, 'entity' | 'category'>,
): Iterable<number> {
  if (entity !== undefined) return factsOf(index, knownEntity(index, entity));
  if (category !== undefined) {
    if (!index.hierarchy.has(category)) throw new InvalidInputError('No category of this scope has that id');
    return factsBelow(index, category);
  }
  return liveOrdinals(index.validity.length, (fact) => index.facts.lexical.has(fact));
}

/** Each fact once, whatever the number of entities below the category that it is about. */
function* factsBelow(index: ScopeIndex, category: string): Iterable<number> {
  const { offsets, others } = index.graphs.about.adjacency('in');
  const seen = new Set<number>();
  for (const id of entitiesBelow(category, index.hierarchy)) {
    const entity = index.entities.ids.ordinalOf(id) ?? offsets.length;
    for (let edge = offsets[entity] ?? 0; edge < (offsets[entity + 1] ?? 0); edge++) {
      const fact = others[edge]!;
      if (seen.has(fact) || !index.facts.lexical.has(fact)) continue;
      seen.add(fact);
      yield fact;
    }
  }
}

/** Ordinals of live turns, of all or of those that mention an entity. */
export function turnsMentioning(index: ScopeIndex, entity: string | undefined): Iterable<number> {
  const { ids, conversation, length } = index.episodes;
  if (entity !== undefined)
    return index.mentionsOf(knownEntity(index, entity)).map((id) => ids.ordinalOf(id)!);
  return liveOrdinals(length, (turn) => conversation.isLive(turn));
}

/** @throws InvalidInputError for text that is not a time. */
export function within(period: Period): (at: Milliseconds) => boolean {
  const { first, end } = boundsOf(period);
  if (first === undefined && end === undefined) return () => true;
  return (at) => at >= (first ?? Number.NEGATIVE_INFINITY) && at < (end ?? Number.POSITIVE_INFINITY);
}

/** A period as times; undefined where it has no bound. */
export interface Bounds {
  readonly first: Milliseconds | undefined;
  readonly end: Milliseconds | undefined;
}

/** @throws InvalidInputError for text that is not a time. */
export function boundsOf({ from, to }: Period): Bounds {
  return { first: timeOf('from', from), end: timeOf('to', to) };
}

function timeOf(name: string, value: TimeInput | undefined): Milliseconds | undefined {
  const time = value === undefined ? undefined : parseTimestamp(value);
  if (time === null)
    throw new InvalidInputError(`${name} is not a time; give milliseconds or text such as "2023-05-08"`);
  return time;
}

function* liveOrdinals(length: number, isLive: (ordinal: number) => boolean): Iterable<number> {
  for (let ordinal = 0; ordinal < length; ordinal++) if (isLive(ordinal)) yield ordinal;
}
