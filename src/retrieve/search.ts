import type { TokenBudget } from '../inference/language-model/calling/token-budget.ts';
import { plusUsage } from '../inference/language-model/tokens/plus-usage.ts';
import type { Milliseconds } from '../model/ids.ts';
import {
  BESIDE_FOUND,
  NO_USAGE,
  type RerankTrace,
  type RetrievedEpisode,
  type RetrievedItem,
  type SearchResult,
  type Usage,
} from '../model/retrieved-item.ts';
import { analyze } from '../search/analyzer.ts';
import { NONE, type Timeline } from '../search/timeline.ts';
import { isQuestion } from '../util/questions.ts';
import { firstSentence } from '../util/sentences.ts';
import { clockTime } from '../util/speaker-clock.ts';
import { type Fused, type FusedItem, fuseRoutes, rankedRows } from './fuse.ts';
import { type DescribeEntity, hydrateEntities, hydrateEpisodes, hydrateFacts } from './hydrate.ts';
import { otherNamesIn, readQuestion } from './question.ts';
import type { Recipe } from './recipes/recipe.ts';
import { relevanceFor } from './relevance.ts';
import { rerank } from './rerank.ts';
import type { CurrentRows, RouteInput, SearchContext } from './route.ts';
import type { RouteOutcome } from './run-routes.ts';
import { foundInStore, termsInTurns } from './search-in-store.ts';
import { TurnScores } from './similarity/turn-scores.ts';
import { eligibleRows, type TimeView, timeView, type Validity } from './time-view.ts';
import { checkCancel, withinTime } from './within-time.ts';

/** The settings of a search about a past time. */
interface AsOf {
  /** Facts that held at this time, turns said and entities mentioned by then (docs/design.md, "Time"). */
  readonly at: Milliseconds;
  /** Writes the summaries of entities. */
  readonly describe: DescribeEntity;
}

export interface SearchSettings {
  readonly recipe: Recipe;
  /** Episodes in the result; entities and facts get twice as many (Mnemis §3.1). */
  readonly k: number;
  readonly signal?: AbortSignal | undefined;
  /** Limits the tokens of selectors that use a language model. */
  readonly budget?: TokenBudget | undefined;
  readonly asOf?: AsOf | undefined;
  /** Finds only turns whose metadata pass, and what they support. */
  readonly filter?: TimeView['filter'] | undefined;
  /** Leaves out items of a lower relevance, except from `ranked`. Default 0. */
  readonly minScore?: number | undefined;
  /** Default: with `asOf` only facts that held then, else what the recipe says. */
  readonly validity?: Validity | undefined;
  /** Other wordings of the question, which are searched with it. */
  readonly wordings?: readonly string[] | undefined;
  /** The present. Default: later than every end of a fact. */
  readonly now?: Milliseconds | undefined;
  /** How far the clock of the one who asks is ahead of UTC. Default: 0. */
  readonly offset?: number | undefined;
  /**
   * Time limit of each route, and of the reranker for each kind; a slower one is skipped, and its trace says so.
   * Default: no limit.
   */
  readonly routeMilliseconds?: number | undefined;
}

/** A question as passed to every route, without what belongs to one call. */
export interface PreparedQuery extends Omit<RouteInput, 'limit' | 'calls'> {
  /** What it was prepared from. */
  readonly asked: {
    readonly context: SearchContext;
    readonly query: string;
    readonly settings: SearchSettings;
  };
}

/** The fused ranking of each kind, by id. */
export interface FusedRoutes {
  readonly fused: Fused;
  readonly ranked: SearchResult['ranked'];
  readonly outcomes: readonly RouteOutcome[];
}

/** Fuses the lists of the routes by kind. */
export function fuseSearch(
  { context: { index }, rows }: PreparedQuery,
  outcomes: readonly RouteOutcome[],
  recipe: Recipe,
): FusedRoutes {
  const fused = fuseRoutes(outcomes, { recipe, index, eligible: rows().eligible });
  // Computed before rows are read: a commit in between could remove ranked rows.
  return { fused, ranked: rankedRows(fused, index), outcomes };
}

/** Rows of each kind that a person is shown of a fused ranking. */
const SHOWN = 3;

/** The best rows of each kind, as they were fused. */
export async function bestRows({ context, question, view }: PreparedQuery, { episode, entity, fact }: Fused) {
  const rows = { ...context, question, view };
  return {
    episodes: await hydrateEpisodes(rows, episode.slice(0, SHOWN)),
    entities: await hydrateEntities(rows, entity.slice(0, SHOWN)),
    facts: await hydrateFacts(rows, fact.slice(0, SHOWN)),
  };
}

/**
 * Reads the rows that fit the budgets, and reranks them if the recipe says so and there is a reranker. @throws
 * CancelledError
 */
export async function rerankSearch(
  prepared: PreparedQuery,
  { fused, ranked, outcomes }: FusedRoutes,
  settings: RerankSettings,
): Promise<SearchResult> {
  const { recipe, k, asOf, signal, minScore = 0 } = settings;
  checkCancel(signal);
  const { context, question, view } = prepared;
  const rows = { ...context, question, view, describe: asOf?.describe };
  const best = bestOf(prepared, settings);
  const episodes = await best(fused.episode, k, (items) => hydrateEpisodes(rows, items));
  const entities = await best(fused.entity, 2 * k, (items) => hydrateEntities(rows, items));
  const facts = await best(fused.fact, 2 * k, (items) => hydrateFacts(rows, items));
  checkCancel(signal);
  const relevance = relevanceFor(prepared, recipe);
  const judged = <Item extends Items>(items: readonly Item[]): readonly Item[] =>
    items
      .map((item) => ({ ...item, relevance: relevance(item) }))
      .filter((item) => item.relevance >= minScore);
  return {
    query: question.text,
    recipe: recipe.name,
    episodes: judged(episodes.shown),
    entities: judged(entities.shown),
    facts: judged(facts.shown),
    ranked: {
      episodes: withFirst(ranked.episodes, episodes.order),
      entities: withFirst(ranked.entities, entities.order),
      facts: withFirst(ranked.facts, facts.order),
    },
    routes: outcomes.map(({ trace }) => trace),
    reranked: { episode: episodes.trace, entity: entities.trace, fact: facts.trace },
    usage: usageOf(outcomes),
    milliseconds: performance.now() - settings.started,
  };
}

interface RerankSettings extends SearchSettings {
  /** When the search began, by `performance.now()`. */
  readonly started: number;
}

type Items = SearchResult['episodes' | 'entities' | 'facts'][number];

/** Reads the best rows of a kind, reranked if the recipe says so. */
function bestOf({ context: { reranker }, question }: PreparedQuery, settings: RerankSettings) {
  const { recipe, signal, routeMilliseconds: milliseconds } = settings;
  return async <Item extends Items>(
    fused: readonly FusedItem<string>[],
    most: number,
    read: (items: readonly FusedItem<string>[]) => Promise<Item[]>,
  ): Promise<Best<Item>> => {
    if (reranker === undefined || recipe.rerank === undefined)
      return { shown: await read(fused.slice(0, most)), order: [], trace: null };
    const count = recipe.rerank === 'all' ? fused.length : Math.max(most, recipe.rerank);
    const candidates = await read(fused.slice(0, count));
    const { items, trace } = await rerank(question.text, candidates, { reranker, signal, milliseconds });
    return { shown: items.slice(0, most), order: items, trace };
  };
}

interface Best<Item> {
  readonly shown: readonly Item[];
  /** The reranked rows, in their new order; empty without a reranker. */
  readonly order: readonly { readonly id: string; readonly score: number }[];
  readonly trace: RerankTrace | null;
}

/** Moves the reranked rows to the front. */
function withFirst<Ranked extends { readonly id: string; readonly score: number }>(
  ranked: readonly Ranked[],
  order: Best<unknown>['order'],
): readonly Ranked[] {
  if (order.length === 0) return ranked;
  const byId = new Map(ranked.map((each) => [each.id, each]));
  const first = order.flatMap(({ id, score }) => {
    const known = byId.get(id);
    byId.delete(id);
    return known === undefined ? [] : [{ ...known, score }];
  });
  return [...first, ...byId.values()];
}

function usageOf(outcomes: readonly RouteOutcome[]): Usage {
  return outcomes.reduce((sum, { trace }) => plusUsage(sum, trace.usage), NO_USAGE);
}

/** Prepares a question once for all routes: parses it, embeds it, and selects the eligible rows. */
export async function prepareQuery(
  given: SearchContext,
  query: string,
  settings: SearchSettings,
): Promise<PreparedQuery> {
  const { recipe, k, signal, asOf, validity, filter, wordings = [] } = settings;
  const { now = Number.POSITIVE_INFINITY, offset = 0 } = settings;
  const isWhole = recipe.question === 'whole';
  const { timeline } = given.index.episodes;
  const speakers = timeline.liveSpeakerNames();
  const { entities } = given.index;
  const otherNames = isWhole
    ? []
    : otherNamesIn(query, speakers, { entities, isSaid: await saidNames(given, query) });
  const titles = given.index.talks();
  const isTitle = (speaker: number) => titles.isTitle[speaker] === 1;
  const present =
    asOf?.at ?? (Number.isFinite(now) ? clockTime({ validAt: now, offset }) : newestOf(timeline));
  const names = { isTitle, termsOfName: (name: string) => timeline.termsOfName(name), now: present, isWhole };
  const question = readQuestion(query, speakers, { otherNames: [...otherNames, ...wordings], ...names });
  const asksForKind = recipe.routes.some(({ route }) => route === 'system2') && question.kindWords !== '';
  const wordingsToo = [question, ...wordings.map((each) => readQuestion(each, speakers, names))];
  const texts = [...wordingsToo.map((each) => each.embedded), ...(asksForKind ? [question.kindWords] : [])];
  const vectors = await withinTime((signal) => given.embedder.embed(texts, { as: 'query', signal }), {
    signal,
  });
  const queryVector = sumOf(vectors.slice(0, wordingsToo.length));
  const kindVector = vectors[wordingsToo.length] ?? null;
  const view = timeView({
    validity: validity ?? (asOf === undefined ? (recipe.validity ?? 'current') : 'current'),
    asOf: asOf?.at ?? null,
    now,
    filter,
  });
  const context = await withFound(given, { question, queryVector, view });
  const { index, embedder } = context;
  let current: { readonly revision: number; readonly rows: CurrentRows } | null = null;
  const rows = () => {
    if (current?.revision !== index.revision) {
      const eligible = eligibleRows(index, view);
      const turnScores = new TurnScores(index, { question, queryVector, embedder, eligible });
      current = { revision: index.revision, rows: { eligible, turnScores } };
    }
    return current.rows;
  };
  const depth = listDepth(recipe);
  const asked = { context: given, query, settings };
  return { context, question, queryVector, kindVector, view, k, depth, rows, asked };
}

function newestOf({ validAt }: Timeline): Milliseconds {
  return validAt.values().reduce((last, at) => Math.max(last, at), 0);
}

/**
 * The sum of unit vectors in unit length. A cosine with it is, but for a factor, the sum of the cosines with each, as
 * BM25 of the terms of several wordings is the sum of theirs.
 */
function sumOf(vectors: readonly Float32Array[]): Float32Array {
  if (vectors.length === 1) return vectors[0]!;
  const sum = vectors[0]!.map((_, at) => vectors.reduce((total, vector) => total + vector[at]!, 0));
  const length = Math.hypot(...sum);
  return length === 0 ? sum : sum.map((value) => value / length);
}

/** Whether turns have all words of a name, for names that are in the question. */
async function saidNames(
  { index, search }: SearchContext,
  query: string,
): Promise<(name: string) => boolean> {
  const { conversation } = index.episodes;
  const known = search === undefined ? null : await termsInTurns(search, query);
  const isTerm = (term: string) => known?.has(term) ?? conversation.documentFrequency(term) > 0;
  return (name) => analyze(name).every(isTerm);
}

/** With what the store finds for the question, where the scope is too large to hold. */
async function withFound(
  context: SearchContext,
  { view, ...asked }: Pick<RouteInput, 'question' | 'queryVector' | 'view'>,
): Promise<SearchContext> {
  const { index, search } = context;
  if (search === undefined) return context;
  const eligible = eligibleRows(index, view);
  return { ...context, index: await foundInStore(context, search, { ...asked, eligible }) };
}

/**
 * The same question for another recipe; keeps its parse and embedding where both recipes search the same of it. @throws
 * CancelledError
 */
export async function preparedAgain(
  prepared: PreparedQuery,
  { recipe, k }: Pick<SearchSettings, 'recipe' | 'k'>,
): Promise<PreparedQuery> {
  const { context, query, settings } = prepared.asked;
  if ((recipe.question ?? 'cut') !== (settings.recipe.question ?? 'cut'))
    return prepareQuery(context, query, { ...settings, recipe, k });
  return { ...prepared, k, depth: listDepth(recipe) };
}

/** Depth of each list: twice the final cut (docs/papers.md §1.2). */
function listDepth(recipe: Recipe): number {
  return 2 * recipe.depth;
}

/** Best turns whose reply is added if they end with a question, and whose turn before if they lean on it. */
const REPLIES_WITHIN = 25;
const LEANING_WITHIN = 10;

const OPENS_AS_REPLY =
  /^\W*(?:yes|yeah|yep|yup|no|nope|sure|exactly|definitely|absolutely|totally|of course|right|same|thanks|thank you|me too|not really|it|that|this|those|these|they|he|she|there)\b/i;
const POINTS_BACK = /\b(?:it|that|this|those|these|them|they|he|she|him|her|there|one|ones)\b/i;

/**
 * Turns of the conversation beside found ones that these need to be understood: the reply to a question ("Where was
 * that?" – "In Zermatt."), and the turn before one that leans on it ("It was a gift"). Their ranks follow those of the
 * found turns, in the order of these; the vote says which turn of what rank they stand beside.
 */
export async function turnsBeside(
  { context, question, view, rows }: PreparedQuery,
  found: readonly RetrievedEpisode[],
): Promise<readonly RetrievedEpisode[]> {
  const { ids, timeline } = context.index.episodes;
  const eligible = rows().eligible.episode;
  const taken = new Set<string>(found.map(({ id }) => id));
  const items = found.slice(0, REPLIES_WITHIN).flatMap(({ id, content, rank }) => {
    const turn = ids.ordinalOf(id);
    if (turn === undefined) return [];
    const sides = [
      ...(isQuestion(content) ? [{ list: 'reply', ordinal: timeline.next.at(turn) }] : []),
      ...(rank <= LEANING_WITHIN && leans(content)
        ? [{ list: 'before', ordinal: timeline.previous.at(turn) }]
        : []),
    ];
    return sides.flatMap(({ list, ordinal }) => {
      if (ordinal === NONE || eligible?.[ordinal] === 0) return [];
      const key = ids.idOf(ordinal);
      if (taken.has(key)) return [];
      taken.add(key);
      return [{ key, score: 0, votes: [{ route: BESIDE_FOUND, list, rank, score: 0 }] }];
    });
  });
  const turns = await hydrateEpisodes({ ...context, question, view }, items);
  return turns.map((turn) => ({ ...turn, rank: found.length + turn.rank }));
}

/** Whether a turn opens as a reply, or its first sentence points back. */
function leans(content: string): boolean {
  return OPENS_AS_REPLY.test(content) || POINTS_BACK.test(firstSentence(content.trim()));
}

/**
 * One list of the best items of all kinds. Scores of two kinds are not comparable, so items follow their ranks: the
 * best turn, the best fact, the best entity, then the second of each.
 */
export function flatRanking(
  { episodes, facts, entities }: Pick<SearchResult, 'episodes' | 'facts' | 'entities'>,
  most: number,
): readonly RetrievedItem[] {
  const all: readonly RetrievedItem[] = [...episodes, ...facts, ...entities];
  return all.toSorted((a, b) => a.rank - b.rank).slice(0, most);
}
