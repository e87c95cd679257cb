import { CancelledError, MnemisError, RouteLateError } from '../errors/index.ts';
import { NO_USAGE, type RouteEnd, type RouteTrace } from '../model/retrieved-item.ts';
import type { ScopeIndex } from '../search/scope-index.ts';
import { breathe } from '../util/breathe.ts';
import { runSystem2 } from './categories/categories.ts';
import { NO_LISTS, type RankedLists } from './fuse.ts';
import { runPagerank } from './pagerank/run-pagerank.ts';
import type { Question } from './question.ts';
import type { Route } from './recipes/recipe.ts';
import type { RouteInput, RouteResult } from './route.ts';
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

/**
 * Runs one route of a recipe if its condition holds, within its time limit. A route that is skipped, late or fails
 * returns no lists, and its trace gives the reason.
 *
 * @param milliseconds Time limit of the route; Infinity for no limit.
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

function codeOf(error: unknown): string {
  return MnemisError.isInstance(error) ? error.code : 'unexpected';
}

/** Whether a route runs, and why, for its trace. */
interface Choice {
  readonly runs: boolean;
  /** Empty if the recipe sets no condition. */
  readonly reason: string;
}

/** Checks a route's condition against the question and what memory holds. */
function chooseRoute(
  when: RouteCondition | undefined,
  { question, index }: { readonly question: Question; readonly index: ScopeIndex },
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

/** Runs a route of any kind. */
function runRoute(input: RouteInput, route: Route): RouteResult | Promise<RouteResult> {
  switch (route.route) {
    case 'pagerank':
      return runPagerank(input, route);
    case 'system1':
      return runSystem1(input, route);
    case 'system2':
      return runSystem2(input, route);
    case 'topics':
      return runTopics(input, route);
    case 'traversal':
      return runTraversal(input, route);
  }
}
