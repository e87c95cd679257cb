import { z } from 'zod';
import type { TurnToRead } from '../../../src/ingest/extract/extractor.ts';
import { EMPTY_REPLY, type SegmentReply } from '../../../src/ingest/extract/llm/split-reply.ts';
import { toPromptTurn } from '../../../src/ingest/extract/llm/talk.ts';
import type { Prompt } from '../../../src/model/prompt.ts';
import { DATA, DATA_RULE, fence } from '../../../src/prompts/as-data.ts';
import { type PromptTurn, renderTurns, TURNS_FORM } from '../../../src/prompts/render-turns.ts';
import { replyText, replyTexts } from '../../../src/prompts/reply-parts.ts';
import { allTurns, type Steps } from './steps.ts';

export interface TitleSegmentInput {
  readonly turns: readonly PromptTurn[];
}

const schema = z.object({ keywords: replyTexts, summary: replyText });

/** Keywords and a short summary: all that GAM's consolidation reads from a unit (§3.3, E.2). */
export const titleSegment: Prompt<TitleSegmentInput, z.output<typeof schema>> = {
  name: 'title-segment',
  version: 1,
  schema,
  expectedTokens: 80,
  render: ({ turns }) => ({
    system: `You label a part of a recorded talk, so that it can be found again by words and by meaning. ${DATA_RULE} ${TURNS_FORM} Write in the language of the talk.
keywords: up to 8 things, acts and ideas that it is about, each different, the most important first. summary: 1 or 2 short sentences that leave out nothing of weight.`,
    user: fence(DATA, renderTurns(turns)),
  }),
};

/** GAM §3.3: keywords and summary in 1 call. The only entities are the speakers, and there are no facts. */
export async function readLikeGam(turns: readonly TurnToRead[], steps: Steps): Promise<SegmentReply> {
  const title = await steps.ask(titleSegment, { turns: turns.map(toPromptTurn) });
  return { ...EMPTY_REPLY, ...title, keep: allTurns(turns) };
}
