import { z } from 'zod';
import type { TurnToRead } from '../../../src/ingest/extract/extractor.ts';
import { EMPTY_REPLY, type SegmentReply } from '../../../src/ingest/extract/llm/split-reply.ts';
import { toPromptTurn } from '../../../src/ingest/extract/llm/talk.ts';
import type { Prompt } from '../../../src/model/prompt.ts';
import { asLabel, DATA, DATA_RULE, fence } from '../../../src/prompts/as-data.ts';
import { type PromptTurn, renderTurns, TURNS_FORM } from '../../../src/prompts/render-turns.ts';
import { replyNumbers, replyText, replyTexts } from '../../../src/prompts/reply-parts.ts';
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

export interface CheckTitleInput extends TitleSegmentInput {
  readonly keywords: readonly string[];
  readonly summary: string;
}

const LONGEST_TITLE = 1_000;
const verdicts = z.object({ stated: replyNumbers, wrong: replyNumbers });

/** The self-consistency check at encoding (GAM §3.4): what was written of a unit against its turns. */
export const checkTitle: Prompt<CheckTitleInput, z.output<typeof verdicts>> = {
  name: 'check-title',
  version: 1,
  schema: verdicts,
  needs: ['stated'],
  expectedTokens: 20,
  shown: ({ turns }) => ({ stated: turns.length, wrong: turns.length }),
  render: ({ turns, keywords, summary }) => ({
    system: `You check a note on a part of a recorded talk against its turns. ${DATA_RULE} ${TURNS_FORM} First come the turns, then the note.
stated: numbers of the turns that say what the note says of them: the same persons, things, numbers and times, a plan as a plan, a denial as a denial. wrong: numbers of the turns that the note reports otherwise than they were said. A turn that the note leaves out is in neither.`,
    user: `${fence(DATA, renderTurns(turns))}\n${fence(DATA, asLabel(`${keywords.join(', ')}: ${summary}`, LONGEST_TITLE))}`,
  }),
};

/**
 * GAM §3.3 and §3.4: keywords and summary, then a check of these; 2 calls. The only entities are the speakers, and there
 * are no facts.
 */
export async function readLikeGam(given: readonly TurnToRead[], steps: Steps): Promise<SegmentReply> {
  const turns = given.map(toPromptTurn);
  const title = await steps.ask(titleSegment, { turns });
  const reply = { ...EMPTY_REPLY, ...title, keep: allTurns(given) };
  if (title.summary === '') return reply;
  const { stated, wrong } = await steps.ask(checkTitle, { turns, ...title });
  return { ...reply, verified: stated.filter((turn) => !wrong.includes(turn)) };
}
