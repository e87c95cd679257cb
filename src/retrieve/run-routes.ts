import { CancelledError, MnemisError, RouteLateError } from '../errors/index.ts';
import { NO_USAGE, type RouteEnd, type RouteTrace } from '../model/retrieved-item.ts';
import type { ScopeIndex } from '../search/scope-index.ts';
import { breathe } from '../util/breathe.ts';
import { listsBelow, NO_LISTS, type RankedLists } from './fuse.ts';
import { runPagerank } from './pagerank/run-pagerank.ts';
import type { Route } from './recipes/recipe.ts';
import type { RouteInput, RouteResult, SearchContext } from './route.ts';
import type { RouteCondition } from './route-settings.ts';
import { runSystem1 } from './similarity/similarity.ts';
import { runTopics } from './topics/topics.ts';
import { runTraversal } from './traversal/traversal.ts';
import { Limit, withinTime } from './within-time.ts';

/** The result of one route of a search. */
export interface RouteOutcome {
  readonly lists: RankedLists;
  readonly trace: RouteTrace;
}

type Asked = Omit<RouteInput, 'limit'>;
/** A route that one call runs; Global Selection goes list by list (`graphs/retrieval/global-selection`). */
type SingleRoute = Exclude<Route, { readonly route: 'system2' }>;

/**
 * Runs one route within its time limit. A route that is late or fails returns no lists, and its trace gives the reason.
 *
 * @param milliseconds Time limit of the route; Infinity for no limit.
 * @throws CancelledError
 */
export async function runOneRoute(
  input: Asked,
  route: SingleRoute,
  milliseconds: number,
): Promise<RouteOutcome> {
  const started = performance.now();
  const took = () => performance.now() - started;
  const reason = chooseRoute(route.when, input).reason;
  try {
    return routeOutcome(route, await inTime(input, route, milliseconds), { reason, milliseconds: took() });
  } catch (error) {
    const ended = routeFailure(error, route, input.context.onDefect);
    return routeOutcome(route, { lists: NO_LISTS }, { reason, milliseconds: took(), ...ended });
  }
}

/** The outcome of a route whose condition does not hold. */
export function skippedRoute(route: Route, reason: string): RouteOutcome {
  return routeOutcome(route, { lists: NO_LISTS }, { reason, milliseconds: 0, end: 'skipped' });
}

interface RouteRun {
  readonly milliseconds: number;
  /** Why it ran or was skipped. */
  readonly reason: string;
  /** Default: what the result says. */
  readonly end?: RouteEnd | undefined;
  readonly failure?: string | undefined;
}

export function routeOutcome(
  { route, when, below }: Route,
  result: RouteResult,
  { milliseconds, reason, end = endOf(result), failure }: RouteRun,
): RouteOutcome {
  const { lists, report } = result;
  return {
    lists: below === undefined ? lists : listsBelow(lists, below),
    trace: {
      route,
      end,
      milliseconds,
      found: countOf(lists),
      failure: failure ?? report?.failure ?? null,
      notes: [...(when === undefined ? [] : [reason]), ...(report?.notes ?? [])],
      figures: report?.figures ?? {},
      usage: report?.usage ?? NO_USAGE,
      ...(report?.walk && { walk: report.walk }),
    },
  };
}

/** How a route ends with an error; a defect is reported. @throws CancelledError */
export function routeFailure(
  error: unknown,
  { route }: Route,
  onDefect: SearchContext['onDefect'],
): { readonly end: 'late' | 'failed'; readonly failure: string } {
  if (CancelledError.isInstance(error)) throw error;
  if (RouteLateError.isInstance(error)) return { end: 'late', failure: error.code };
  if (!MnemisError.isInstance(error)) onDefect?.(route, error);
  return { end: 'failed', failure: codeOf(error) };
}

function inTime(input: Asked, route: SingleRoute, milliseconds: number): Promise<RouteResult> {
  const caller = input.calls.signal;
  const run = async (signal: AbortSignal) => {
    // Lets other work on the thread, such as a cancel, run between two routes.
    await breathe();
    const limit = new Limit(milliseconds, caller);
    limit.check();
    return runRoute({ ...input, calls: { ...input.calls, signal }, limit }, route);
  };
  return withinTime(run, { signal: caller, milliseconds });
}

function endOf({ lists, report }: RouteResult): RouteEnd {
  const { episodes, entities, facts } = countOf(lists);
  if (episodes + entities + facts > 0) return 'found';
  return report?.failure == null ? 'nothing' : 'failed';
}

function countOf({ episode, entity, fact }: RankedLists): RouteTrace['found'] {
  const distinct = (lists: RankedLists['episode']) => new Set(lists.flatMap(({ keys }) => keys)).size;
  return { episodes: distinct(episode), entities: distinct(entity), facts: distinct(fact) };
}

/** The failure of a route that ended with a defect. */
export const UNEXPECTED = 'unexpected';

function codeOf(error: unknown): string {
  return MnemisError.isInstance(error) ? error.code : UNEXPECTED;
}

/** Whether a route runs, and why, for its trace. */
interface Choice {
  readonly runs: boolean;
  /** Empty if the recipe sets no condition. */
  readonly reason: string;
}

/** Checks a route's condition against the question and what memory holds. */
export function chooseRoute(
  when: RouteCondition | undefined,
  { question, context: { index } }: Pick<RouteInput, 'question' | 'context'>,
): Choice {
  if (when === undefined) return { runs: true, reason: '' };
  const type = question.enumerates ? 'all' : 'one';
  const asked = type === 'all' ? 'the question is for all of something' : 'the question is for one thing';
  if (when.asks !== undefined && when.asks !== type) return { runs: false, reason: asked };
  const held = rowsHeld(index);
  for (const [kind, needed] of Object.entries(when.holds ?? {}) as [keyof typeof held, number][])
    if (held[kind] < needed)
      return { runs: false, reason: `memory holds ${held[kind]} ${kind}, and it needs ${needed}` };
  return { runs: true, reason: when.asks === undefined ? 'memory holds what it needs' : asked };
}

function rowsHeld({ hierarchy, segments, facts, entities }: ScopeIndex) {
  return {
    categories: hierarchy.size,
    segments: segments.lexical.size,
    facts: facts.lexical.size,
    entities: entities.size,
  };
}

function runRoute(input: RouteInput, route: SingleRoute): RouteResult | Promise<RouteResult> {
  switch (route.route) {
    case 'pagerank':
      return runPagerank(input, route);
    case 'system1':
      return runSystem1(input, route);
    case 'topics':
      return runTopics(input, route);
    case 'traversal':
      return runTraversal(input, route);
  }
}
