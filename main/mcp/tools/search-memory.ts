import { z } from 'zod';
import { memoryContext } from '../../../src/answer/memory-context.ts';
import { roughTokens } from '../../../src/inference/language-model/tokens/count-tokens.ts';
import type { RetrievedItem } from '../../../src/model/retrieved-item.ts';
import { DATA, DATA_RULE, fence } from '../../../src/prompts/as-data.ts';
import { lookBackInput, lookBackOf } from '../look-back-input.ts';
import { defineTool } from '../memory-tool.ts';
import {
  toldEntity,
  toldEntitySchema,
  toldFact,
  toldFactSchema,
  toldTurn,
  toldTurnSchema,
} from '../told-items.ts';

/** What an id takes in a line. */
const ID_TOKENS = 25;

export const searchMemory = defineTool({
  name: 'search_memory',
  title: 'Search memory',
  description: `Looks up what is remembered from earlier conversations: turns with their dates, facts, people and things, the best first. Use it before you answer anything that may depend on the past. ${DATA_RULE}`,
  input: z.strictObject({
    question: z
      .string()
      .min(1)
      .max(10_000)
      .describe('What to look for: a question or a few words, with the names and dates that matter.'),
    limit: z
      .number()
      .int()
      .min(1)
      .max(50)
      .optional()
      .describe('Turns to return at most; facts and entities come to twice as many.'),
    ...lookBackInput,
  }),
  output: z.object({
    recipe: z.string().describe('How it was searched for.'),
    turns: z.array(toldTurnSchema),
    facts: z.array(toldFactSchema),
    entities: z.array(toldEntitySchema),
    leftOut: z.number().describe('Results that the text has no room for.'),
    milliseconds: z.number(),
  }),
  annotations: { readOnlyHint: true, idempotentHint: true },
  run: async ({ question, limit, ...times }, { client, settings }, { signal }) => {
    const { scope, recipe, k, tokenBudget, contextTokens: budget } = settings;
    const options = { k: limit ?? k, recipe, tokenBudget, ...lookBackOf(times) };
    const found = await client.search({ scope, query: question, ...options }, { signal });
    const countTokens = async (text: string) => roughTokens(text) + ID_TOKENS;
    const { sources, leftOut } = await memoryContext(found, { budget, countTokens });
    const lines = sources.map(({ number, item, line }) => `[${number}] ${line}${idOf(item)}`);
    return {
      text: lines.length === 0 ? 'Memory holds nothing about this.' : fence(DATA, lines.join('\n')),
      data: {
        recipe: found.recipe,
        turns: found.episodes.map((item) => toldTurn(item, scope)),
        facts: found.facts.map((item) => toldFact(item, scope)),
        entities: found.entities.map((item) => toldEntity(item, scope)),
        ...{ leftOut, milliseconds: found.milliseconds },
      },
    };
  },
});

/** Turns alone are forgotten by their ids. */
function idOf(item: RetrievedItem): string {
  return item.kind === 'episode' ? ` (turn ${item.id})` : '';
}
