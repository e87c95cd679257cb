import { z } from 'zod';
import type { Prompt } from '../../../model/prompt.ts';
import { DATA, DATA_RULE, fence } from '../../../prompts/as-data.ts';
import { type PromptTurn, renderTurns, TURNS_FORM } from '../../../prompts/render-turns.ts';
import { replyNumbers } from '../../../prompts/reply-parts.ts';
import { KEEP_RULE } from '../llm/reading-rules-prompt.ts';

export interface JudgeInput {
  readonly turns: readonly PromptTurn[];
}

const schema = z.object({ keep: replyNumbers });

/** The memory gate alone (MemORAI §3.1); `read-segment` does it along with the rest. */
export const judgeTurns: Prompt<JudgeInput, z.output<typeof schema>> = {
  name: 'judge-turns',
  version: 1,
  schema,
  expectedTokens: 40,
  render: ({ turns }) => ({
    system: `You choose which turns of a recorded talk a long-term memory keeps. ${DATA_RULE} ${TURNS_FORM}
${KEEP_RULE}
Give the numbers of the turns to keep, ascending.`,
    user: fence(DATA, renderTurns(turns)),
  }),
};
