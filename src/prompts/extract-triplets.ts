import { z } from 'zod';
import type { Prompt } from '../model/prompt.ts';
import { DATA, DATA_RULE, fence } from './as-data.ts';
import { type PromptTurn, renderTurns, TURNS_FORM } from './render-turns.ts';
import { replyList, replyNumbers, replyText } from './reply-parts.ts';

export interface ExtractTripletsInput {
  readonly turns: readonly PromptTurn[];
}

const triplet = z.object({ subject: replyText, relation: replyText, object: replyText, turns: replyNumbers });
export type ReadTriplet = z.output<typeof triplet>;

const schema = z.object({ triplets: replyList(triplet) });

/** Bare triplets that cite turns (MemORAI §3.2, C.6; the simple relations of PersonalAI, Appendix A). */
export const extractTriplets: Prompt<ExtractTripletsInput, z.output<typeof schema>> = {
  name: 'extract-triplets',
  version: 1,
  schema,
  expectedTokens: 200,
  render: ({ turns }) => ({
    system: `You turn what is stated in a recorded talk into triplets of a knowledge graph. ${DATA_RULE} ${TURNS_FORM}
triplets: one for each thing that anybody states outright of who and what they are, have, do, like, know or plan; every speaker counts alike. Infer nothing.
subject, object: names or short noun phrases; a speaker is called by the name shown, and pronouns are replaced by whom they mean. relation: a short verb phrase that keeps "not" and "plans to". turns: the numbers of all turns that state it.`,
    user: fence(DATA, renderTurns(turns)),
  }),
};
