import { z } from 'zod';
import type { Prompt } from '../model/prompt.ts';
import { DATA_RULE } from './as-data.ts';
import { FACT_RULES, readFact } from './reading-rules.ts';
import { replyList } from './reply-parts.ts';
import { CONTEXT_FORM, contextPart, namesPart, type TurnsInContext } from './turns-in-context.ts';

export interface ExtractFactsInput extends TurnsInContext {
  /** Names of the entities that the turns speak of. */
  readonly entities: readonly string[];
}

const schema = z.object({ facts: replyList(readFact) });

/** Facts with their validity, once the entities are known (Mnemis §2.1). */
export const extractFacts: Prompt<ExtractFactsInput, z.output<typeof schema>> = {
  name: 'extract-facts',
  version: 1,
  schema,
  expectedTokens: 300,
  render: (input) => ({
    system: `You read the facts of recorded turns into a long-term memory. ${DATA_RULE} ${CONTEXT_FORM} Entities are known by the names that are listed: relate those to each other where a fact allows it.
${FACT_RULES}`,
    user: `${namesPart('Entities', input.entities)}\n${contextPart(input)}`,
  }),
};
