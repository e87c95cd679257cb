import { z } from 'zod';
import type { Prompt } from '../model/prompt.ts';
import { DATA_RULE } from './as-data.ts';
import type { ExtractFactsInput } from './extract-facts.ts';
import { FACT_RULES, readFact } from './reading-rules.ts';
import { replyList } from './reply-parts.ts';
import { CONTEXT_FORM, contextPart, namesPart, statementsPart } from './turns-in-context.ts';

export interface ReflectOnFactsInput extends ExtractFactsInput {
  /** Statements that were found. */
  readonly statements: readonly string[];
}

const schema = z.object({ facts: replyList(readFact) });

/** Facts that the first look missed (Mnemis §2.1). */
export const reflectOnFacts: Prompt<ReflectOnFactsInput, z.output<typeof schema>> = {
  name: 'reflect-on-facts',
  version: 1,
  schema,
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
