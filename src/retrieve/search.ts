import type { TokenBudget } from '../inference/language-model/calling/token-budget.ts';
import type { Milliseconds } from '../model/ids.ts';
import { NO_USAGE, type RerankTrace, type SearchResult, type Usage } from '../model/retrieved-item.ts';
import { type FusedItem, fuseRoutes, rankedRows } from './fuse.ts';
import { type DescribeEntity, hydrateEntities, hydrateEpisodes, hydrateFacts } from './hydrate.ts';
import { type Question, readQuestion } from './question.ts';
import type { Recipe } from './recipes/recipe.ts';
import { rerank } from './rerank.ts';
import type { CurrentRows, RouteInput, SearchContext } from './route.ts';
import { type RouteOutcome, runOneRoute } from './run-routes.ts';
import { TurnScores } from './similarity/turn-scores.ts';
import { eligibleRows, timeView, type Validity } from './time-view.ts';
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
  /** Default: with `asOf` only facts that held then, else what the recipe says. */
  readonly validity?: Validity | undefined;
  /** The present. Default: later than every end of a fact. */
  readonly now?: Milliseconds | undefined;
  /**
   * Time limit of each route, and of the reranker for each kind; a slower one is skipped, and its trace says so.
   * Default: no limit.
   */
  readonly routeMilliseconds?: number | undefined;
}

/** Runs a whole search. @throws CancelledError */
export async function search(
  context: SearchContext,
  query: string,
  settings: SearchSettings,
): Promise<SearchResult> {
  return runAll(await SearchRun.begin(context, query, settings));
}

/** Runs all routes of a search concurrently, then ends it. @throws CancelledError */
export async function runAll(run: RunningSearch): Promise<SearchResult> {
  return run.end(await Promise.all(run.routes.map((_, place) => run.route(place))));
}

/** A question as passed to every route, without the time limit of the route. */
export type PreparedQuery = Omit<RouteInput, 'limit'>;

/** A search in progress, for a graph that runs its routes as branches. */
export type RunningSearch = Pick<SearchRun, 'routes' | 'route' | 'end'>;

/** One search in steps: the routes, separately and in any order, then the end, once. */
export class SearchRun {
  readonly #context: SearchContext;
  readonly #settings: SearchSettings;
  readonly #query: string;
  readonly #prepared: PreparedQuery;
  readonly #started: number;

  private constructor(
    context: SearchContext,
    query: string,
    started: { settings: SearchSettings; prepared: PreparedQuery; at: number },
  ) {
    this.#context = context;
    this.#query = query;
    this.#settings = started.settings;
    this.#prepared = started.prepared;
    this.#started = started.at;
  }

  static async begin(context: SearchContext, query: string, settings: SearchSettings): Promise<SearchRun> {
    const at = performance.now();
    return new SearchRun(context, query, {
      settings,
      prepared: await prepareQuery(context, query, settings),
      at,
    });
  }

  get question(): Question {
    return this.#prepared.question;
  }

  /** A search by another recipe for the same question; reuses its parse and embedding. */
  again({ recipe, k }: Pick<SearchSettings, 'recipe' | 'k'>): SearchRun {
    return new SearchRun(this.#context, this.#query, {
      settings: { ...this.#settings, recipe, k },
      prepared: { ...this.#prepared, k, depth: listDepth(recipe) },
      at: performance.now(),
    });
  }

  get routes(): Recipe['routes'] {
    return this.#settings.recipe.routes;
  }

  /** Runs one of the routes, by its position. @throws CancelledError */
  async route(place: number): Promise<RouteOutcome> {
    const { routeMilliseconds = Number.POSITIVE_INFINITY } = this.#settings;
    return runOneRoute(this.#prepared, this.routes[place]!, routeMilliseconds);
  }

  /**
   * Fuses the lists of the routes by kind, reads the rows that fit the budgets, and reranks them if the recipe says
   * so and there is a reranker. @throws CancelledError
   */
  async end(outcomes: readonly RouteOutcome[]): Promise<SearchResult> {
    const { recipe, k, asOf, signal } = this.#settings;
    checkCancel(signal);
    const { index } = this.#context;
    const { eligible } = this.#prepared.rows();
    const fused = fuseRoutes(outcomes, { recipe, index, eligible });
    // Computed before rows are read: a commit in between could remove ranked rows.
    const ranked = rankedRows(fused, index);
    const rows = { ...this.#context, view: this.#prepared.view, describe: asOf?.describe };
    const episodes = await this.#best(fused.episode, k, (items) => hydrateEpisodes(rows, items));
    const entities = await this.#best(fused.entity, 2 * k, (items) => hydrateEntities(rows, items));
    const facts = await this.#best(fused.fact, 2 * k, (items) => hydrateFacts(rows, items));
    checkCancel(signal);
    return {
      query: this.#query,
      recipe: recipe.name,
      episodes: episodes.shown,
      entities: entities.shown,
      facts: facts.shown,
      ranked: {
        episodes: withFirst(ranked.episodes, episodes.order),
        entities: withFirst(ranked.entities, entities.order),
        facts: withFirst(ranked.facts, facts.order),
      },
      routes: outcomes.map(({ trace }) => trace),
      reranked: { episode: episodes.trace, entity: entities.trace, fact: facts.trace },
      usage: usageOf(outcomes),
      milliseconds: performance.now() - this.#started,
    };
  }

  /** The best rows of a kind, reranked if the recipe says so. */
  async #best<Item extends SearchResult['episodes' | 'entities' | 'facts'][number]>(
    fused: readonly FusedItem<string>[],
    most: number,
    read: (items: readonly FusedItem<string>[]) => Promise<Item[]>,
  ): Promise<Best<Item>> {
    const { recipe, signal, routeMilliseconds: milliseconds } = this.#settings;
    const { reranker } = this.#context;
    if (reranker === undefined || recipe.rerank === undefined)
      return { shown: await read(fused.slice(0, most)), order: [], trace: null };
    const candidates = await read(fused.slice(0, Math.max(most, recipe.rerank)));
    const { items, trace } = await rerank(this.#query, candidates, { reranker, signal, milliseconds });
    return { shown: items.slice(0, most), order: items, trace };
  }
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
  return outcomes.reduce(
    (sum, { trace: { usage } }) => ({
      calls: sum.calls + usage.calls,
      promptTokens: sum.promptTokens + usage.promptTokens,
      completionTokens: sum.completionTokens + usage.completionTokens,
    }),
    NO_USAGE,
  );
}

/** Prepares a question once for all routes: parses it, embeds it, and selects the eligible rows. */
export async function prepareQuery(
  context: SearchContext,
  query: string,
  { recipe, k, signal, budget, asOf, validity, now = Number.POSITIVE_INFINITY }: SearchSettings,
): Promise<PreparedQuery> {
  const { index } = context;
  const question = readQuestion(query, index.episodes.timeline.liveSpeakerNames());
  const asksForKind = recipe.routes.some(({ route }) => route === 'system2') && question.kindWords !== '';
  const texts = [question.withoutSpeakers, ...(asksForKind ? [question.kindWords] : [])];
  const [queryVector, kindVector = null] = await withinTime(
    (signal) => context.embedder.embed(texts, { as: 'query', signal }),
    { signal },
  );
  const view = timeView({
    validity: validity ?? (asOf === undefined ? (recipe.validity ?? 'current') : 'current'),
    asOf: asOf?.at ?? null,
    now,
  });
  let current: { readonly revision: number; readonly rows: CurrentRows } | null = null;
  const rows = () => {
    if (current?.revision !== index.revision) {
      const eligible = eligibleRows(index, view);
      const turnScores = new TurnScores(index, { question, queryVector: queryVector!, eligible });
      current = { revision: index.revision, rows: { eligible, turnScores } };
    }
    return current.rows;
  };
  const calls = { signal, budget };
  const depth = listDepth(recipe);
  return { context, question, queryVector: queryVector!, kindVector, view, k, depth, calls, rows };
}

/** Depth of each list: twice the final cut (docs/papers.md §1.2). */
function listDepth(recipe: Recipe): number {
  return 2 * recipe.depth;
}
