import { extractPropositions } from '../../../prompts/extract-propositions.ts';
import { extractTriplets } from '../../../prompts/extract-triplets.ts';
import type { TurnToRead } from '../../extractor.ts';
import { EMPTY_REPLY, type SegmentReply } from '../split-reply.ts';
import { toPromptTurn } from '../talk.ts';
import { allTurns, citing, type Steps } from './steps.ts';
import { namesIn, propositionFact, tripletFact } from './triplet-facts.ts';

/** PersonalAI, "Graph Construction": triplets and propositions of the same text; 2 calls. */
export async function readLikePersonalai(turns: readonly TurnToRead[], steps: Steps): Promise<SegmentReply> {
  const { log } = steps.options;
  const shown = { turns: turns.map(toPromptTurn) };
  const { triplets } = await steps.ask(extractTriplets, shown);
  const { propositions } = await steps.ask(extractPropositions, shown);
  const facts = [
    ...log.wellFormed(triplets).map(tripletFact),
    ...log.wellFormed(propositions).map(({ statement, ...rest }) => propositionFact(statement, rest)),
  ].map((fact) => citing(fact, turns));
  return {
    ...EMPTY_REPLY,
    keep: allTurns(turns),
    entities: namesIn(facts, turns).toArray(),
    facts,
  };
}
