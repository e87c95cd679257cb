import type { Answerer } from '../answer/given-answer.ts';
import type { Usage } from '../model/retrieved-item.ts';
import type { EvaluationQuestion } from './datasets/evaluation-dataset.ts';
import { type AnswerScores, scoreAnswer } from './metrics/answer-metrics.ts';

/** What became of one question. */
export interface AnswerResult {
  readonly question: EvaluationQuestion;
  readonly answered: boolean;
  /** As it was given, citations included. */
  readonly text: string;
  /** The same without the numbers of its citations: what is compared with the gold. */
  readonly plain: string;
  /** Sessions and indices of the turns that it cites. */
  readonly cited: readonly string[];
  readonly answerer: Answerer;
  readonly confidence: number | null;
  readonly notes: readonly string[];
  readonly scores: AnswerScores;
  /** 1 where the judge holds it right, else 0; null without a judge, or where the judge failed. */
  readonly judged: number | null;
  readonly usage: Usage;
  readonly judgeUsage: Usage;
  readonly milliseconds: number;
}

const CITATIONS = /\s*\[\d+\]/g;

export function withoutCitations(text: string): string {
  return text.replace(CITATIONS, '').trim();
}

/**
 * Scores of an answer. Where the gold is that memory does not say, an abstention is wholly right and anything else
 * wholly wrong, as in LoCoMo's own script; an abstention where there is an answer is wholly wrong.
 */
export function scoresOf(plain: string, answered: boolean, gold: string | null): AnswerScores {
  if (gold !== null && answered) return scoreAnswer(plain, gold);
  const value = (gold === null) === !answered ? 1 : 0;
  return { exactMatch: value, f1: value, bleu1: value, rouge1: value, rouge2: value, rougeL: value };
}
