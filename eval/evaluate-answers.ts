import { z } from 'zod';
import type { Answerer, GivenAnswer } from '../src/answer/given-answer.ts';
import { llmAnswer } from '../src/answer/llm/llm-answer.ts';
import type { MemoryScope } from '../src/engine/memory-scope.ts';
import type { Mnemis } from '../src/engine.ts';
import { BudgetExhaustedError, CancelledError, InvalidInputError, MnemisError } from '../src/errors/index.ts';
import type { TokenBudget } from '../src/inference/language-model/calling/token-budget.ts';
import { UsageMeter } from '../src/inference/language-model/tokens/usage-meter.ts';
import type { LanguageModel, ModelCallOptions } from '../src/inference/language-model.ts';
import type { Prompt } from '../src/model/prompt.ts';
import { NO_USAGE, type Usage } from '../src/model/retrieved-item.ts';
import { asLabel, DATA, DATA_RULE, fence } from '../src/prompts/as-data.ts';
import { replyWord } from '../src/prompts/reply-parts.ts';
import type { Recipe } from '../src/retrieve/recipes/recipe.ts';
import {
  type AnswerResult,
  type AnswersReport,
  buildAnswersReport,
  scoresOf,
  withoutCitations,
} from './answers-report.ts';
import {
  cancelledEvaluation,
  type EvaluationDataset,
  type EvaluationQuestion,
  ingestCase,
} from './datasets/dataset.ts';

export interface JudgeInput {
  readonly question: string;
  /** The gold answer. */
  readonly gold: string;
  readonly answer: string;
}

const LONGEST = 2_000;

/** An unreadable verdict counts as wrong. */
const judgeAnswerReply = z.object({ verdict: replyWord(['correct', 'wrong'], 'wrong') });

/** Judges whether an answer agrees with the gold. */
export const judgeAnswer: Prompt<JudgeInput, z.output<typeof judgeAnswerReply>> = {
  name: 'judge-answer',
  version: 1,
  schema: judgeAnswerReply,
  expectedTokens: 15,
  render: ({ question, gold, answer }) => ({
    system: `You grade answers to questions about people's talks. ${DATA_RULE} First comes the question, then the right answer, then the answer to grade.
verdict: "correct" if the graded answer says what the right one says, in whatever words: it may be longer, a date may be written otherwise or said relative to another, and of a list it must have every part. "wrong" if it says something else, leaves out what was asked, or says that it does not know.`,
    user: [question, gold, answer].map((text) => fence(DATA, asLabel(text, LONGEST))).join('\n'),
  }),
};

export interface Judgement {
  /** 1 or 0; null if the judge failed. */
  readonly judged: number | null;
  readonly usage: Usage;
}

/** Judges an answer: by rule if it abstains or should have, else by the language model. */
export async function judgeResult(
  { question, gold, answer }: { question: string; gold: string | null; answer: string | null },
  { model, signal, budget }: Pick<ModelCallOptions, 'signal' | 'budget'> & { readonly model: LanguageModel },
): Promise<Judgement> {
  if (gold === null || answer === null) return { judged: gold === answer ? 1 : 0, usage: NO_USAGE };
  const meter = new UsageMeter();
  try {
    const { value } = await model.structured(
      judgeAnswer,
      { question, gold, answer },
      { signal, budget, meter },
    );
    return { judged: value.verdict === 'correct' ? 1 : 0, usage: usageIn(meter) };
  } catch (error) {
    if (CancelledError.isInstance(error) || BudgetExhaustedError.isInstance(error)) throw error;
    if (!MnemisError.isInstance(error)) throw error;
    return { judged: null, usage: usageIn(meter) };
  }
}

function usageIn({ total: { calls, promptTokens, completionTokens } }: UsageMeter): Usage {
  return { calls, promptTokens, completionTokens };
}

/** Input of `evaluateAnswers`: one answerer on a data set, in new scopes of an engine. */
export interface AnswerEvaluation {
  /** Must have no language model, which would answer instead of `answerer`. */
  readonly engine: Mnemis;
  readonly dataset: EvaluationDataset;
  readonly recipe: Recipe;
  readonly tier: string;
  readonly answerer: Answerer;
  /** Judges the answers, and answers if `answerer` is `llm`. */
  readonly model?: LanguageModel | undefined;
  /** Number of questions to ask in each case, from the first. Default: all. */
  readonly limit?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Token budget of answers and judgements together. */
  readonly budget?: TokenBudget | undefined;
  readonly onProgress?: ((done: number, total: number, what: string) => void) | undefined;
  /** Receives each result as soon as it is available. */
  readonly onResult?: ((result: AnswerResult) => Promise<void>) | undefined;
}

/**
 * Ingests each case into its own scope, asks its questions, and scores the answers.
 *
 * @throws InvalidInputError if `answerer` is `llm` and there is no language model; CancelledError;
 * BudgetExhaustedError.
 */
export async function evaluateAnswers(evaluation: AnswerEvaluation): Promise<AnswersReport> {
  const { engine, dataset, signal, onProgress, limit = Number.POSITIVE_INFINITY } = evaluation;
  if (evaluation.answerer === 'llm' && evaluation.model === undefined)
    throw new InvalidInputError('The answerer is llm, but there is no language model');
  const total = dataset.cases.reduce((sum, each) => sum + Math.min(limit, each.questions.length), 0);
  const results: AnswerResult[] = [];
  let [turns, seconds] = [0, 0];
  for (const each of dataset.cases) {
    onProgress?.(results.length, total, `${each.scope}: reading`);
    const memory = engine.scope(each.scope);
    seconds += await ingestCase(memory, each, signal);
    turns += each.turns.length;
    for (const question of each.questions.slice(0, limit)) {
      const result = await askOne(memory, question, evaluation);
      await evaluation.onResult?.(result);
      results.push(result);
      onProgress?.(results.length, total, each.scope);
    }
  }
  const { recipe, tier, answerer, model } = evaluation;
  return buildAnswersReport({
    ...{ dataset: dataset.name, recipe: recipe.name, tier, answerer, model: model?.name ?? null },
    ingest: { turns, seconds },
    isJudged: model !== undefined,
    results,
    note: dataset.note,
  });
}

async function askOne(
  memory: MemoryScope,
  question: EvaluationQuestion,
  evaluation: AnswerEvaluation,
): Promise<AnswerResult> {
  const { model, signal, budget } = evaluation;
  if (signal?.aborted) throw cancelledEvaluation(signal);
  const started = performance.now();
  const answer = await answerOf(memory, question.text, evaluation);
  const milliseconds = performance.now() - started;
  const plain = withoutCitations(answer.text);
  const judgement =
    model === undefined
      ? { judged: null, usage: NO_USAGE }
      : await judgeResult(
          { question: question.text, gold: question.answer, answer: answer.answered ? plain : null },
          { model, signal, budget },
        );
  return {
    question,
    ...{ answered: answer.answered, text: answer.text, plain },
    cited: answer.citations.flatMap(({ item }) =>
      item.sources.map(({ session, index }) => `${session} ${index}`),
    ),
    ...{ answerer: answer.answerer, confidence: answer.confidence, notes: answer.notes },
    scores: scoresOf(plain, answer.answered, question.answer),
    judged: judgement.judged,
    ...{ usage: answer.usage, judgeUsage: judgement.usage, milliseconds },
  };
}

async function answerOf(
  memory: MemoryScope,
  question: string,
  { recipe, answerer, model, signal, budget }: AnswerEvaluation,
): Promise<GivenAnswer> {
  const local = () => memory.ask(question, { recipe, signal, answerer: 'local' });
  if (answerer === 'local') return local();
  const search = await memory.search(question, { recipe, signal });
  try {
    return await llmAnswer(search, { model: model!, now: newestIn(search), signal, budget });
  } catch (error) {
    if (CancelledError.isInstance(error) || BudgetExhaustedError.isInstance(error)) throw error;
    if (!MnemisError.isInstance(error)) throw error;
    const answer = await local();
    return { ...answer, notes: [`the language model failed (${error.code})`] };
  }
}

/** Questions are asked after the last turn of a case; the newest result is the best estimate of that time. */
function newestIn({ episodes }: GivenAnswer['search']): number {
  return Math.max(0, ...episodes.map(({ validAt }) => validAt));
}
