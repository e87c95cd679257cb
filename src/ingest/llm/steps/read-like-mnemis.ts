import { extractFacts } from '../../../prompts/extract-facts.ts';
import { nameEntities } from '../../../prompts/name-entities.ts';
import { profileInContext } from '../../../prompts/profile-in-context.ts';
import type { ReadFact } from '../../../prompts/reading-rules.ts';
import { reflectOnFacts } from '../../../prompts/reflect-on-facts.ts';
import { reflectOnNames } from '../../../prompts/reflect-on-names.ts';
import type { TurnsInContext } from '../../../prompts/turns-in-context.ts';
import type { TurnToRead } from '../../extractor.ts';
import { EMPTY_REPLY, type SegmentReply } from '../split-reply.ts';
import { toPromptTurn } from '../talk.ts';
import { NameList } from './name-list.ts';
import { allTurns, citing, type Steps } from './steps.ts';

/**
 * Mnemis §2.1: names, missed names, profiles of the named, facts, missed facts; 5 calls, or 3 without reflection.
 * Known names are found again afterwards (`ResolutionJudge`). The paper's last call, which compares the facts with
 * stored ones, is not made: facts that say the same are told apart by their words alone.
 */
export async function readLikeMnemis(turns: readonly TurnToRead[], steps: Steps): Promise<SegmentReply> {
  const shown = { turns: turns.map(toPromptTurn), recent: steps.options.recent };
  const names = await nameAll(shown, turns, steps);
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
