import { z } from 'zod';
import type { Prompt } from '../model/prompt.ts';
import { DATA, DATA_RULE, fence } from './as-data.ts';
import { type PromptTurn, renderTurns, TURNS_FORM } from './render-turns.ts';
import { replyText } from './reply-parts.ts';

export interface SummarizeSegmentInput {
  /** All turns of the segment, those too that the gate dropped. */
  readonly turns: readonly PromptTurn[];
}

const schema = z.object({ summary: replyText });

/** The summary of a segment in a call of its own (MemORAI §3.1, C.3). */
export const summarizeSegment: Prompt<SummarizeSegmentInput, z.output<typeof schema>> = {
  name: 'summarize-segment',
  version: 1,
  schema,
  expectedTokens: 80,
  render: ({ turns }) => ({
    system: `You sum up a part of a recorded talk for a long-term memory. ${DATA_RULE} ${TURNS_FORM}
summary: 2 or 3 sentences, in the language of the talk, on what was talked about, what was learned and what was decided, with names and dates.`,
    user: fence(DATA, renderTurns(turns)),
  }),
};
