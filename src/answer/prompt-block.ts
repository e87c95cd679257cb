import { DATA, DATA_RULE, fence, numberedSources } from '../prompts/as-data.ts';
import { CONTEXT_FORM, type ContextSource, type MemoryContext } from './memory-context.ts';

/** What memory holds on a question, as text that can be put into a prompt as it is. */
export interface PromptBlock {
  /** How to read it, then the numbered sources between tags, as data; empty if memory holds nothing. */
  readonly text: string;
  /** Of the whole text. */
  readonly tokens: number;
  /** What the numbers in the text refer to. */
  readonly sources: readonly ContextSource[];
}

const FORM = `What memory holds on it. ${DATA_RULE} ${CONTEXT_FORM}`;
type CountTokens = (text: string) => number | Promise<number>;

/** The tokens that a block needs beside its sources. */
export async function tokensOfForm(countTokens: CountTokens): Promise<number> {
  return countTokens(`${FORM}\n${fence(DATA, '')}\n`);
}

export async function promptBlock(
  { sources }: Pick<MemoryContext, 'sources'>,
  countTokens: CountTokens,
): Promise<PromptBlock> {
  if (sources.length === 0) return { text: '', tokens: 0, sources };
  const text = `${FORM}\n${fence(DATA, numberedSources(sources))}`;
  return { text, tokens: await countTokens(text), sources };
}
