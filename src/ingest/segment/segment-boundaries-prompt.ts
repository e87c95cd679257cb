import { z } from 'zod';
import type { Prompt } from '../../model/prompt.ts';
import { DATA, DATA_RULE, fence } from '../../prompts/as-data.ts';
import { type PromptTurn, renderTurns, TURNS_FORM } from '../../prompts/render-turns.ts';
import { replyNumbers } from '../../prompts/reply-parts.ts';

export interface BoundariesInput {
  readonly turns: readonly PromptTurn[];
}

const schema = z.object({ lastTurns: replyNumbers });

/** Finds where the topic changes (GAM §3.3, MemORAI C.1). */
export const segmentBoundaries: Prompt<BoundariesInput, z.output<typeof schema>> = {
  name: 'segment-boundaries',
  version: 2,
  schema,
  expectedTokens: 25,
  shown: ({ turns }) => ({ lastTurns: turns.length }),
  render: ({ turns }) => ({
    system: `You divide a recorded talk into topics. ${DATA_RULE} ${TURNS_FORM}
A new topic begins where the talk moves to another subject: other people, events or aims. Answers, side remarks and greetings belong to the topic that they accompany. A topic has at least two turns; most have four or more.
lastTurns: the number of the last turn of each topic but the final one, ascending; empty when there is one topic.`,
    user: fence(DATA, renderTurns(turns)),
  }),
};
