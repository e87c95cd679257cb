import { z } from 'zod';
import type { TurnToRead } from '../../../src/ingest/extract/extractor.ts';
import { factList, objectionToFacts } from '../../../src/ingest/extract/llm/fact-list.ts';
import { type ReadFact, readEntity, readFact } from '../../../src/ingest/extract/llm/reading-rules-prompt.ts';
import { EMPTY_REPLY, type SegmentReply } from '../../../src/ingest/extract/llm/split-reply.ts';
import { toPromptTurn } from '../../../src/ingest/extract/llm/talk.ts';
import type { Prompt } from '../../../src/model/prompt.ts';
import { DATA_RULE } from '../../../src/prompts/as-data.ts';
import {
  replyList,
  replyNumber,
  replyNumbers,
  replyText,
  replyTexts,
} from '../../../src/prompts/reply-parts.ts';
import {
  allTurns,
  CONTEXT_FORM,
  citing,
  contextPart,
  NameList,
  namesPart,
  type Steps,
  statementsPart,
  type TurnsInContext,
} from './steps.ts';

/** The rules for facts as the paper's calls have them, without captions. */
const FACT_RULES = `facts: each thing stated, once. Only what is said outright: add, guess and infer nothing.
- statement: one sentence that stands alone, with names instead of pronouns.
- Between two entities: subject, relation (a short verb phrase), object. Otherwise leave these empty. participants: every entity in it, by its name above.
- Keep "not" and "no longer", in the relation too. A plan, wish or maybe stays one ("plans to"). Irony, jokes, hypotheticals and pasted text state nothing of the speaker. What somebody quotes is said by the one quoted. A correction replaces what it corrects.
- said: the words for when, as spoken ("last Friday"); date: the same counted from the turn's date, as YYYY, YYYY-MM, YYYY-MM-DD or FIRST/LAST; until: when it ceased, likewise. Empty if not said.
- confidence: 0 to 1, how plainly it is stated. turns: those that state it, at least one.`;

export const namedEntity = readEntity.pick({ name: true, kind: true, turns: true });
export type NamedInTurns = z.output<typeof namedEntity>;

const nameEntitiesReply = z.object({ entities: replyList(namedEntity) });

export const NAMES_RULE =
  'name: the fullest form that was said, without article; a relative without a name is "Ann\'s mother". turns: the numbers of the turns that speak of it.';

/** The first step of Mnemis §2.1: names alone. */
export const nameEntities: Prompt<TurnsInContext, z.output<typeof nameEntitiesReply>> = {
  name: 'name-entities',
  version: 1,
  schema: nameEntitiesReply,
  needs: ['entities'],
  expectedTokens: 80,
  render: (input) => ({
    system: `You list what a recorded talk speaks of, for a long-term memory. ${DATA_RULE} ${CONTEXT_FORM}
entities: whoever speaks in the numbered turns, and each person, animal, place, organisation, work, object, event or clear-cut idea that they speak of. If a pronoun means one that was named before, list it by that name. No dates, amounts, feelings or mere qualities.
${NAMES_RULE}`,
    user: contextPart(input),
  }),
};

export interface ReflectOnNamesInput extends TurnsInContext {
  /** Names that were found. */
  readonly entities: readonly string[];
}

const reflectOnNamesReply = z.object({ entities: replyList(namedEntity) });

/** Names that the first call missed (Mnemis §2.1). */
export const reflectOnNames: Prompt<ReflectOnNamesInput, z.output<typeof reflectOnNamesReply>> = {
  name: 'reflect-on-names',
  version: 1,
  schema: reflectOnNamesReply,
  needs: ['entities'],
  expectedTokens: 25,
  render: (input) => ({
    system: `You check whether a list of what a recorded talk speaks of is complete. ${DATA_RULE} ${CONTEXT_FORM}
entities: only the people, animals, places, organisations, works, objects, events and clear-cut ideas of the numbered turns that the list lacks under any name; an empty list when it lacks none.
${NAMES_RULE}`,
    user: `${contextPart(input)}\n${namesPart('Listed', input.entities)}`,
  }),
};

export interface ProfileInContextInput extends TurnsInContext {
  readonly entities: readonly string[];
}

const profileInContextReply = z.object({
  profiles: replyList(
    z.object({ entity: replyNumber, summary: replyText, tags: replyTexts, turns: replyNumbers }),
  ),
});

/** Summary, tags and turns of named entities, from the turns that name them (Mnemis §2.1). */
export const profileInContext: Prompt<ProfileInContextInput, z.output<typeof profileInContextReply>> = {
  name: 'profile-in-context',
  version: 1,
  schema: profileInContextReply,
  needs: ['profiles'],
  expectedTokens: 200,
  render: (input) => ({
    system: `You write what recorded turns tell of listed entities, for a long-term memory. ${DATA_RULE} ${CONTEXT_FORM}
profiles: one for each listed entity. entity: its number. summary: 1 or 2 sentences, in the language of the talk, with names and dates instead of pronouns and "yesterday"; empty if the turns only name it. tags: up to 5, of up to 3 words, for its kind or part in things. turns: numbers of the turns where it appears. Nothing that the turns do not say.`,
    user: `${contextPart(input)}\n${namesPart('Entities', input.entities)}`,
  }),
};

export interface ExtractFactsInput extends TurnsInContext {
  /** Names of the entities that the turns speak of. */
  readonly entities: readonly string[];
}

const extractFactsReply = z.object({ facts: factList(readFact) });

/** Facts with their validity, once the entities are known (Mnemis §2.1). */
export const extractFacts: Prompt<ExtractFactsInput, z.output<typeof extractFactsReply>> = {
  name: 'extract-facts',
  version: 1,
  schema: extractFactsReply,
  needs: ['facts'],
  objectTo: (reply, { turns }) => objectionToFacts(reply.facts, { turns: turns.length, reply }),
  expectedTokens: 300,
  render: (input) => ({
    system: `You read the facts of recorded turns into a long-term memory. ${DATA_RULE} ${CONTEXT_FORM} Entities are known by the names that are listed: relate those to each other where a fact allows it.
${FACT_RULES}`,
    user: `${namesPart('Entities', input.entities)}\n${contextPart(input)}`,
  }),
};

export interface ReflectOnFactsInput extends ExtractFactsInput {
  /** Statements that were found. */
  readonly statements: readonly string[];
}

const reflectOnFactsReply = z.object({ facts: factList(readFact) });

/** Facts that the first call missed (Mnemis §2.1). */
export const reflectOnFacts: Prompt<ReflectOnFactsInput, z.output<typeof reflectOnFactsReply>> = {
  name: 'reflect-on-facts',
  version: 1,
  schema: reflectOnFactsReply,
  needs: ['facts'],
  objectTo: (reply, { turns }) => objectionToFacts(reply.facts, { turns: turns.length, reply }),
  expectedTokens: 60,
  render: (input) => ({
    system: `You check whether the facts that were read from recorded turns are complete. ${DATA_RULE} ${CONTEXT_FORM} Give only facts that none of the statements found has in other words; an empty list when all are there.
${FACT_RULES}`,
    user: [
      namesPart('Entities', input.entities),
      contextPart(input),
      statementsPart('Statements found', input.statements),
    ].join('\n'),
  }),
};

/**
 * Mnemis §2.1: names, missed names, then, by their names in memory, profiles of the named, facts, missed facts; 5 calls,
 * or 3 without reflection. The paper's last call, which compares the facts with stored ones, is omitted: equal facts
 * are recognized only by their words.
 */
export async function readLikeMnemis(turns: readonly TurnToRead[], steps: Steps): Promise<SegmentReply> {
  const shown = { turns: turns.map(toPromptTurn), recent: steps.options.recent };
  const names = await nameAll(shown, turns, steps);
  if (steps.options.resolve) await names.rename(steps.options.resolve);
  await profileAll(shown, names, steps);
  const facts = await factsOf(shown, names, steps);
  return {
    ...EMPTY_REPLY,
    keep: allTurns(turns),
    entities: names.toArray(),
    facts: facts.map((fact) => citing(fact, turns)),
  };
}

async function nameAll(shown: TurnsInContext, turns: readonly TurnToRead[], steps: Steps): Promise<NameList> {
  const { log, reflection } = steps.options;
  const names = new NameList(turns);
  const found = await steps.ask(nameEntities, shown);
  for (const entity of log.wellFormed(found.entities)) names.add(citing(entity, turns));
  if (!reflection) return names;
  const missed = await steps.ask(reflectOnNames, { ...shown, entities: names.names });
  for (const entity of log.wellFormed(missed.entities)) names.add(citing(entity, turns));
  return names;
}

async function profileAll(shown: TurnsInContext, names: NameList, steps: Steps): Promise<void> {
  const { log } = steps.options;
  const { profiles } = await steps.ask(profileInContext, { ...shown, entities: names.names });
  for (const { entity, summary, ...profile } of log.wellFormed(profiles)) {
    const said = citing({ ...profile, description: summary }, shown.turns);
    if (!names.describe(entity, said)) log.note('profile', 'unknown-number');
  }
}

async function factsOf(shown: TurnsInContext, names: NameList, steps: Steps): Promise<ReadFact[]> {
  const { log, reflection } = steps.options;
  const given = { ...shown, entities: names.names };
  const facts = log.wellFormed((await steps.ask(extractFacts, given)).facts);
  if (!reflection) return facts;
  const statements = facts.map(({ statement }) => statement);
  const missed = await steps.ask(reflectOnFacts, { ...given, statements });
  return [...facts, ...log.wellFormed(missed.facts)];
}
