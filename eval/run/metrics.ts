import type { RouteTrace } from '../../src/model/retrieved-item.ts';
import { groupBy } from '../../src/util/collections.ts';
import type { EvaluationQuestion } from '../datasets/dataset.ts';
import type { AnswerScores } from '../metrics/answer-metrics.ts';
import { type Estimate, estimateOf } from '../metrics/estimate.ts';
import type { ComposedContext } from '../metrics/evidence-metrics.ts';
import { percentile, round } from '../metrics/numbers.ts';
import { countsForRecall, recallAt, walkHitRate } from '../metrics/retrieval-metrics.ts';
import type { KeptAnswer } from './kept-results.ts';

const TURN_DEPTHS = [3, 5, 10, 30, 50] as const;
const SESSION_DEPTHS = [5, 10] as const;

/** Every metric of a table, in the order of its columns. Shares are in percent, the others as they are. */
export const METRICS = [
  ...TURN_DEPTHS.map((k) => ({ name: `turn@${k}`, isShare: true })),
  ...SESSION_DEPTHS.map((k) => ({ name: `session@${k}`, isShare: true })),
  { name: 'context', isShare: true },
  { name: 'context or facts', isShare: true },
  { name: 'whole context', isShare: true },
  { name: 'F1', isShare: true },
  { name: 'BLEU-1', isShare: true },
  { name: 'ROUGE-L', isShare: true },
  { name: 'exact match', isShare: true },
  { name: 'judge', isShare: true },
  { name: 'declined', isShare: true },
  { name: 'walk found', isShare: true },
  { name: 'no answer', isShare: true },
  { name: 'coverage', isShare: true },
  { name: 'context turns', isShare: false },
  { name: 'context facts', isShare: false },
  { name: 'context tokens', isShare: false },
  { name: 'prompt tokens', isShare: false },
  { name: 'completion tokens', isShare: false },
  { name: 'PageRank ms', isShare: false },
  { name: 'ms', isShare: false },
] as const;

/** What was measured of one question; parts that a line does not run are null. */
export interface Measured {
  readonly question: EvaluationQuestion;
  readonly rankedTurns: readonly string[];
  readonly rankedSessions: readonly string[];
  /** Turns that PageRank ran over. */
  readonly subgraphTurns: readonly string[] | null;
  readonly routes: readonly RouteTrace[];
  readonly context: ComposedContext | null;
  readonly answer: {
    readonly isDeclined: boolean;
    readonly scores: AnswerScores;
    /** From 0 to 1; null without a judge, or if it failed. */
    readonly judged: number | null;
    readonly promptTokens: number;
    readonly completionTokens: number;
  } | null;
  readonly milliseconds: number;
}

/** Shares from 0 to 1, and numbers, by metric; a metric that does not apply is left out. */
export function figuresOf(measured: Measured): Record<string, number> {
  const { question, rankedTurns, rankedSessions, subgraphTurns, routes, context, answer } = measured;
  const { evidenceTurns, evidenceSessions } = question;
  const counts = countsForRecall(question);
  const shareIn = (turns: readonly string[]) => recallAt(turns, evidenceTurns, Number.POSITIVE_INFINITY);
  const found: Record<string, number | null | undefined> = { ms: measured.milliseconds };
  if (counts) {
    for (const k of TURN_DEPTHS) found[`turn@${k}`] = recallAt(rankedTurns, evidenceTurns, k);
    for (const k of SESSION_DEPTHS) found[`session@${k}`] = recallAt(rankedSessions, evidenceSessions, k);
    if (subgraphTurns !== null) found.coverage = shareIn(subgraphTurns);
    if (context !== null) {
      found.context = shareIn(context.turns);
      found['context or facts'] = shareIn([...context.turns, ...context.citedByFacts]);
      found['whole context'] = found.context === null ? null : Math.floor(found.context);
    }
  }
  const walked = walkHitRate(routes);
  if (walked !== null) found['walk found'] = walked / 100;
  const traversed = routes.find(({ figures }) => figures.noAnswer !== undefined);
  if (traversed !== undefined) found['no answer'] = traversed.figures.noAnswer! > 0 ? 1 : 0;
  found['PageRank ms'] = routes.find(({ figures }) => figures.pagerankMs !== undefined)?.figures.pagerankMs;
  if (context !== null) {
    found['context tokens'] = context.tokens;
    found['context turns'] = context.sources.episodes;
    found['context facts'] = context.sources.facts;
  }
  if (answer !== null) {
    const { scores } = answer;
    found.F1 = scores.f1;
    found['BLEU-1'] = scores.bleu1;
    found['ROUGE-L'] = scores.rougeL;
    found['exact match'] = scores.exactMatch;
    found.judge = answer.judged;
    found.declined = answer.isDeclined ? 1 : 0;
    found['prompt tokens'] = answer.promptTokens;
    found['completion tokens'] = answer.completionTokens;
  }
  const entries = Object.entries(found).filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number',
  );
  return Object.fromEntries(entries);
}

/** A metric over the questions of a line: of a share with its bootstrap interval over conversations, in percent. */
export type Figure = Estimate | { readonly mean: number; readonly low: null; readonly high: null };

/** By metric, in the order of `METRICS`; milliseconds are the median. Metrics that no question has are left out. */
export function figuresOfLine(answers: readonly KeptAnswer[]): Map<string, Figure> {
  const byScope = groupBy(answers, ({ scope }) => scope);
  const figures = new Map<string, Figure>();
  for (const { name, isShare } of METRICS) {
    const groups = [...byScope.values()].map((group) =>
      group.flatMap(({ figures: each }) => each[name] ?? []),
    );
    const values = groups.flat();
    if (values.length === 0) continue;
    const figure = isShare ? estimateOf(groups) : plain(name, values);
    if (figure !== null) figures.set(name, figure);
  }
  return figures;
}

function plain(name: string, values: readonly number[]): Figure {
  const mean = name.endsWith('ms')
    ? percentile(values, 50)!
    : values.reduce((sum, value) => sum + value, 0) / values.length;
  return { mean: round(mean), low: null, high: null };
}
