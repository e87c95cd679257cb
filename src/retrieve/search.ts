import type { TokenBudget } from '../inference/language-model/calling/token-budget.ts';
import type { Milliseconds } from '../model/ids.ts';
import { NO_USAGE, type SearchResult, type Usage } from '../model/retrieved-item.ts';
import type { DescribeEntity } from './entities-then.ts';
import { fuseRoutes, rankedRows } from './fuse-routes.ts';
import { hydrateEntities, hydrateEpisodes, hydrateFacts } from './hydrate.ts';
import { readQuestion } from './question.ts';
import type { Recipe } from './recipes/recipe.ts';
import type { CurrentRows, RouteInput } from './route.ts';
import { type RouteOutcome, runOneRoute } from './run-routes.ts';
import type { SearchContext } from './search-context.ts';
import { TurnScores } from './system1/turn-scores.ts';
import { eligibleRows, timeView } from './time-view.ts';
import type { Validity } from './validity.ts';

/** A search about a time that is past. */
export interface AsOf {
  /** Facts that held then, turns said until then, entities spoken of until then (DESIGN §8.4). */
  readonly at: Milliseconds;
  /** For the summaries of entities. */
  readonly describe: DescribeEntity;
}

export interface SearchSettings {
  readonly recipe: Recipe;
  /** Episodes in the result; entities and facts get twice as many (Mnemis §3.1). */
  readonly k: number;
  readonly signal?: AbortSignal | undefined;
  /** Bounds what selectors that ask a language model may cost. */
  readonly budget?: TokenBudget | undefined;
  readonly asOf?: AsOf | undefined;
  /** Default: only facts that hold where `asOf` is given, else what the recipe says. */
  readonly validity?: Validity | undefined;
  /** The present. Default: later than every end of a fact. */
  readonly now?: Milliseconds | undefined;
  /** How long each route may take; a slower one is left out and told of. Default: as long as it takes. */
  readonly routeMilliseconds?: number | undefined;
}

/** Runs a recipe's routes, fuses their lists by kind, and reads the rows of what fits the budgets. */
export async function search(
  context: SearchContext,
  query: string,
  settings: SearchSettings,
): Promise<SearchResult> {
  const started = performance.now();
  const { recipe, k, asOf, routeMilliseconds = Number.POSITIVE_INFINITY } = settings;
  const asked = await readAsked(context, query, settings);
  const outcomes = await Promise.all(
    recipe.routes.map((route) => runOneRoute(asked, route, routeMilliseconds)),
  );
  const fused = fuseRoutes(outcomes, { recipe, index: context.index, eligible: asked.rows().eligible });
  const rows = { ...context, view: asked.view, describe: asOf?.describe };
  const result = {
    query,
    recipe: recipe.name,
    // Before the rows are waited for: a commit could take away what was ranked.
    ranked: rankedRows(fused, context.index),
    episodes: await hydrateEpisodes(rows, fused.episode.slice(0, k)),
    entities: await hydrateEntities(rows, fused.entity.slice(0, 2 * k)),
    facts: await hydrateFacts(rows, fused.fact.slice(0, 2 * k)),
    routes: outcomes.map(({ trace }) => trace),
    usage: usageOf(outcomes),
  };
  return { ...result, milliseconds: performance.now() - started };
}

/** What the routes of a search start from: the question, its vectors, and what may be offered. */
export async function readAsked(
  context: SearchContext,
  query: string,
  { recipe, k, signal, budget, asOf, validity, now = Number.POSITIVE_INFINITY }: SearchSettings,
): Promise<Omit<RouteInput, 'limit'>> {
  const { index } = context;
  const question = readQuestion(query, index.episodes.timeline.liveSpeakerNames());
  const asksForKind = recipe.routes.some(({ route }) => route === 'system2') && question.kindWords !== '';
  const texts = [question.withoutSpeakers, ...(asksForKind ? [question.kindWords] : [])];
  const [queryVector, kindVector = null] = await context.embedder.embed(texts, { as: 'query', signal });
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
  // Each list is twice as deep as the final cut (PAPERS §1.2).
  const depth = 2 * recipe.depth;
  return { context, question, queryVector: queryVector!, kindVector, view, k, depth, calls, rows };
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
