import type { RankedSearch } from '../model/retrieved-item.ts';
import { DATA, DATA_RULE, fence, numberedSources } from '../prompts/as-data.ts';
import {
  CONTEXT_FORM,
  type ContextOptions,
  type ContextSource,
  type MemoryContext,
} from './memory-context.ts';

/** What memory holds on a question, as text that can be put into a prompt as it is. */
export interface PromptBlock {
  /** How to read it, then the numbered sources between tags, as data; empty if memory holds nothing. */
  readonly text: string;
  /** Of the whole text. */
  readonly tokens: number;
  /** What the numbers in the text refer to. */
  readonly sources: readonly ContextSource[];
  /** Number of sources left out for lack of tokens. */
  readonly leftOut: number;
  /** What `search` returns for the question: the beginning of the ranking that the block is composed from. */
  readonly search: RankedSearch;
}

const FORM = `What memory holds on it. ${DATA_RULE} ${CONTEXT_FORM}`;
/** Counts the tokens of a text. */
export type CountTokens = ContextOptions['countTokens'];

/** The tokens that a block needs beside its sources. */
export async function tokensOfForm(countTokens: CountTokens): Promise<number> {
  return countTokens(`${FORM}\n${fence(DATA, '')}\n`);
}

export async function promptBlock(
  { sources, leftOut }: Pick<MemoryContext, 'sources' | 'leftOut'>,
  countTokens: CountTokens,
): Promise<Omit<PromptBlock, 'search'>> {
  if (sources.length === 0) return { text: '', tokens: 0, sources, leftOut };
  const text = `${FORM}\n${fence(DATA, numberedSources(sources))}`;
  return { text, tokens: await countTokens(text), sources, leftOut };
}
