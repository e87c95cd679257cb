import { z } from 'zod';
import { CONTEXT_FORM, type MemoryContext, memoryContext } from '../answer/memory-context.ts';
import { roughTokens } from '../inference/language-model/tokens/count-tokens.ts';
import { options } from '../model/options.ts';
import type { RetrievedItem, SearchResult } from '../model/retrieved-item.ts';
import { DATA, DATA_RULE, fence, numberedSources } from '../prompts/as-data.ts';
import { defineTool, type ToolContext } from './agent-tool.ts';
import { checkTimes, timeInput } from './check-time.ts';

/** Tokens of an id in a line. */
const ID_TOKENS = 25;
/** Ids that a line shows of turns with the same words. */
const MOST_IDS = 5;

/** Input fields for a question about the past. */
export const lookBackInput = {
  as_of: timeInput.describe('A date such as 2026-03-01: what was so then. Leave out for the present.'),
  known_at: timeInput.describe('A date: only what memory had been told by then. Leave out for all of it.'),
};

/** All results, and those that fit into the text. */
export interface FoundEvidence extends Pick<MemoryContext, 'sources' | 'leftOut'> {
  readonly question: string;
  readonly found: SearchResult;
}

export const searchMemory = defineTool({
  name: 'search_memory',
  title: 'Search memory',
  description: `Looks up what is remembered from earlier conversations: turns with their dates, facts, people and things. Use it before you answer anything that may depend on the past. ${DATA_RULE} ${CONTEXT_FORM}`,
  input: z.object({
    question: options.query
      .min(1)
      .describe('What to look for: a question or a few words, with the names and dates that matter.'),
    limit: options.k
      .optional()
      .describe('Turns to return at most; facts and entities that add to them come besides.'),
    min_score: options.minScore.optional(),
    ...lookBackInput,
  }),
  run: async (
    { question, limit, min_score: minScore, ...times },
    { memory, settings }: ToolContext<'search'>,
    { signal },
  ) => {
    checkTimes(times);
    const { k, contextTokens: budget } = settings;
    const lookBack = { asOf: times.as_of, knownAt: times.known_at };
    const found = await memory.search(question, { k: limit ?? k, minScore, ...lookBack, signal });
    const countTokens = async (text: string) => roughTokens(text) + ID_TOKENS;
    const { sources, leftOut } = await memoryContext(found, { budget, countTokens });
    const shown = sources.map(({ item, repeated, text, heading }) => ({
      heading,
      text: `${text}${idsOf([item, ...repeated])}`,
    }));
    const text =
      shown.length === 0 ? 'Memory holds nothing about this.' : fence(DATA, numberedSources(shown));
    return { text, data: { question, found, sources, leftOut } satisfies FoundEvidence };
  },
});

/** Only turns show their ids, because only turns are forgotten by id. */
function idsOf(items: readonly RetrievedItem[]): string {
  const ids = items.filter(({ kind }) => kind === 'episode').map(({ id }) => id);
  if (ids.length === 0) return '';
  const more = ids.length > MOST_IDS ? ` and ${ids.length - MOST_IDS} more` : '';
  return ` (${ids.length === 1 ? 'turn' : 'turns'} ${ids.slice(0, MOST_IDS).join(', ')}${more})`;
}
