import { z } from 'zod';
import type { TurnToRead } from '../../../src/ingest/extract/extractor.ts';
import { factList, objectionToFacts } from '../../../src/ingest/extract/llm/fact-list.ts';
import { readFact } from '../../../src/ingest/extract/llm/reading-rules-prompt.ts';
import { EMPTY_REPLY, type SegmentReply } from '../../../src/ingest/extract/llm/split-reply.ts';
import { toPromptTurn } from '../../../src/ingest/extract/llm/talk.ts';
import type { Prompt } from '../../../src/model/prompt.ts';
import { DATA, DATA_RULE, fence } from '../../../src/prompts/as-data.ts';
import { type PromptTurn, renderTurns, TURNS_FORM } from '../../../src/prompts/render-turns.ts';
import { extractTriplets, namesIn, propositionFact, tripletFact } from './memorai.ts';
import { allTurns, citing, type Steps } from './steps.ts';

export interface ExtractPropositionsInput {
  readonly turns: readonly PromptTurn[];
}

const proposition = readFact.pick({ statement: true, participants: true, turns: true });
export type ReadProposition = z.output<typeof proposition>;

const schema = z.object({ propositions: factList(proposition) });

/** Whole thoughts and the entities that each joins (the theses of PersonalAI, "Graph Construction", Appendix A). */
export const extractPropositions: Prompt<ExtractPropositionsInput, z.output<typeof schema>> = {
  name: 'extract-propositions',
  version: 1,
  schema,
  needs: ['propositions'],
  objectTo: (reply, { turns }) => {
    const facts = reply.propositions;
    return objectionToFacts(facts, { turns: turns.length, reply: { facts } });
  },
  expectedTokens: 200,
  render: ({ turns }) => ({
    system: `You split a recorded talk into single thoughts, for a knowledge graph. ${DATA_RULE} ${TURNS_FORM}
propositions: one for each thought that is complete and cannot be split further. statement: a sentence in the language of the talk that stands alone, with names for pronouns and with the circumstances that belong to it. participants: names of all people and things in it. turns: the numbers of the turns that say it. Infer nothing; questions and greetings say nothing.`,
    user: fence(DATA, renderTurns(turns)),
  }),
};

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
