import { roughTokens } from '../inference/language-model/tokens/count-tokens.ts';
import type { LanguageModel } from '../inference/language-model.ts';
import type { SearchResult } from '../model/retrieved-item.ts';
import { CONTEXT_TOKENS } from './defaults.ts';
import { type MemoryContext, memoryContext } from './memory-context.ts';

/** Reserved for the rules, the question and the reply. */
const TOKENS_BESIDE = 1_500;
/** Minimum tokens for sources, even if the model's context is small. */
const FEWEST_TOKENS = 200;

interface AnswerContextOptions {
  /** The model that will read it; without one, tokens are estimated. */
  readonly model?: LanguageModel | undefined;
  /** Default: 4,000, or less if the model's context is small. */
  readonly contextTokens?: number | undefined;
}

/** The part of a search result that an answer is composed from. */
export function answerContext(
  search: SearchResult,
  { model, contextTokens }: AnswerContextOptions,
): Promise<MemoryContext> {
  return memoryContext(search, {
    budget: contextTokens ?? roomFor(model?.contextTokens ?? null),
    countTokens: async (text) => (model === undefined ? roughTokens(text) : model.countTokens(text)),
  });
}

function roomFor(contextTokens: number | null): number {
  if (contextTokens === null) return CONTEXT_TOKENS;
  return Math.min(CONTEXT_TOKENS, Math.max(FEWEST_TOKENS, contextTokens - TOKENS_BESIDE));
}
