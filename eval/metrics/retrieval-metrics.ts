import { ROUTE_ENDS, type RouteEnd, type RouteTrace } from '../../src/model/retrieved-item.ts';
import { groupBy } from '../../src/util/collections.ts';
import type { EvaluationQuestion } from '../datasets/dataset.ts';
import { percentile, round } from './numbers.ts';

/** The ranking of a search for one question, best first, to the recipe's depth. */
export interface QuestionResult {
  readonly question: EvaluationQuestion;
  /** Source ids. */
  readonly rankedTurns: readonly string[];
  /** May repeat a session for each of its turns; the first position counts. */
  readonly rankedSessions: readonly string[];
  readonly milliseconds: number;
}

/** LoCoMo's adversarial questions, which the papers exclude. */
export const ADVERSARIAL_CATEGORY = '5';

/** The share, from 0 to 1, of `relevant` among the first `k` distinct of `ranked`; null if nothing is relevant. */
export function recallAt(ranked: readonly string[], relevant: readonly string[], k: number): number | null {
  const wanted = new Set(relevant);
  if (wanted.size === 0) return null;
  let [seen, found] = [new Set<string>(), 0];
  for (const id of ranked) {
    if (seen.size === k) break;
    if (seen.has(id)) continue;
    seen.add(id);
    if (wanted.has(id)) found++;
  }
  return found / wanted.size;
}

/** A question without a valid evidence turn does not count, for turns and for sessions. */
export function countsForRecall(question: EvaluationQuestion): boolean {
  return question.evidenceTurns.length > 0;
}

/** Mean in percent, to 2 decimals, over the questions that count; null if none does. */
export function meanTurnRecall(results: readonly QuestionResult[], k: number): number | null {
  return meanPercent(results, (each) => recallAt(each.rankedTurns, each.question.evidenceTurns, k));
}

/** As `meanTurnRecall`, of distinct sessions in ranked order. */
export function meanSessionRecall(results: readonly QuestionResult[], k: number): number | null {
  return meanPercent(results, (each) => recallAt(each.rankedSessions, each.question.evidenceSessions, k));
}

export function withoutAdversarial(results: readonly QuestionResult[]): QuestionResult[] {
  return results.filter(({ question }) => question.category !== ADVERSARIAL_CATEGORY);
}

/** In the order of the categories' names, numbers as numbers. */
export function resultsByCategory(results: readonly QuestionResult[]): Map<string, QuestionResult[]> {
  const groups = groupBy(results, ({ question }) => question.category);
  return new Map([...groups].sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true })));
}

function meanPercent(
  results: readonly QuestionResult[],
  recallOf: (result: QuestionResult) => number | null,
): number | null {
  const recalls = results
    .filter(({ question }) => countsForRecall(question))
    .flatMap((result) => recallOf(result) ?? []);
  if (recalls.length === 0) return null;
  const mean = recalls.reduce((sum, recall) => sum + recall, 0) / recalls.length;
  return round(100 * mean);
}

/** How the routes of a recipe ended: percent of the questions by end, and milliseconds of those that ran. */
export type RouteShares = Readonly<Record<RouteEnd, number>> & { readonly meanMs: number | null };

/** By the name of the route; of all its traces. */
export function routeShares(traces: readonly RouteTrace[]): Record<string, RouteShares> {
  const groups = groupBy(traces, ({ route }) => route);
  return Object.fromEntries([...groups].map(([route, group]) => [route, sharesOf(group)]));
}

/**
 * Percent of the walks down the hierarchy that selected something; null if there was no walk. Mnemis §3.3 has 90.06 of
 * LoCoMo's questions.
 */
export function walkHitRate(traces: readonly RouteTrace[]): number | null {
  const walks = traces.filter(({ route, end }) => route === 'system2' && end !== 'skipped');
  return share(walks, ({ walk }) => walk !== undefined && walk.categories + walk.entities > 0);
}

/** Percent of the traversals that had no answer (PersonalAI, Table 4); null if there was no traversal. */
export function noAnswerShare(traces: readonly RouteTrace[]): number | null {
  const traversed = traces.filter(({ figures }) => figures.noAnswer !== undefined);
  return share(traversed, ({ figures }) => figures.noAnswer! > 0);
}

/** Milliseconds of PageRank only (MemORAI Table 7); null if it did not run. */
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
