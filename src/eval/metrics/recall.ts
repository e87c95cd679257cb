import { groupBy } from '../../util/group-by.ts';
import type { EvaluationQuestion } from '../datasets/evaluation-dataset.ts';

/** What a search ranked for one question, best first, to the recipe's depth. */
export interface QuestionResult {
  readonly question: EvaluationQuestion;
  /** Source ids. */
  readonly rankedTurns: readonly string[];
  /** May repeat a session for each of its turns; its first place counts. */
  readonly rankedSessions: readonly string[];
  readonly milliseconds: number;
}

/** LoCoMo's adversarial questions, which the papers leave out. */
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

/** Without a valid evidence turn a question has nothing to recall (DESIGN §8.7), neither turns nor sessions. */
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
  return Math.round(mean * 10_000) / 100;
}
