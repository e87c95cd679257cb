import { tool } from '@langchain/core/tools';
import { z } from 'zod';
import { memoryContext } from '../../answer/memory-context.ts';
import type { MemoryScope, SearchOptions } from '../../engine/memory-scope.ts';
import { roughTokens } from '../../inference/language-model/tokens/count-tokens.ts';
import type { RetrievedItem } from '../../model/retrieved-item.ts';
import { DATA, DATA_RULE, fence } from '../../prompts/as-data.ts';
import { evidenceDocument } from '../evidence-document.ts';
import { type GuardOptions, guarded, type ToolReply } from './guarded.ts';

export interface SearchToolOptions extends Pick<GuardOptions, 'logger'> {
  readonly memory: Pick<MemoryScope, 'search'>;
  readonly recipe: SearchOptions['recipe'];
  readonly k: number;
  readonly contextTokens: number;
}

export const SEARCH_MEMORY = 'search_memory';
const MOST_RESULTS = 50;
/** What an id takes in a line. */
const ID_TOKENS = 25;

const schema = z.object({
  question: z
    .string()
    .min(1)
    .max(10_000)
    .describe('What to look for: a question or a few words, with the names and dates that matter.'),
  limit: z.number().int().min(1).max(MOST_RESULTS).optional().describe('Turns to return at most.'),
  as_of: z
    .string()
    .max(100)
    .optional()
    .describe('A date such as 2026-03-01: facts as they were then. Leave out for the present.'),
});

const DESCRIPTION = `Looks up what is remembered from earlier conversations: turns with their dates, facts, people and things. Use it before you answer anything that may depend on the past. ${DATA_RULE}`;

export function searchMemoryTool({ memory, recipe, k, contextTokens, logger }: SearchToolOptions) {
  const guard = { name: SEARCH_MEMORY, logger };
  const search = guarded(guard, async (input: z.output<typeof schema>, { signal }): Promise<ToolReply> => {
    const { question, limit = k, as_of: asOf } = input;
    const found = await memory.search(question, { recipe, k: limit, signal, asOf });
    const countTokens = async (text: string) => roughTokens(text) + ID_TOKENS;
    const { sources, leftOut } = await memoryContext(found, { budget: contextTokens, countTokens });
    const lines = sources.map(({ number, item, line }) => `[${number}] ${line}${idOf(item)}`);
    const items = sources.map(({ number, item }) => {
      const { pageContent, metadata } = evidenceDocument(item);
      return { number, text: pageContent, ...metadata };
    });
    const content = items.length === 0 ? 'Memory holds nothing about this.' : fence(DATA, lines.join('\n'));
    return { content, artifact: { type: 'found', question, recipe: found.recipe, items, leftOut } };
  });
  return tool(search, {
    ...{ name: SEARCH_MEMORY, description: DESCRIPTION, schema },
    responseFormat: 'content_and_artifact',
  });
}

/** Turns alone are forgotten by their ids. */
function idOf(item: RetrievedItem): string {
  return item.kind === 'episode' ? ` (turn ${item.id})` : '';
}
