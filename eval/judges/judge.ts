import type { Prompt } from '../../src/model/prompt.ts';
import { NO_USAGE, type Usage } from '../../src/model/retrieved-item.ts';
import { asLabel, DATA, fence } from '../../src/prompts/as-data.ts';
import type { EvaluationQuestion } from '../datasets/dataset.ts';
import {
  type AnswerToJudge,
  type JudgedTexts,
  type Judgement,
  ruledVerdict,
  type Verdict,
} from '../judge-answer.ts';
import { askJudge, type JudgeOptions } from './ask-judge.ts';

/** An answer to grade, and all that a data set says about its question. */
export interface JudgeInput extends AnswerToJudge, Pick<EvaluationQuestion, 'rubric' | 'explanation'> {
  /** As the data set names it. */
  readonly category?: string | undefined;
}

/** What a judge says of one answer. */
export interface Grade extends Judgement {
  /** From 0 to 1; null if the judge failed. */
  readonly score: number | null;
}

/** Port: grades one answer. A call that fails gives nulls. Throws CancelledError, BudgetExhaustedError. */
export interface Judge {
  readonly name: string;
  grade(input: JudgeInput, options: JudgeOptions): Promise<Grade>;
}

/** @param answer - Null if the question was declined. */
export function judgeInput(question: EvaluationQuestion, answer: string | null): JudgeInput {
  const { text, answer: gold, category, rubric, explanation } = question;
  return { question: text, gold, answer, category, rubric, explanation };
}

type Ask = (texts: JudgedTexts, options: JudgeOptions, input: JudgeInput) => Promise<Grade>;

/** A judge that asks about an answer that has a gold; others are graded by rule. */
export function judgeOf(name: string, ask: Ask): Judge {
  return {
    name,
    async grade(input, options) {
      const { question, gold, answer } = input;
      if (gold === null || answer === null) return ruledGrade(input);
      return ask({ question, gold, answer }, options, input);
    },
  };
}

export function ruledGrade(input: JudgeInput): Grade {
  return gradeOfVerdict({ verdict: ruledVerdict(input), usage: NO_USAGE });
}

/** Asks once; `isRight` reads the reply. */
export async function askBinary<Input, Output>(
  prompt: Prompt<Input, Output>,
  input: Input,
  options: JudgeOptions,
  isRight: (output: Output) => boolean,
): Promise<Grade> {
  const { value, usage } = await askJudge(options, (call) => options.model.structured(prompt, input, call));
  return gradeOfScore(value === null ? null : isRight(value.value) ? 1 : 0, usage);
}

const SCORES: Readonly<Record<Verdict, number>> = { right: 1, partly: 0.5, wrong: 0, declined: 0 };

export function gradeOfVerdict({ verdict, usage }: Judgement): Grade {
  return { score: verdict === null ? null : SCORES[verdict], verdict, usage };
}

export function gradeOfScore(score: number | null, usage: Usage): Grade {
  if (score === null) return { score, verdict: null, usage };
  return { score, verdict: score === 1 ? 'right' : score === 0 ? 'wrong' : 'partly', usage };
}

const LONGEST = 4_000;

/** Each fenced, in this order. */
export function fencedTexts(...texts: readonly string[]): string {
  return texts.map((text) => fence(DATA, asLabel(text, LONGEST))).join('\n');
}
