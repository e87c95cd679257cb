import { CancelledError, MnemisError, RouteLateError } from '../errors/index.ts';
import { NO_USAGE, type RouteEnd, type RouteTrace } from '../model/retrieved-item.ts';
import { breathe } from '../util/breathe.ts';
import { chooseRoute } from './choose-route.ts';
import { Limit } from './limit.ts';
import { NO_LISTS, type RankedLists } from './rankings.ts';
import type { Route } from './recipes/recipe.ts';
import type { RouteInput, RouteResult } from './route.ts';
import { runRoute } from './routes.ts';
import { withinTime } from './within-time.ts';

/** What one route of a search came to. */
export interface RouteOutcome {
  readonly lists: RankedLists;
  readonly trace: RouteTrace;
}

type Asked = Omit<RouteInput, 'limit'>;

/**
 * Runs one route of a recipe, if its question and memory are worth it, for no longer than it may take. Whatever befalls
 * it is told in its trace and leaves it without lists.
 *
 * @param milliseconds For the route; Infinity for as long as it takes.
 * @throws CancelledError
 */
export async function runOneRoute(input: Asked, route: Route, milliseconds: number): Promise<RouteOutcome> {
  const started = performance.now();
  const { runs, reason } = chooseRoute(route.when, { ...input, index: input.context.index });
  const end = (result: RouteResult, how?: { end: RouteEnd; failure?: string }): RouteOutcome => ({
    lists: result.lists,
    trace: {
      route: route.route,
      end: how?.end ?? endOf(result),
      milliseconds: performance.now() - started,
      found: countOf(result.lists),
      failure: how?.failure ?? result.report?.failure ?? null,
      notes: [...(route.when === undefined ? [] : [reason]), ...(result.report?.notes ?? [])],
      figures: result.report?.figures ?? {},
      usage: result.report?.usage ?? NO_USAGE,
      ...(result.report?.walk && { walk: result.report.walk }),
    },
  });
  const nothing: RouteResult = { lists: NO_LISTS };
  if (!runs) return end(nothing, { end: 'skipped' });
  try {
    return end(await inTime(input, route, milliseconds));
  } catch (error) {
    if (CancelledError.isInstance(error)) throw error;
    if (RouteLateError.isInstance(error)) return end(nothing, { end: 'late', failure: error.code });
    if (!MnemisError.isInstance(error)) input.context.onDefect?.(route.route, error);
    return end(nothing, { end: 'failed', failure: codeOf(error) });
  }
}

function inTime(input: Asked, route: Route, milliseconds: number): Promise<RouteResult> {
  const caller = input.calls.signal;
  const run = async (signal: AbortSignal) => {
    // Those who wait for the thread, a cancel among them, come between two routes.
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

function codeOf(error: unknown): string {
  return MnemisError.isInstance(error) ? error.code : 'unexpected';
}
