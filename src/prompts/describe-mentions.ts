import { z } from 'zod';
import type { Prompt } from '../model/prompt.ts';
import { DATA, DATA_RULE, fence } from './as-data.ts';
import { type PromptTurn, renderTurns, TURNS_FORM } from './render-turns.ts';
import { replyList, replyNumber, replyNumbers, replyText } from './reply-parts.ts';
import { namesPart } from './turns-in-context.ts';

export interface DescribeMentionsInput {
  readonly turns: readonly PromptTurn[];
  readonly entities: readonly string[];
}

const schema = z.object({
  descriptions: replyList(z.object({ entity: replyNumber, description: replyText, turns: replyNumbers })),
});

/** What one segment says of its entities, with the turns that say it (MemORAI §3.2, C.4). */
export const describeMentions: Prompt<DescribeMentionsInput, z.output<typeof schema>> = {
  name: 'describe-mentions',
  version: 1,
  schema,
  expectedTokens: 250,
  render: ({ turns, entities }) => ({
    system: `You write down what a part of a recorded talk tells of listed entities. ${DATA_RULE} ${TURNS_FORM}
descriptions: one for each listed entity of which something is told. entity: its number. description: 1 or 2 sentences in the language of the talk, from these turns alone. turns: the numbers of the turns that it rests on.`,
    user: `${fence(DATA, renderTurns(turns))}\n${namesPart('Entities', entities)}`,
  }),
};
