import { entitiesBelow } from '../hierarchy/traverse/hierarchy-view.ts';
import type { EpisodeId, Milliseconds } from '../model/ids.ts';
import type { Fact, Profile } from '../model/nodes.ts';
import type {
  RetrievedEntity,
  RetrievedEpisode,
  RetrievedFact,
  SourceTurn,
} from '../model/retrieved-item.ts';
import { isSilent } from '../model/turn-input.ts';
import { bestPassage } from '../search/passages.ts';
import type { ScopeIndex } from '../search/scope-index.ts';
import { offsetIn } from '../util/speaker-clock.ts';
import type { FusedItem } from './fuse.ts';
import type { Question } from './question.ts';
import type { SearchContext } from './route.ts';
import type { TimeView } from './time-view.ts';

interface Rows extends Pick<SearchContext, 'scope' | 'store' | 'index'> {
  readonly view: TimeView;
  /** Whose words the passage of a long turn says. */
  readonly question?: Question | undefined;
  /** Set for a past time. */
  readonly describe?: DescribeEntity | undefined;
}

/** Maximum of sources of an entity, newest first: thousands of turns may mention it. */
const SOURCES_OF_ENTITY = 5;
/** Maximum of entities of a category whose turns are read for its sources. */
const MOST_ENTITIES_LOOKED_AT = 50;

export async function hydrateEpisodes(
  { scope, store, index, question }: Rows,
  items: readonly FusedItem<string>[],
): Promise<RetrievedEpisode[]> {
  const ids = items.map(({ key }) => key);
  const rows = byId(await store.get(scope, 'episode', ids));
  const terms = question === undefined ? new Map<string, number>() : weightsOf(question, index);
  return ranked(items, (item) => {
    const row = rows.get(item.key);
    // The index of an earlier time may still hold a turn whose text was removed.
    if (row === undefined || isSilent(row)) return null;
    const { id, content, speaker, role, session, validAt, source, sourceId, attachments } = row;
    const offset = offsetIn(row);
    const passage = bestPassage(content, terms);
    return {
      kind: 'episode',
      ...(offset === 0 ? {} : { offset }),
      id,
      content,
      ...(passage === null ? {} : { passage }),
      speaker,
      role,
      session,
      index: row.index,
      validAt,
      source,
      sourceId,
      attachments,
      ...trace(item),
      sources: sourceTurns([id], index),
    };
  });
}

/** The words of a question, each with its inverse document frequency among turns. */
function weightsOf({ terms, allTerms }: Question, index: ScopeIndex): ReadonlyMap<string, number> {
  const { conversation } = index.episodes;
  const idf = (term: string) => conversation.inverseDocumentFrequency(conversation.documentFrequency(term));
  return new Map((terms.length > 0 ? terms : allTerms).map((term) => [term, idf(term)]));
}

/**
 * For a past time, the sources of a fact are the turns said by then. If all were said later ("I lived in Oslo back
 * then"), all are given, since a fact needs a source.
 */
export async function hydrateFacts(
  { scope, store, index, view: { saidBy } }: Rows,
  items: readonly FusedItem<string>[],
): Promise<RetrievedFact[]> {
  const ids = items.map(({ key }) => key);
  const rows = byId(await store.get(scope, 'fact', ids));
  return ranked(items, (item) => {
    const row = rows.get(item.key);
    if (row === undefined) return null;
    const { id, statement, kind: factKind, validAt, invalidAt, event, confidence } = row;
    const evidence = index.evidenceOf(id);
    const then = turnsUntil(evidence, { index, saidBy });
    const turns = then.length > 0 ? then : evidence;
    return {
      kind: 'fact',
      id,
      statement,
      factKind,
      validAt,
      invalidAt,
      event,
      confidence,
      ...trace(item),
      ...(firstSaid(turns, index) ?? { saidAt: validAt }),
      sources: sourceTurns(turns, index),
    };
  });
}

function firstSaid(
  turns: readonly string[],
  { episodes: { ids, timeline } }: ScopeIndex,
): Pick<RetrievedFact, 'saidAt' | 'offset'> | null {
  const ordinals = turns.map((id) => ids.ordinalOf(id)).filter((ordinal) => ordinal !== undefined);
  const [first] = ordinals.sort((a, b) => timeline.validAt.at(a) - timeline.validAt.at(b));
  if (first === undefined) return null;
  const offset = timeline.offset.at(first);
  return { saidAt: timeline.validAt.at(first), ...(offset === 0 ? {} : { offset }) };
}

/** Entities and categories, which share one ranking. */
export async function hydrateEntities(
  rows: Rows,
  items: readonly FusedItem<string>[],
): Promise<RetrievedEntity[]> {
  const { scope, store, index, view, describe } = rows;
  const current = items.map(({ key }) => index.profileOf(key)?.id);
  const ids = current.filter((id) => id !== undefined);
  const profiles: ReadonlyMap<string, Profile> = byId(await store.get(scope, 'profile', ids));
  const then =
    describe === undefined ? null : await profilesThen({ ...rows, describe }, [...profiles.values()]);
  return ranked(items, (item, position) => {
    const row = profiles.get(current[position] ?? '');
    if (row === undefined) return null;
    const { owner: id, name, aliases } = row;
    const { summary, tags } = then?.get(id) ?? row;
    const turns = turnsBehind(id, index, view.saidBy);
    return {
      kind: 'entity',
      id,
      layer: index.hierarchy.category(id)?.layer ?? 0,
      name,
      aliases,
      summary,
      tags,
      ...trace(item),
      sources: sourceTurns(turns.slice(-SOURCES_OF_ENTITY), index),
    };
  });
}

/** Live turns that mention an entity, or, for a category, the last turns that mention its entities; oldest first. */
function turnsBehind(id: string, index: ScopeIndex, saidBy: Milliseconds | null): readonly EpisodeId[] {
  const mentions = (entity: string) => turnsUntil(index.mentionsOf(entity), { index, saidBy });
  if (!index.hierarchy.has(id)) return mentions(id);
  const last = entitiesBelow(id, index.hierarchy)
    .slice(0, MOST_ENTITIES_LOOKED_AT)
    .flatMap((entity) => mentions(entity).slice(-1));
  const age = (turn: string) => index.episodes.ids.ordinalOf(turn)!;
  return [...new Set(last)].sort((a, b) => age(a) - age(b));
}

function trace({ score, votes }: Pick<FusedItem<string>, 'score' | 'votes'>) {
  return { score, why: votes };
}

/** Assigns ranks in order; a row that was removed while the search ran is skipped. */
function ranked<T>(
  items: readonly FusedItem<string>[],
  read: (item: FusedItem<string>, position: number) => Omit<T, 'rank'> | null,
): T[] {
  return items
    .map(read)
    .filter((item) => item !== null)
    .map((item, position) => ({ ...item, rank: position + 1 }) as T);
}

function byId<T extends { readonly id: string }>(rows: readonly T[]): ReadonlyMap<string, T> {
  return new Map(rows.map((row) => [row.id, row]));
}

/** Turns by session and index; skips ids that the index no longer has. */
function sourceTurns(ids: readonly string[], { episodes, corrections }: ScopeIndex): SourceTurn[] {
  const removed = corrections.turnsWithoutText;
  return ids.flatMap((id) => {
    const ordinal = episodes.ids.ordinalOf(id);
    if (ordinal === undefined) return [];
    const session = episodes.timeline.sessions[episodes.timeline.session.at(ordinal)]!;
    const index = episodes.timeline.index.at(ordinal);
    return [{ episode: id as EpisodeId, session, index, ...(removed.has(id) ? { removed: true } : {}) }];
  });
}

/** An entity as known at a time. */
interface EntityThen {
  readonly name: string;
  /** Tags of its current profile; they may stem from later turns. */
  readonly tags: readonly string[];
  /** Statements that held then. */
  readonly facts: readonly Pick<Fact, 'statement' | 'validAt'>[];
  /** Number of mentions up to `asOf`. */
  readonly mentions: number;
}

/** Describes an entity from the given facts alone. */
export type DescribeEntity = (entity: EntityThen) => {
  readonly summary: string;
  readonly tags: readonly string[];
};

/** Maximum of facts in a summary. */
const FACTS_PER_SUMMARY = 15;
const NAMES_PER_SUMMARY = 20;

/**
 * Summaries and tags as of the time of the view. A stored profile draws on everything known of its entity, so it may
 * contain later facts.
 */
async function profilesThen(
  {
    scope,
    store,
    index,
    view,
    describe,
  }: Omit<SearchContext, 'embedder'> & { view: TimeView; describe: DescribeEntity },
  profiles: readonly Profile[],
): Promise<ReadonlyMap<string, ReturnType<DescribeEntity>>> {
  const about = new Map(profiles.map(({ owner }) => [owner as string, factsOf(owner, { index, view })]));
  const rows = await store.get(scope, 'fact', [...new Set([...about.values()].flat())]);
  const facts = new Map<string, Fact>(rows.map((fact) => [fact.id, fact]));
  const known = (id: string) =>
    turnsUntil(index.mentionsOf(id), { index, saidBy: view.saidBy }).length > 0 ||
    factsOf(id, { index, view }).length > 0;
  const categories = profiles.filter(({ owner }) => index.hierarchy.has(owner));
  const entities = profiles.filter(({ owner }) => !index.hierarchy.has(owner));
  return new Map([
    ...categories.map(
      ({ owner, tags }) => [owner, { summary: namesThen(owner, index, known), tags }] as const,
    ),
    ...entities.map(
      ({ owner, name, tags }) =>
        [
          owner as string,
          describe({
            name,
            tags,
            facts: about.get(owner)!.flatMap((id) => facts.get(id) ?? []),
            mentions: turnsUntil(index.mentionsOf(owner), { index, saidBy: view.saidBy }).length,
          }),
        ] as const,
    ),
  ]);
}

/** The names of the entities below a category that were known by then. */
function namesThen(category: string, index: ScopeIndex, known: (entity: string) => boolean): string {
  const entities = entitiesBelow(category, index.hierarchy).filter(known);
  return entities
    .slice(0, NAMES_PER_SUMMARY)
    .map((id) => index.entities.profileOf(id)?.name ?? '')
    .filter((name) => name !== '')
    .join(', ');
}

/** The turns that had been said by then. */
function turnsUntil<Id extends string>(
  turns: readonly Id[],
  { index: { episodes }, saidBy }: { index: ScopeIndex; saidBy: Milliseconds | null },
): readonly Id[] {
  if (saidBy === null) return turns;
  return turns.filter((id) => episodes.timeline.validAt.at(episodes.ids.ordinalOf(id)!) <= saidBy);
}

/** The newest facts that held then. */
function factsOf(owner: string, { index, view }: { index: ScopeIndex; view: TimeView }): string[] {
  const entity = index.entities.ids.ordinalOf(owner);
  if (entity === undefined) return [];
  const { validity, facts } = index;
  return Array.from(index.graphs.about.neighbours(entity, 'in').ordinals)
    .filter((fact) => validity.isWithin(fact, view))
    .sort((a, b) => validity.validAt(b) - validity.validAt(a) || b - a)
    .slice(0, FACTS_PER_SUMMARY)
    .map((fact) => facts.ids.idOf(fact));
}
