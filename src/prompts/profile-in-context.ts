import { z } from 'zod';
import type { Prompt } from '../model/prompt.ts';
import { DATA_RULE } from './as-data.ts';
import { replyList, replyNumber, replyNumbers, replyText, replyTexts } from './reply-parts.ts';
import { CONTEXT_FORM, contextPart, namesPart, type TurnsInContext } from './turns-in-context.ts';

export interface ProfileInContextInput extends TurnsInContext {
  readonly entities: readonly string[];
}

const schema = z.object({
  profiles: replyList(
    z.object({ entity: replyNumber, summary: replyText, tags: replyTexts, turns: replyNumbers }),
  ),
});

/** Summary, tags and turns of named entities, from the turns that name them (Mnemis §2.1). */
export const profileInContext: Prompt<ProfileInContextInput, z.output<typeof schema>> = {
  name: 'profile-in-context',
  version: 1,
  schema,
  expectedTokens: 200,
  render: (input) => ({
    system: `You write what recorded turns tell of listed entities, for a long-term memory. ${DATA_RULE} ${CONTEXT_FORM}
profiles: one for each listed entity. entity: its number. summary: 1 or 2 sentences, in the language of the talk, with names and dates instead of pronouns and "yesterday"; empty if the turns only name it. tags: up to 5, of up to 3 words, for its kind or part in things. turns: numbers of the turns where it appears. Nothing that the turns do not say.`,
    user: `${contextPart(input)}\n${namesPart('Entities', input.entities)}`,
  }),
};
