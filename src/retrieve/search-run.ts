import { NO_USAGE, type RerankTrace, type SearchResult, type Usage } from '../model/retrieved-item.ts';
import type { FusedItem } from './fuse.ts';
import { fuseRoutes, rankedRows } from './fuse-routes.ts';
import { hydrateEntities, hydrateEpisodes, hydrateFacts } from './hydrate.ts';
import { readAsked } from './read-asked.ts';
import type { Recipe } from './recipes/recipe.ts';
import { rerank } from './rerank.ts';
import type { RouteInput } from './route.ts';
import { type RouteOutcome, runOneRoute } from './run-routes.ts';
import type { SearchContext } from './search-context.ts';
import type { SearchSettings } from './search-settings.ts';
import { checkCancel } from './within-time.ts';

type Asked = Omit<RouteInput, 'limit'>;

/** A search under way: what a graph needs to run its routes as branches of its own. */
export type RunningSearch = Pick<SearchRun, 'routes' | 'route' | 'end'>;

/** One search, step by step: its routes, each by itself and in any order, then the end, once. */
export class SearchRun {
  readonly #context: SearchContext;
  readonly #settings: SearchSettings;
  readonly #query: string;
  readonly #asked: Asked;
  readonly #started: number;

  private constructor(
    context: SearchContext,
    query: string,
    started: { settings: SearchSettings; asked: Asked; at: number },
  ) {
    this.#context = context;
    this.#query = query;
    this.#settings = started.settings;
    this.#asked = started.asked;
    this.#started = started.at;
  }

  static async begin(context: SearchContext, query: string, settings: SearchSettings): Promise<SearchRun> {
    const at = performance.now();
    return new SearchRun(context, query, { settings, asked: await readAsked(context, query, settings), at });
  }

  get routes(): Recipe['routes'] {
    return this.#settings.recipe.routes;
  }

  /** Runs one of the routes, by its place. @throws CancelledError */
  async route(place: number): Promise<RouteOutcome> {
    const { routeMilliseconds = Number.POSITIVE_INFINITY } = this.#settings;
    return runOneRoute(this.#asked, this.routes[place]!, routeMilliseconds);
  }

  /**
   * Fuses what the routes found by kind, reads the rows of what fits the budgets, and reranks them where the recipe says
   * so and there is a reranker. @throws CancelledError
   */
  async end(outcomes: readonly RouteOutcome[]): Promise<SearchResult> {
    const { recipe, k, asOf, signal } = this.#settings;
    checkCancel(signal);
    const { index } = this.#context;
    const { eligible } = this.#asked.rows();
    const fused = fuseRoutes(outcomes, { recipe, index, eligible });
    // Before the rows are waited for: a commit could take away what was ranked.
    const ranked = rankedRows(fused, index);
    const rows = { ...this.#context, view: this.#asked.view, describe: asOf?.describe };
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

  /** The first of a kind, after the reranker had its say about more of them. */
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
  /** What was read again, in its new order; empty where nothing was. */
  readonly order: readonly { readonly id: string; readonly score: number }[];
  readonly trace: RerankTrace | null;
}

/** What was reranked goes before what was not. */
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
