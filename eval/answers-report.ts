import { z } from 'zod';
import { ENOUGH_CONFIDENCE } from '../src/answer/defaults.ts';
import { ANSWERERS, type Answerer } from '../src/answer/given-answer.ts';
import type { Usage } from '../src/model/retrieved-item.ts';
import { groupBy } from '../src/util/collections.ts';
import type { EvaluationQuestion } from './datasets/dataset.ts';
import type { Verdict } from './judge-answer.ts';
import {
  type AnswerScores,
  abstentionAt,
  abstentionCurve,
  bestScores,
  scoreAnswer,
  separation,
} from './metrics/answer-metrics.ts';
import {
  type ComposedContext,
  contextFigures,
  type Quote,
  quoteFigures,
} from './metrics/evidence-metrics.ts';
import { percentile, round, roundOrNull, sumOfUsages } from './metrics/numbers.ts';
import { ADVERSARIAL_CATEGORY } from './metrics/retrieval-metrics.ts';

/** The result of one question. */
export interface AnswerResult {
  readonly question: EvaluationQuestion;
  readonly answered: boolean;
  /** The answer as given, with citations. */
  readonly text: string;
  /** The same without citation numbers, for comparison with the gold. */
  readonly plain: string;
  /** In the order of the text. */
  readonly quotes: readonly Quote[];
  readonly context: ComposedContext;
  readonly answerer: Answerer;
  readonly confidence: number | null;
  readonly notes: readonly string[];
  readonly scores: AnswerScores;
  /** Null without a judge, or if the judge failed. */
  readonly verdict: Verdict | null;
  /** The judge's, from 0 to 1; null as the verdict. */
  readonly score: number | null;
  readonly usage: Usage;
  readonly judgeUsage: Usage;
  readonly milliseconds: number;
}

const CITATIONS = /\s*\[\d+\]/g;

export function withoutCitations(text: string): string {
  return text.replace(CITATIONS, '').trim();
}

/**
 * Scores of an answer. If the gold is that memory has no answer, an abstention scores 1 and anything else 0, as in
 * LoCoMo's own script; an abstention on an answerable question scores 0.
 */
export function scoresOf(
  plain: string,
  answered: boolean,
  gold: string | null,
  otherGold: readonly string[] = [],
): AnswerScores {
  if (gold !== null && answered)
    return bestScores([gold, ...otherGold].map((each) => scoreAnswer(plain, each)));
  const value = (gold === null) === !answered ? 1 : 0;
  return { exactMatch: value, f1: value, bleu1: value, rouge1: value, rouge2: value, rougeL: value };
}

/** Percent with 2 decimals; null if no question counts. */
const percent = z.number().min(0).max(100).nullable();
const count = z.number().int().nonnegative();
const mean = z.number().nonnegative();
const part = z.strictObject({
  questions: count,
  f1: percent,
  bleu1: percent,
  rouge1: percent,
  rouge2: percent,
  rougeL: percent,
  exactMatch: percent,
  /** Verdicts of the judge, and the mean of its scores; null without a judge. */
  judge: z
    .strictObject({ right: percent, partly: percent, wrong: percent, declined: percent, score: percent })
    .nullable(),
  noAnswerRate: percent,
  /** How much gold evidence the quotes hold, of the questions with a gold answer and evidence (`QuoteFigures`). */
  quotes: z.strictObject({
    answerable: count,
    evidenceAt1: percent,
    evidenceAt3: percent,
    whole: percent,
    partial: percent,
    wrong: percent,
    declined: percent,
    unanswerable: count,
    unanswerableDeclined: percent,
  }),
  /** Recall of gold evidence within what the answer is composed from, of the same questions (`ContextFigures`). */
  context: z.strictObject({
    turns: percent,
    whole: percent,
    turnsOrFacts: percent,
    tokens: z.number().nonnegative().nullable(),
    sources: z.strictObject({ episodes: mean, facts: mean, entities: mean }).nullable(),
  }),
});
const usage = z.strictObject({ calls: count, promptTokens: count, completionTokens: count });
const point = z.strictObject({ threshold: z.number(), answered: percent, abstained: percent });

/** What `mnemis eval answers` prints as JSON. If the gold is that memory has no answer, only an abstention is right. */
export const answersReportSchema = z.strictObject({
  dataset: z.string(),
  recipe: z.string(),
  tier: z.string(),
  answerer: z.enum(ANSWERERS),
  /** The ingest profile that read the turns. */
  profile: z.string(),
  /** Name of the language model that reads or answers. */
  model: z.string().nullable(),
  /** Name of the language model that judges. */
  judge: z.string().nullable(),
  /** How it judges: the name of one of `JUDGE_NAMES`. Null without a judge. */
  judgeForm: z.string().nullable(),
  overall: part,
  /** Without LoCoMo's adversarial questions, as in the papers; for other data sets equal to `overall`. */
  withoutCategory5: part,
  byCategory: z.record(z.string(), part),
  /** Null if the answerer reports no confidence. */
  abstention: z
    .strictObject({
      answerable: count,
      unanswerable: count,
      /** The threshold used for these answers. */
      used: point,
      separation: percent,
      curve: z.array(point),
    })
    .nullable(),
  ingest: z.strictObject({ turns: count, seconds: z.number().nonnegative(), setAside: count, usage }),
  perQuestion: z.strictObject({
    promptTokens: z.number().nonnegative(),
    completionTokens: z.number().nonnegative(),
    p50Ms: z.number().nullable(),
    p95Ms: z.number().nullable(),
  }),
  usage,
  judgeUsage: usage,
  /** Questions on which the model or the judge failed. */
  failures: z.strictObject({ answerer: count, judge: count }),
  note: z.string().optional(),
});
/** Scores of an answerer on a data set: all in percent, except times and tokens. */
export type AnswersReport = z.output<typeof answersReportSchema>;
export type AnswersPart = z.output<typeof part>;

export interface AnswersRun
  extends Pick<
    AnswersReport,
    'dataset' | 'recipe' | 'tier' | 'profile' | 'answerer' | 'model' | 'judge' | 'judgeForm' | 'ingest'
  > {
  readonly results: readonly AnswerResult[];
  readonly note?: string | undefined;
}

export function buildAnswersReport({ results, note, ...run }: AnswersRun): AnswersReport {
  const groups = [...groupBy(results, ({ question }) => question.category)];
  const times = results.map(({ milliseconds }) => milliseconds);
  const total = sumOfUsages(results.map((each) => each.usage));
  const perQuestion = (tokens: number) => (results.length === 0 ? 0 : round(tokens / results.length));
  const answered = results.filter(({ answerer }) => answerer === run.answerer);
  return answersReportSchema.parse({
    ...run,
    ingest: { ...run.ingest, seconds: round(run.ingest.seconds) },
    overall: partOf(results),
    withoutCategory5: partOf(results.filter(({ question }) => question.category !== ADVERSARIAL_CATEGORY)),
    byCategory: Object.fromEntries(
      groups
        .sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }))
        .map(([name, members]) => [name, partOf(members)]),
    ),
    abstention: run.answerer === 'local' ? abstentionOf(results) : null,
    perQuestion: {
      promptTokens: perQuestion(total.promptTokens),
      completionTokens: perQuestion(total.completionTokens),
      p50Ms: roundOrNull(percentile(times, 50)),
      p95Ms: roundOrNull(percentile(times, 95)),
    },
    usage: total,
    judgeUsage: sumOfUsages(results.map((each) => each.judgeUsage)),
    failures: {
      answerer: results.length - answered.length,
      judge: run.judge !== null ? results.filter(({ verdict }) => verdict === null).length : 0,
    },
    ...(note === undefined ? {} : { note }),
  });
}

function partOf(results: readonly AnswerResult[]): AnswersPart {
  const meanOf = (of: readonly AnswerResult[], score: (result: AnswerResult) => number) =>
    of.length === 0 ? null : round((100 * of.reduce((sum, each) => sum + score(each), 0)) / of.length);
  const meanScore = (score: (result: AnswerResult) => number) => meanOf(results, score);
  const judged = results.filter(({ verdict }) => verdict !== null);
  const share = (word: Verdict) => meanOf(judged, ({ verdict }) => (verdict === word ? 1 : 0));
  return {
    questions: results.length,
    f1: meanScore(({ scores }) => scores.f1),
    bleu1: meanScore(({ scores }) => scores.bleu1),
    rouge1: meanScore(({ scores }) => scores.rouge1),
    rouge2: meanScore(({ scores }) => scores.rouge2),
    rougeL: meanScore(({ scores }) => scores.rougeL),
    exactMatch: meanScore(({ scores }) => scores.exactMatch),
    judge:
      judged.length === 0
        ? null
        : {
            right: share('right'),
            partly: share('partly'),
            wrong: share('wrong'),
            declined: share('declined'),
            score: meanOf(judged, ({ score }) => score ?? 0),
          },
    noAnswerRate: meanScore(({ answered }) => (answered ? 0 : 1)),
    quotes: quoteFigures(results),
    context: contextFigures(results),
  };
}

function abstentionOf(results: readonly AnswerResult[]): AnswersReport['abstention'] {
  const judged = results.flatMap(({ confidence, question }) =>
    confidence === null ? [] : [{ confidence, answerable: question.answer !== null }],
  );
  return {
    answerable: judged.filter(({ answerable }) => answerable).length,
    unanswerable: judged.filter(({ answerable }) => !answerable).length,
    used: abstentionAt(judged, ENOUGH_CONFIDENCE),
    separation: separation(judged),
    curve: abstentionCurve(judged),
  };
}
