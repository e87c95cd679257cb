import type { LanguageModel, TextCallOptions } from '../../inference/language-model.ts';
import type { Milliseconds } from '../../model/ids.ts';
import type { SearchResult, Usage } from '../../model/retrieved-item.ts';
import { answerQuestion } from '../../prompts/answer-question.ts';
import { type GivenAnswer, NOT_ENOUGH } from '../given-answer.ts';
import { type MemoryContext, memoryContext } from '../memory-context.ts';
import { GrowingReply, readAnswerReply } from './answer-reply.ts';

export interface LlmAnswerOptions extends Pick<TextCallOptions, 'signal' | 'budget' | 'onText'> {
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

/**
 * A language model's answer from what a search found (PAPERS §2.9). It cites its sources: numbers of none are dropped,
 * and an answer without any is an abstention, as is a question whose premise fails. Nothing found costs no call.
 * `onText` gets the text of an answer piece by piece while the model writes, never one that ends as an abstention.
 *
 * @throws what `LanguageModel` throws.
 */
export async function llmAnswer(search: SearchResult, options: LlmAnswerOptions): Promise<GivenAnswer> {
  const { model, now, signal, budget, onText } = options;
  const context = await memoryContext(search, {
    budget: options.contextTokens ?? roomFor(model),
    countTokens: (text) => model.countTokens(text),
  });
  const left =
    context.leftOut === 0 ? [] : [`${context.leftOut} sources were left out of what the model read`];
  if (context.sources.length === 0) return answerOf(search, { ...NOTHING, notes: left });
  const input = { sources: context.sources.map(({ line }) => line), question: search.query, now };
  const growing = new GrowingReply(context.sources);
  const show = (piece: string) => {
    if (piece !== '') onText?.(piece);
  };
  const { text, usage } = await model.text(answerQuestion, input, {
    ...{ signal, budget },
    ...(onText && { onText: (piece: string) => show(growing.add(piece)) }),
  });
  const read = readReply(text, context);
  if (read.citations.length > 0) show(read.text.slice(growing.shown.length));
  return answerOf(search, { ...read, notes: [...left, ...read.notes], usage });
}

type ReadReply = Pick<GivenAnswer, 'text' | 'citations' | 'notes'> & { readonly usage?: Usage };

const NOTHING: ReadReply = { text: NOT_ENOUGH, citations: [], notes: [] };

function readReply(reply: string, { sources }: MemoryContext): ReadReply {
  const { premiseFails, abstains, text, citations, unknown } = readAnswerReply(reply, sources);
  if (premiseFails) return { ...NOTHING, notes: ['what the question takes for granted is not so in memory'] };
  if (abstains) return NOTHING;
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
