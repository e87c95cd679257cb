import { ROUTE_ENDS, type RouteEnd, type RouteTrace } from '../../model/retrieved-item.ts';
import { groupBy } from '../../util/group-by.ts';
import { percentile } from './percentile.ts';

/** How the routes of a recipe ended: percent of the questions by end, and milliseconds of those that ran. */
export type RouteShares = Readonly<Record<RouteEnd, number>> & { readonly meanMs: number | null };

/** By the name of the route; of all its traces. */
export function routeShares(traces: readonly RouteTrace[]): Record<string, RouteShares> {
  const groups = groupBy(traces, ({ route }) => route);
  return Object.fromEntries([...groups].map(([route, group]) => [route, sharesOf(group)]));
}

/**
 * Percent of the walks down the hierarchy that selected something; null where nothing was walked. Mnemis §3.3 has 90.06
 * of LoCoMo's questions.
 */
export function walkHitRate(traces: readonly RouteTrace[]): number | null {
  const walks = traces.filter(({ route, end }) => route === 'system2' && end !== 'skipped');
  return share(walks, ({ walk }) => walk !== undefined && walk.categories + walk.entities > 0);
}

/** Percent of the traversals that had no answer (PersonalAI, Table 4); null where nothing was traversed. */
export function noAnswerShare(traces: readonly RouteTrace[]): number | null {
  const traversed = traces.filter(({ figures }) => figures.noAnswer !== undefined);
  return share(traversed, ({ figures }) => figures.noAnswer! > 0);
}

/** Milliseconds of PageRank alone (MemORAI Table 7); null where nothing was ranked by it. */
export function pagerankTimes(
  traces: readonly RouteTrace[],
): { readonly p50: number; readonly p95: number } | null {
  const times = traces.flatMap(({ figures }) => figures.pagerankMs ?? []);
  const [p50, p95] = [percentile(times, 50), percentile(times, 95)];
  return p50 === null || p95 === null ? null : { p50: round(p50), p95: round(p95) };
}

function sharesOf(traces: readonly RouteTrace[]): RouteShares {
  const ran = traces.filter(({ end }) => end !== 'skipped');
  const milliseconds = ran.reduce((sum, trace) => sum + trace.milliseconds, 0);
  const shares = ROUTE_ENDS.map((end) => [end, share(traces, (trace) => trace.end === end) ?? 0]);
  return {
    ...(Object.fromEntries(shares) as Record<RouteEnd, number>),
    meanMs: ran.length === 0 ? null : round(milliseconds / ran.length),
  };
}

function share(traces: readonly RouteTrace[], holds: (trace: RouteTrace) => boolean): number | null {
  return traces.length === 0 ? null : round((100 * traces.filter(holds).length) / traces.length);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
