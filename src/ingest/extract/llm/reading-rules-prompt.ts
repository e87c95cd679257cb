import { z } from 'zod';
import {
  alsoCalled,
  mainProperty,
  replyConfidence,
  replyNumbers,
  replySentence,
  replyText,
  replyTexts,
  replyWord,
} from '../../../prompts/reply-parts.ts';
import { ENTITY_KINDS } from '../extractor.ts';

/** The turns that an entry cites. */
export const citedTurns = alsoCalled(
  replyNumbers,
  ...['turn', 'turn_ids', 'turn_numbers', 'source_turns', 'source', 'sources', 'evidence', 'cites'],
  ...['citation', 'citations', 'reference', 'references'],
);

/** What a fact says. */
export const readStatement = mainProperty(
  replySentence,
  ...[
    'fact',
    'text',
    'content',
    'sentence',
    'memory',
    'claim',
    'proposition',
    'description',
    'value',
    'what',
  ],
);

export const readEntity = z.object({
  name: mainProperty(replyText, 'entity', 'entity_name', 'label', 'title'),
  kind: alsoCalled(replyWord(ENTITY_KINDS, 'thing'), 'type', 'entity_type', 'category'),
  aliases: alsoCalled(replyTexts, 'alias', 'other_names'),
  tags: alsoCalled(replyTexts, 'labels'),
  description: alsoCalled(replySentence, 'summary', 'about'),
  turns: citedTurns,
});
export type ReadEntity = z.output<typeof readEntity>;

export const readFact = z.object({
  statement: readStatement,
  subject: alsoCalled(replyText, 'source_entity', 'head'),
  relation: alsoCalled(replyText, 'predicate', 'relationship', 'verb'),
  object: alsoCalled(replyText, 'target_entity', 'tail'),
  participants: alsoCalled(replyTexts, 'entities', 'entity_names', 'people', 'names'),
  said: replyText,
  date: alsoCalled(replyText, 'when', 'valid_at'),
  until: alsoCalled(replyText, 'end', 'valid_until', 'invalid_at'),
  confidence: alsoCalled(replyConfidence, 'score', 'certainty'),
  turns: citedTurns,
});
export type ReadFact = z.output<typeof readFact>;

export const KEEP_RULE =
  "keep: the turns that tell something of the people's own lives (facts, preferences, plans, events, feelings, needs that a question shows) or that answer them personally; not greetings, thanks, filler or general knowledge.";

export const ENTITY_RULES = `entities: the speakers and every person, animal, place, organisation, work, event or thing that matters here. name: the fullest form said, without article; a person, pet or belonging without a name is "Ann's mother", "Ann's car". aliases: other names said for the same one. tags: up to 5, of up to 3 words. description: 1 sentence on who or what it is, whose, and what sets it apart; what happens to it is for the facts. Empty for the speakers. turns: where.`;

export const FACT_RULES = `facts: what is worth knowing in a year, each thing once, also where several turns say it: who somebody is, their relations, home, work, health; what they have, like, dislike, did and when, plan, decided, promised, owe, asked for. Not: courtesies, cheering, reactions, moods, details of the hour, truths in general, a step of a story that means nothing alone. Only what is said outright: infer nothing.
- statement: one sentence that a stranger understands: names for pronouns, "this" and "there"; the owner of a thing ("Ann's dog", not "the dog"); whom, what and where, as far as said; names and titles whole; a day once; no chat words ("lol", "by the way").
- Whose word it is: a fact about somebody who talks cites their own turn; what another says of them begins "Ann says that".
- Between two entities: subject, relation (a short verb phrase), object. Otherwise leave these empty. participants: every entity in it, by its name above.
- Keep "not" and "no longer", in the relation too. A plan, wish or maybe stays one ("plans to"). What somebody quotes is said by the one quoted. Brackets hold captions, which nobody said: they state nothing; sharing a picture is no fact. A correction replaces what it corrects.
- Not stated, so no fact and no entity of its own: a question, also "I wonder whether"; "you", "one" or "they" in general ("you boil the eggs"); irony, jokes, examples, role play, stories and suppositions ("pretend", "imagine", "if I lived there"); a text to translate, correct or imitate. In a pasted document, mail or log, "I" is not the speaker: no fact of the speaker. What an assistant says, advises or did is no fact; what the person takes up of it ("I'll do that") is the person's, with both turns.
- said: the words for when, as spoken ("last Friday"); date: these words counted from the turn's date, as YYYY, YYYY-MM, YYYY-MM-DD or FIRST/LAST. No date without its words in said. until: the date by which it no longer holds, if an end is told ("quit last week"). Empty if not said.
- confidence: 0 to 1, how plainly it is stated. turns: those that state it, at least one.`;
