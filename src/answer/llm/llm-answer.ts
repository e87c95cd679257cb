import type { LanguageModel, ModelCallOptions } from '../../inference/language-model.ts';
import type { Milliseconds } from '../../model/ids.ts';
import type { SearchResult, Usage } from '../../model/retrieved-item.ts';
import { ABSTENTION, answerQuestion } from '../../prompts/answer-question.ts';
import { type GivenAnswer, NOT_ENOUGH } from '../given-answer.ts';
import { type MemoryContext, memoryContext } from '../memory-context.ts';
import { readCitations } from './read-citations.ts';

export interface LlmAnswerOptions extends Pick<ModelCallOptions, 'signal' | 'budget'> {
  readonly model: LanguageModel;
  /** The time that the question is asked for. */
  readonly now: Milliseconds;
  /** Tokens of memory that the model reads. Default: 4,000, and less where the model's context is small. */
  readonly contextTokens?: number | undefined;
}

const CONTEXT_TOKENS = 4_000;
/** For the rules, the question and the reply. */
const TOKENS_BESIDE = 1_500;
/** Of a small model's context, sources take what is left, but at least so much. */
const FEWEST_TOKENS = 200;
const ABSTAINS = new RegExp(`^\\W*${ABSTENTION}\\W*$`, 'i');

/**
 * A language model's answer from what a search found (PAPERS §2.9). It cites its sources: numbers of none are dropped,
 * and an answer without any is an abstention, as is a question whose premise fails. Nothing found costs no call.
 *
 * @throws what `LanguageModel` throws.
 */
export async function llmAnswer(search: SearchResult, options: LlmAnswerOptions): Promise<GivenAnswer> {
  const { model, now, signal, budget } = options;
  const context = await memoryContext(search, {
    budget: options.contextTokens ?? roomFor(model),
    countTokens: (text) => model.countTokens(text),
  });
  const left =
    context.leftOut === 0 ? [] : [`${context.leftOut} sources were left out of what the model read`];
  if (context.sources.length === 0) return answerOf(search, { ...NOTHING, notes: left });
  const input = { sources: context.sources.map(({ line }) => line), question: search.query, now };
  const { value, usage } = await model.structured(answerQuestion, input, { signal, budget });
  const read = readReply(value, context);
  return answerOf(search, { ...read, notes: [...left, ...read.notes], usage });
}

type ReadReply = Pick<GivenAnswer, 'text' | 'citations' | 'notes'> & { readonly usage?: Usage };

const NOTHING: ReadReply = { text: NOT_ENOUGH, citations: [], notes: [] };

function readReply(
  { premise, answer, sources }: { premise: string; answer: string; sources: readonly number[] },
  context: MemoryContext,
): ReadReply {
  if (premise === 'fails')
    return { ...NOTHING, notes: ['what the question takes for granted is not so in memory'] };
  if (answer.trim() === '' || ABSTAINS.test(answer)) return NOTHING;
  const { text, citations, unknown } = readCitations(answer, sources, context.sources);
  const dropped = unknown === 0 ? [] : [`${unknown} citations of the model named no source`];
  if (citations.length === 0)
    return { ...NOTHING, notes: [...dropped, 'the model gave an answer that rests on no source'] };
  return { text, citations, notes: dropped };
}

function answerOf(search: SearchResult, { text, citations, notes, usage }: ReadReply): GivenAnswer {
  return {
    question: search.query,
    answered: citations.length > 0,
    text,
    citations,
    search,
    usage: usage === undefined ? search.usage : sum(search.usage, usage),
    answerer: 'llm',
    confidence: null,
    notes,
  };
}

function sum(a: Usage, b: Usage): Usage {
  return {
    calls: a.calls + b.calls,
    promptTokens: a.promptTokens + b.promptTokens,
    completionTokens: a.completionTokens + b.completionTokens,
  };
}

function roomFor({ contextTokens }: LanguageModel): number {
  if (contextTokens === null) return CONTEXT_TOKENS;
  return Math.min(CONTEXT_TOKENS, Math.max(FEWEST_TOKENS, contextTokens - TOKENS_BESIDE));
}
