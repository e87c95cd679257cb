import { z } from 'zod';
import {
  replyConfidence,
  replyNumbers,
  replyText,
  replyTexts,
  replyWord,
} from '../../../prompts/reply-parts.ts';

const KINDS = ['person', 'place', 'organisation', 'thing', 'date'] as const;

export const readEntity = z.object({
  name: replyText,
  kind: replyWord(KINDS, 'thing'),
  aliases: replyTexts,
  tags: replyTexts,
  description: replyText,
  turns: replyNumbers,
});
export type ReadEntity = z.output<typeof readEntity>;

export const readFact = z.object({
  statement: replyText,
  subject: replyText,
  relation: replyText,
  object: replyText,
  participants: replyTexts,
  said: replyText,
  date: replyText,
  until: replyText,
  confidence: replyConfidence,
  turns: replyNumbers,
});
export type ReadFact = z.output<typeof readFact>;

export const KEEP_RULE =
  "keep: the turns that tell something of the people's own lives (facts, preferences, plans, events, feelings, needs that a question shows) or that answer them personally; not greetings, thanks, filler or general knowledge.";

export const ENTITY_RULES = `entities: the speakers and every person, animal, place, organisation, work, event or thing that matters here. name: the fullest form said, without article; a person, pet or belonging without a name is "Ann's mother", "Ann's car". aliases: other names said for the same one. tags: up to 5, of up to 3 words. description: 1 sentence on who or what it is, whose, and what sets it apart; what happens to it is for the facts. Empty for the speakers. turns: where.`;

export const FACT_RULES = `facts: each thing stated, once, also where several turns say it in other words. Only what is said outright: infer nothing.
- statement: one sentence that stands alone, with names instead of pronouns.
- Between two entities: subject, relation (a short verb phrase), object. Otherwise leave these empty. participants: every entity in it, by its name above.
- Keep "not" and "no longer", in the relation too. A plan, wish or maybe stays one ("plans to"). Irony, jokes, hypotheticals and pasted text state nothing of the speaker. What somebody quotes is said by the one quoted. Brackets hold captions, which nobody said: they explain the turn but state nothing; sharing a picture is no fact. A correction replaces what it corrects.
- said: the words for when, as spoken ("last Friday"); date: these words counted from the turn's date, as YYYY, YYYY-MM, YYYY-MM-DD or FIRST/LAST. No date without its words in said. until: the date by which it no longer holds, where an end is told ("lived there until May", "quit last week"). Empty if not said.
- confidence: 0 to 1, how plainly it is stated. turns: those that state it, at least one.`;
