import type { Answerer, GivenAnswer } from '../src/answer/given-answer.ts';
import type { MemoryContext } from '../src/answer/memory-context.ts';
import type { MemoryScope } from '../src/engine/memory-scope.ts';
import type { Mnemis } from '../src/engine.ts';
import { BudgetExhaustedError, InvalidInputError } from '../src/errors/index.ts';
import type { TokenBudget } from '../src/inference/language-model/calling/token-budget.ts';
import type { LanguageModel } from '../src/inference/language-model.ts';
import { NO_USAGE } from '../src/model/retrieved-item.ts';
import type { Recipe } from '../src/retrieve/recipes/recipe.ts';
import {
  type AnswerResult,
  type AnswersReport,
  buildAnswersReport,
  scoresOf,
  withoutCitations,
} from './answers-report.ts';
import { type CaseClock, endOf } from './case-clock.ts';
import {
  cancelledEvaluation,
  type EvaluationCase,
  type EvaluationDataset,
  type EvaluationQuestion,
  ingestCase,
  NOTHING_INGESTED,
  plusIngested,
  type SourceIdAt,
  sourceIdsByPlace,
} from './datasets/dataset.ts';
import { type Judge, judgeInput } from './judges/judge.ts';
import { OURS } from './judges/ours.ts';
import type { ComposedContext, Quote } from './metrics/evidence-metrics.ts';

/** Input of `evaluateAnswers`: one answerer on a data set, in new scopes of an engine. */
export interface AnswerEvaluation {
  /** Opened with `clock.now` as its clock; its ingest profile reads the turns, its language model answers if `answerer` is
   * `llm`. */
  readonly engine: Mnemis;
  /** Set for each question to the time at which it is asked: its own, else the end of its conversation. */
  readonly clock: CaseClock;
  readonly dataset: EvaluationDataset;
  readonly recipe: Recipe;
  readonly answerer: Answerer;
  /** Name of the engine's language model, for the report. */
  readonly model?: string | undefined;
  /** Judges the answers. */
  readonly judge?: LanguageModel | undefined;
  /** How it judges. Default: our own four verdicts. */
  readonly judgeForm?: Judge | undefined;
  /** Number of questions to ask in each case, from the first. Default: all. */
  readonly limit?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Token budget of reading, answers and judgements together. */
  readonly budget?: TokenBudget | undefined;
  readonly onProgress?: ((done: number, total: number, what: string) => void) | undefined;
  /** Receives each result as soon as it is available. */
  readonly onResult?: ((result: AnswerResult) => Promise<void>) | undefined;
}

/**
 * Ingests each case into its own scope, asks its questions as users do (`MemoryScope.ask`), and scores the answers.
 *
 * @throws InvalidInputError if `answerer` is `llm` and there is no language model; CancelledError;
 * BudgetExhaustedError.
 */
export async function evaluateAnswers(evaluation: AnswerEvaluation): Promise<AnswersReport> {
  const { engine, dataset, clock, signal, budget, onProgress, limit = Number.POSITIVE_INFINITY } = evaluation;
  if (evaluation.answerer === 'llm' && evaluation.model === undefined)
    throw new InvalidInputError('The answerer is llm, but there is no language model');
  const total = dataset.cases.reduce((sum, each) => sum + Math.min(limit, each.questions.length), 0);
  const results: AnswerResult[] = [];
  let ingested = NOTHING_INGESTED;
  for (const each of dataset.cases) {
    onProgress?.(results.length, total, `${each.scope}: reading`);
    const memory = engine.scope(each.scope);
    clock.set(endOf(each));
    ingested = plusIngested(ingested, await ingestCase(memory, each, { signal, budget }));
    const asked = { memory, case: each, sourceIdAt: sourceIdsByPlace(each.turns) };
    for (const question of each.questions.slice(0, limit)) {
      const result = await askOne(asked, question, evaluation);
      await evaluation.onResult?.(result);
      results.push(result);
      onProgress?.(results.length, total, each.scope);
    }
  }
  const { recipe, answerer, model, judge, judgeForm = OURS } = evaluation;
  return buildAnswersReport({
    dataset: dataset.name,
    recipe: recipe.name,
    ...engine.describeIngestion(),
    answerer,
    model: model ?? null,
    judge: judge?.name ?? null,
    judgeForm: judge === undefined ? null : judgeForm.name,
    ingest: ingested,
    results,
    note: dataset.note,
  });
}

interface AskedCase {
  readonly memory: MemoryScope;
  readonly case: EvaluationCase;
  readonly sourceIdAt: SourceIdAt;
}

async function askOne(
  { memory, case: asked, sourceIdAt }: AskedCase,
  question: EvaluationQuestion,
  { recipe, answerer, clock, judge, judgeForm = OURS, signal, budget }: AnswerEvaluation,
): Promise<AnswerResult> {
  if (signal?.aborted) throw cancelledEvaluation(signal);
  clock.set(question.askedAt ?? endOf(asked));
  let context = NO_CONTEXT;
  const onContext = (composed: MemoryContext) => {
    context = composedOf(composed, sourceIdAt);
  };
  const started = performance.now();
  const { earlier } = question;
  const answer = await memory.ask(question.text, { recipe, answerer, signal, budget, onContext, earlier });
  const milliseconds = performance.now() - started;
  // Without tokens the answer quotes memory instead, so its figures would be those of another answerer.
  if (budget?.exhausted) throw new BudgetExhaustedError(budget.limit, budget.spent);
  const plain = withoutCitations(answer.text);
  const judgement =
    judge === undefined
      ? { score: null, verdict: null, usage: NO_USAGE }
      : await judgeForm.grade(judgeInput(question, answer.answered ? plain : null), {
          model: judge,
          signal,
          budget,
        });
  return {
    question,
    answered: answer.answered,
    text: answer.text,
    plain,
    quotes: quotesOf(answer, sourceIdAt),
    context,
    answerer: answer.answerer,
    confidence: answer.confidence,
    notes: answer.notes,
    scores: scoresOf(plain, answer.answered, question.answer, question.otherAnswers),
    verdict: judgement.verdict,
    score: judgement.score,
    usage: answer.usage,
    judgeUsage: judgement.usage,
    milliseconds,
  };
}

function quotesOf({ citations }: GivenAnswer, sourceIdAt: SourceIdAt): Quote[] {
  return citations.map(({ item, quote }) => ({
    kind: item.kind,
    text: quote,
    turns: item.sources.flatMap((turn) => sourceIdAt(turn) ?? []),
  }));
}

const NO_CONTEXT: ComposedContext = {
  tokens: 0,
  sources: { episodes: 0, facts: 0, entities: 0 },
  turns: [],
  citedByFacts: [],
};

export function composedOf(
  { sources, tokens }: Pick<MemoryContext, 'sources' | 'tokens'>,
  sourceIdAt: SourceIdAt,
): ComposedContext {
  const items = (kind: Quote['kind']) =>
    sources.flatMap(({ item, repeated }) => (item.kind === kind ? [item, ...repeated] : []));
  const turnsOf = (kind: Quote['kind']) =>
    items(kind).flatMap((item) => item.sources.flatMap((turn) => sourceIdAt(turn) ?? []));
  return {
    tokens,
    sources: {
      episodes: items('episode').length,
      facts: items('fact').length,
      entities: items('entity').length,
    },
    turns: turnsOf('episode'),
    citedByFacts: turnsOf('fact'),
  };
}
