import { z } from 'zod';
import type { Prompt } from '../model/prompt.ts';
import { DATA, DATA_RULE, fence } from './as-data.ts';
import { type PromptTurn, renderTurns, TURNS_FORM } from './render-turns.ts';
import { replyList, replyNumbers, replyText, replyTexts } from './reply-parts.ts';

export interface ExtractPropositionsInput {
  readonly turns: readonly PromptTurn[];
}

const proposition = z.object({ statement: replyText, participants: replyTexts, turns: replyNumbers });
export type ReadProposition = z.output<typeof proposition>;

const schema = z.object({ propositions: replyList(proposition) });

/** Whole thoughts and the entities that each joins (the theses of PersonalAI, "Graph Construction", Appendix A). */
export const extractPropositions: Prompt<ExtractPropositionsInput, z.output<typeof schema>> = {
  name: 'extract-propositions',
  version: 1,
  schema,
  expectedTokens: 200,
  render: ({ turns }) => ({
    system: `You split a recorded talk into single thoughts, for a knowledge graph. ${DATA_RULE} ${TURNS_FORM}
propositions: one for each thought that is complete and cannot be split further. statement: a sentence in the language of the talk that stands alone, with names for pronouns and with the circumstances that belong to it. participants: names of all people and things in it. turns: the numbers of the turns that say it. Infer nothing; questions and greetings say nothing.`,
    user: fence(DATA, renderTurns(turns)),
  }),
};
