import { z } from 'zod';
import { CONTEXT_FORM } from '../answer/memory-context.ts';
import { type PromptBlock, tokensOfForm } from '../answer/prompt-block.ts';
import { roughTokens } from '../inference/language-model/tokens/count-tokens.ts';
import { options } from '../model/options.ts';
import { DATA, DATA_RULE, fence, numberedSources } from '../prompts/as-data.ts';
import { defineTool, type ToolContext } from './agent-tool.ts';
import { checkTimes, timeInput } from './check-time.ts';

/** Tokens of an id in a line. */
const ID_TOKENS = 25;
/** Ids that a line shows of turns with the same words. */
const MOST_IDS = 5;
/** The share of the tokens that is left for the ids of the best turns. */
const IDS_SHARE = 0.1;

/** Input fields for a question about the past. */
export const lookBackInput = {
  as_of: timeInput.describe('A date such as 2026-03-01: what was so then. Leave out for the present.'),
  known_at: timeInput.describe('A date: only what memory had been told by then. Leave out for all of it.'),
};

/** The sources in the text, and the results of the search. */
export interface FoundEvidence extends Pick<PromptBlock, 'sources' | 'leftOut' | 'search'> {
  readonly question: string;
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
      .describe('Turns to show at most. Leave it out to see as many as fit, which is mostly better.'),
    min_score: options.minScore.optional(),
    ...lookBackInput,
  }),
  run: async (
    { question, limit, min_score: minScore, ...times },
    { memory, settings }: ToolContext<'context'>,
    { signal },
  ) => {
    checkTimes(times);
    const { k, contextTokens } = settings;
    const lookBack = { asOf: times.as_of, knownAt: times.known_at };
    // The form stands in the tool's description.
    const form = await tokensOfForm(roughTokens);
    const lines = Math.ceil(contextTokens * (1 - IDS_SHARE));
    const asked = { k: limit ?? k, minScore, ...lookBack, signal, tokens: lines + form };
    const { sources, tokens, leftOut, search } = await memory.context(question, asked);
    const ids = idsOf(sources, contextTokens - Math.max(0, tokens - form));
    const shown = sources.map(({ text, heading }, at) => ({ heading, text: `${text}${ids.get(at) ?? ''}` }));
    const text =
      shown.length === 0 ? 'Memory holds nothing about this.' : fence(DATA, numberedSources(shown));
    return { text, data: { question, search, sources, leftOut } satisfies FoundEvidence };
  },
});

/**
 * The ids of the best turns, as many as fit, by the place of their line. Only turns show theirs, because only turns are
 * forgotten by id.
 */
function idsOf(sources: PromptBlock['sources'], tokens: number): ReadonlyMap<number, string> {
  const places = Array.from(sources.keys()).sort((a, b) => sources[a]!.item.rank - sources[b]!.item.rank);
  const shown = new Map<number, string>();
  let left = tokens;
  for (const place of places) {
    const { item, repeated } = sources[place]!;
    if (item.kind !== 'episode') continue;
    const ids = [item, ...repeated].map(({ id }) => id);
    const named = ids.slice(0, MOST_IDS);
    left -= ID_TOKENS * named.length;
    if (left < 0) break;
    const more = ids.length > MOST_IDS ? ` and ${ids.length - MOST_IDS} more` : '';
    shown.set(place, ` (${ids.length === 1 ? 'turn' : 'turns'} ${named.join(', ')}${more})`);
  }
  return shown;
}
