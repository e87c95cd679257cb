import { z } from 'zod';
import type { Prompt } from '../../model/prompt.ts';
import { asLabel, DATA, DATA_RULE, fence } from '../../prompts/as-data.ts';
import { replyTexts } from '../../prompts/reply-parts.ts';

export interface ParseQuestionInput {
  readonly question: string;
}

const LONGEST_QUESTION = 2_000;

const schema = z.object({ entities: replyTexts });

/** The key entities of a question (PersonalAI, "Information Searching", Appendix C). It sees the question only. */
export const parseQuestion: Prompt<ParseQuestionInput, z.output<typeof schema>> = {
  name: 'parse-question',
  version: 1,
  schema,
  needs: ['entities'],
  expectedTokens: 20,
  render: ({ question }) => ({
    system: `A graph of what is known about people and things is searched for the answer to a question. You list where the search begins. ${DATA_RULE}
entities: each person, animal, place, organisation, work, object, event or idea that the question speaks of, in its own words, without articles; not what it asks for, no question words, no dates. The most telling first. Empty if there is none.`,
    user: fence(DATA, asLabel(question, LONGEST_QUESTION)),
  }),
};
