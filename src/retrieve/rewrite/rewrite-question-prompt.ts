import { z } from 'zod';
import type { Prompt } from '../../model/prompt.ts';
import { asLabel, DATA, DATA_RULE, fence } from '../../prompts/as-data.ts';
import { replyTexts } from '../../prompts/reply-parts.ts';

export interface RewriteInput {
  readonly question: string;
}

/** The most wordings that are searched. */
export const MOST_WORDINGS = 4;
const LONGEST_QUESTION = 2_000;

const schema = z.object({ wordings: replyTexts });

/** Asks how people may have said what a question asks for. It sees the question only, never memory. */
export const rewriteQuestion: Prompt<RewriteInput, z.output<typeof schema>> = {
  name: 'rewrite-question',
  version: 1,
  schema,
  expectedTokens: 80,
  brief:
    () => `You write how somebody may have said in a chat or a note what a question asks for. ${DATA_RULE}
wordings: up to ${MOST_WORDINGS} short lines in the language of the question, each with other everyday words. Keep names. Invent none.`,
  render: ({ question }) => ({
    system: `A question is searched for in a person's chats, notes and documents, where the answer mostly stands in other words. You write how somebody may have put it. ${DATA_RULE}
wordings: up to ${MOST_WORDINGS} short lines, each as a person would say or note it, in the language of the question, with few words of the question or of another line. Use the everyday words, the technical terms, and what usually goes with it: its causes, parts, signs and results. Keep names of people and places as they are written. Invent no names, dates or numbers.`,
    user: fence(DATA, asLabel(question, LONGEST_QUESTION)),
  }),
};
