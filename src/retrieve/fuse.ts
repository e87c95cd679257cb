import type { SearchResult, Vote } from '../model/retrieved-item.ts';
import type { ScopeIndex } from '../search/scope-index.ts';
import type { Hit } from '../search/top-k.ts';
import { groupBy } from '../util/collections.ts';
import type { Eligible } from './time-view.ts';

/**
 * A ranked list of one route, best first. Keys are ordinals in the index of their kind for turns and facts, and ids for
 * entities and categories, which share a list.
 */
export interface RankedList<Key = number> {
  readonly route: string;
  readonly list: string;
  /** Weight of the list's reciprocal ranks; 1 in the paper. */
  readonly weight: number;
  readonly keys: readonly Key[];
  readonly scores: readonly number[];
  /** For each key, the names of the nodes that led to it, if the route has such paths. */
  readonly paths?: readonly (readonly string[] | undefined)[] | undefined;
  /** The number of first places that the other lists fill without this one. Default 0. */
  readonly below?: number | undefined;
  /** So many of the best keys of its route, whose lists are fused for it, are results of it. Default: all. */
  readonly most?: number | undefined;
}

export interface FusedItem<Key = number> {
  readonly key: Key;
  readonly score: number;
  readonly votes: readonly Vote[];
}

/** The constant of reciprocal rank fusion (Cormack et al. 2009), unless a recipe has its own. */
export const RANK_CONSTANT = 60;

interface Fusion<Key> {
  readonly constant: number;
  readonly depth: number;
  /** Decides ties; must be a total order. */
  readonly before: (a: Key, b: Key) => number;
}

/**
 * Reciprocal rank fusion (Cormack et al. 2009; Mnemis §2.3): score(x) = Σ over lists with x of
 * weight / (constant + rank), rank from 1.
 *
 * A list with `below` orders what follows the first places of the other lists: an item after these scores at most as
 * much as the last of them.
 */
export function reciprocalRankFusion<Key extends number | string>(
  lists: readonly RankedList<Key>[],
  fusion: Fusion<Key>,
): FusedItem<Key>[] {
  const all = sumOfRanks(lists, fusion);
  const kept = Math.max(0, ...lists.map(({ below = 0 }) => below));
  if (kept === 0) return all.slice(0, fusion.depth);
  const others = lists.filter(({ below = 0 }) => below === 0);
  const first = new Map(
    sumOfRanks(others, fusion)
      .slice(0, kept)
      .map(({ key, score }) => [key, score]),
  );
  const votes = new Map(all.filter(({ key }) => first.has(key)).map((item) => [item.key, item.votes]));
  const most = Math.min(...first.values());
  return [
    ...Array.from(first, ([key, score]) => ({ key, score, votes: votes.get(key)! })),
    ...all
      .filter(({ key }) => !first.has(key))
      .map((item) => ({ ...item, score: Math.min(item.score, most) })),
  ].slice(0, fusion.depth);
}

function sumOfRanks<Key extends number | string>(
  lists: readonly RankedList<Key>[],
  { constant, before }: Fusion<Key>,
): FusedItem<Key>[] {
  const fused = new Map<Key, { score: number; votes: Vote[] }>();
  for (const { route, list, weight, keys, scores, paths } of lists)
    for (const [position, key] of keys.entries()) {
      const rank = position + 1;
      const entry = fused.get(key) ?? { score: 0, votes: [] };
      entry.score += weight / (constant + rank);
      const path = paths?.[position];
      entry.votes.push({ route, list, rank, score: scores[position]!, ...(path && { path }) });
      fused.set(key, entry);
    }
  return [...fused]
    .map(([key, { score, votes }]) => ({ key, score, votes: votes.sort((a, b) => a.rank - b.rank) }))
    .sort((a, b) => b.score - a.score || before(a.key, b.key));
}

/** A ranked row: an ordinal of its kind's index, or an id. */
export interface Ranking<Key = number> {
  readonly key: Key;
  readonly score: number;
  /** Names from the top of the hierarchy, or of topics, down to the row. */
  readonly path?: readonly string[] | undefined;
}

/** A ranking, best first, as one list of a route. */
export function rankedList<Key>(
  ranking: readonly Ranking<Key>[],
  of: Pick<RankedList, 'route' | 'list' | 'weight'>,
): RankedList<Key> {
  return {
    ...of,
    keys: ranking.map(({ key }) => key),
    scores: ranking.map(({ score }) => score),
    ...(ranking.some(({ path }) => path) && { paths: ranking.map(({ path }) => path) }),
  };
}

/** Hits of an index as a ranking. */
export function rankingOf(hits: readonly Hit[]): Ranking[] {
  return hits.map(({ ordinal, score }) => ({ key: ordinal, score }));
}

/** The ranked lists of a route by kind; `Row` is an ordinal inside a route and an id outside of it. */
interface ListsOf<Row> {
  readonly episode: readonly RankedList<Row>[];
  readonly fact: readonly RankedList<Row>[];
  readonly entity: readonly RankedList<string>[];
}
export type OrdinalLists = ListsOf<number>;
export type RankedLists = ListsOf<string>;

/** The list of turns whose speaker the question names, where no word of it is in any turn. */
export const BY_SPEAKER = 'speaker';

export const NO_LISTS: RankedLists = { episode: [], fact: [], entity: [] };

/** Lists of ordinals as lists of ids, which stay valid after the next commit. */
export function listsById(lists: OrdinalLists, { episodes, facts }: ScopeIndex): RankedLists {
  const named = (list: RankedList, idOf: (ordinal: number) => string): RankedList<string> => ({
    ...list,
    keys: list.keys.map(idOf),
  });
  return {
    episode: lists.episode.map((list) => named(list, (turn) => episodes.ids.idOf(turn))),
    fact: lists.fact.map((list) => named(list, (fact) => facts.ids.idOf(fact))),
    entity: lists.entity,
  };
}

/** Lists that leave a number of first places to other routes. */
export function listsBelow({ episode, fact, entity }: RankedLists, below: number): RankedLists {
  const lower = (lists: readonly RankedList<string>[]) => lists.map((list) => ({ ...list, below }));
  return { episode: lower(episode), fact: lower(fact), entity: lower(entity) };
}

/** The routes' lists as one ranking of each kind, by id. */
export interface Fused {
  readonly episode: readonly FusedItem<string>[];
  readonly fact: readonly FusedItem<string>[];
  readonly entity: readonly FusedItem<string>[];
}

interface FuseSettings {
  readonly index: ScopeIndex;
  readonly recipe: { readonly rankConstant: number; readonly depth: number };
  readonly eligible: Eligible;
}

/** Fuses by kind, and leaves out rows that were removed while a route ran. */
export function fuseRoutes(
  outcomes: readonly { readonly lists: RankedLists }[],
  { index, recipe, eligible }: FuseSettings,
): Fused {
  const { rankConstant: constant, depth } = recipe;
  const ties = tieBreaks(index);
  const isThere = stillThere(index);
  const fuse = (kind: keyof RankedLists, before: (a: string, b: string) => number) => {
    const lists = outcomes.flatMap((outcome) =>
      outcome.lists[kind].map((list) => inFixedOrder(list, before)),
    );
    const all = reciprocalRankFusion(lists, { constant, depth: Number.POSITIVE_INFINITY, before });
    const isResult = resultsOf(lists, { constant, before });
    const there = all.filter(({ key }) => isResult(key)).filter(({ key }) => isThere[kind](key));
    return (kind === 'fact' ? withoutRepeats(there, index) : there).slice(0, depth);
  };
  const fact = fuse('fact', ties.fact);
  const entity = fuse('entity', ties.node);
  const turns = outcomes.flatMap(({ lists }) => lists.episode);
  const isFound = turns.some(({ list, keys }) => list !== BY_SPEAKER && keys.length > 0);
  // "What about Nora?" may match no turn by words, but she said something, and the facts about her have evidence.
  const episode = isFound
    ? fuse('episode', ties.turn)
    : reciprocalRankFusion([...turns, ...episodesBehind(fact, entity, { index, eligible })], {
        constant,
        depth,
        before: (a, b) => index.episodes.ids.ordinalOf(a)! - index.episodes.ids.ordinalOf(b)!,
      }).filter(({ key }) => isThere.episode(key));
  return { episode, fact, entity };
}

/** Whether a key is a result of a route: of one that gives only its best, it must be among these. */
function resultsOf(
  lists: readonly RankedList<string>[],
  fusion: Omit<Fusion<string>, 'depth'>,
): (key: string) => boolean {
  const limited = lists.filter(({ most }) => most !== undefined);
  if (limited.length === 0) return () => true;
  const others = lists.filter(({ most }) => most === undefined).flatMap(({ keys }) => keys);
  const byRoute = groupBy(limited, ({ route }) => route);
  const best = [...byRoute.values()].flatMap((ofRoute) =>
    reciprocalRankFusion(ofRoute, { ...fusion, depth: ofRoute[0]!.most! }).map(({ key }) => key),
  );
  const results = new Set([...best, ...others]);
  return (key) => results.has(key);
}

/** Of equal statements keeps the best; facts that have ended are not merged. */
function withoutRepeats(
  items: readonly FusedItem<string>[],
  { facts, statements, validity }: ScopeIndex,
): FusedItem<string>[] {
  const stated = new Set<number>();
  return items.filter(({ key }) => {
    const ordinal = facts.ids.ordinalOf(key)!;
    const statement = validity.hasEnd(ordinal) ? null : statements.keyOf(ordinal);
    if (statement === null) return true;
    if (stated.has(statement)) return false;
    stated.add(statement);
    return true;
  });
}

/** The whole ranking, for evaluation and paging. */
export function rankedRows(
  { episode, fact, entity }: Fused,
  { episodes }: ScopeIndex,
): SearchResult['ranked'] {
  const { timeline, ids } = episodes;
  const plain = ({ key, score }: FusedItem<string>) => ({ id: key, score });
  return {
    episodes: episode.map((item) => {
      const turn = ids.ordinalOf(item.key)!;
      return {
        ...plain(item),
        session: timeline.sessions[timeline.session.at(turn)]!,
        index: timeline.index.at(turn),
      };
    }),
    entities: entity.map(plain),
    facts: fact.map(plain),
  };
}

function stillThere(index: ScopeIndex) {
  const { episodes, facts } = index;
  return {
    episode: (id: string) => episodes.isLive(id),
    fact: (id: string) => facts.lexical.has(facts.ids.ordinalOf(id)!),
    entity: (id: string) => index.profileOf(id) !== undefined,
  };
}

/**
 * Orders that hold in every memory of the same turns, whatever the ids: turns by time, session and place (docs/design.md,
 * "Ranking"), facts by their last evidence, the latest first, and by statement, entities before categories and by name.
 */
function tieBreaks(index: ScopeIndex) {
  const { episodes, facts, statements, entities } = index;
  const { timeline, ids } = episodes;
  const turn = (a: string, b: string) => {
    const [one, other] = [ids.ordinalOf(a)!, ids.ordinalOf(b)!];
    return timeline.validAt.at(one) - timeline.validAt.at(other) || timeline.compare(one, other);
  };
  const last = memoized((id: string) => index.evidenceOf(id).toSorted(turn).at(-1));
  const said = (id: string) => statements.keyOf(facts.ids.ordinalOf(id)!) ?? -1;
  const newest = (a: number, b: number) => b - a;
  const name = (id: string) => index.profileOf(id)?.name ?? '';
  const isCategory = (id: string) => Number(entities.profileOf(id) === undefined);
  return {
    turn,
    fact: (a: string, b: string) => {
      const [one, other] = [last(a), last(b)];
      const byTurn = one === undefined || other === undefined || one === other ? 0 : turn(other, one);
      return byTurn || said(a) - said(b) || newest(facts.ids.ordinalOf(a)!, facts.ids.ordinalOf(b)!);
    },
    node: (a: string, b: string) =>
      isCategory(a) - isCategory(b) || compareTexts(name(a), name(b)) || compareTexts(a, b),
  };
}

function memoized<T>(compute: (id: string) => T): (id: string) => T {
  const known = new Map<string, T>();
  return (id) => {
    const value = known.has(id) ? known.get(id)! : compute(id);
    known.set(id, value);
    return value;
  };
}

function compareTexts(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** A list whose equally scored rows stand in the order of `before`: routes leave them in the order of arrival. */
function inFixedOrder(
  list: RankedList<string>,
  before: (a: string, b: string) => number,
): RankedList<string> {
  const { keys, scores, paths } = list;
  if (scores.every((score, at) => at === 0 || score !== scores[at - 1])) return list;
  const order = Array.from(keys.keys());
  for (let start = 0, end = 0; start < order.length; start = end) {
    while (end < order.length && scores[end] === scores[start]) end += 1;
    if (end - start < 2) continue;
    const run = order.slice(start, end).sort((a, b) => before(keys[a]!, keys[b]!));
    order.splice(start, run.length, ...run);
  }
  return {
    ...list,
    keys: order.map((at) => keys[at]!),
    ...(paths && { paths: order.map((at) => paths[at]) }),
  };
}

/**
 * Ranks the evidence of facts and the mentions of entities, for recipes that do not search turns directly: each turn
 * takes one place (docs/design.md, "Ranking"), facts before entities, since a fact cites few turns.
 */
function episodesBehind(
  facts: readonly FusedItem<string>[],
  entities: readonly FusedItem<string>[],
  { index, eligible }: { index: ScopeIndex; eligible: Eligible },
): RankedList<string>[] {
  const ofFacts = facts.map((item) => index.evidenceOf(item.key));
  const ofEntities = entities.map((item) => index.mentionsOf(item.key));
  const turns = { index, eligible: eligible.episode };
  return [turnsBehind('facts', ofFacts, turns), turnsBehind('entities', ofEntities, turns)];
}

function turnsBehind(
  list: string,
  groups: readonly (readonly string[])[],
  { index: { episodes }, eligible }: { index: ScopeIndex; eligible: Uint8Array | null },
): RankedList<string> {
  const turns = new Set<string>();
  for (const id of groups.flat()) {
    const ordinal = episodes.ids.ordinalOf(id);
    if (ordinal === undefined || !episodes.conversation.isLive(ordinal)) continue;
    if (eligible?.[ordinal] !== 0) turns.add(id);
  }
  const ranking = Array.from([...turns], (key, position) => ({ key, score: 1 / (position + 1) }));
  return rankedList(ranking, { route: 'system1', list, weight: list === 'facts' ? 1 : 0.25 });
}
