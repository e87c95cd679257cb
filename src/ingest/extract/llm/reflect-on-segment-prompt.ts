import { z } from 'zod';
import type { Prompt } from '../../../model/prompt.ts';
import { asLabel, DATA, DATA_RULE, fence } from '../../../prompts/as-data.ts';
import { type PromptTurn, renderTurns, TURNS_FORM } from '../../../prompts/render-turns.ts';
import { replyList, replyNumbers } from '../../../prompts/reply-parts.ts';
import { ENTITY_RULES, FACT_RULES, readEntity, readFact } from './reading-rules-prompt.ts';

export interface ReflectInput {
  readonly turns: readonly PromptTurn[];
  /** Names of the entities that were found. */
  readonly entities: readonly string[];
  /** The statements that were found, with the numbers of the turns that they cite. */
  readonly facts: readonly { readonly statement: string; readonly turns: readonly number[] }[];
}

const LONGEST_NAME = 100;
const LONGEST_STATEMENT = 300;

const schema = z.object({
  unsupported: replyNumbers,
  entities: replyList(readEntity),
  facts: replyList(readFact),
});

export type ReflectReply = z.output<typeof schema>;

/** Finds what a reading missed, and what its turns do not support (Mnemis §2.1; the self-check of GAM §3.3). */
export const reflectOnSegment: Prompt<ReflectInput, ReflectReply> = {
  name: 'reflect-on-segment',
  version: 4,
  schema,
  expectedTokens: 300,
  shown: ({ turns, facts }) => ({ unsupported: facts.length, turns: turns.length }),
  render: ({ turns, entities, facts }) => ({
    system: `You check entries of a long-term memory against the recorded talk that they were read from. ${DATA_RULE} ${TURNS_FORM}
unsupported: numbers of the statements that the turns they cite do not state: wrong person, time, number or negation, a guess, or irony, a quotation, an example, a question or an answer of the assistant taken for a fact.
entities and facts: only those that are missing, put as below; empty lists when nothing is.
${ENTITY_RULES}
${FACT_RULES}`,
    user: [
      `Talk:\n${fence(DATA, renderTurns(turns))}`,
      `Entities found:\n${fence(DATA, entities.map((name) => asLabel(name, LONGEST_NAME)).join('; '))}`,
      `Statements found, each with its turns:\n${fence(DATA, facts.map(shownFact).join('\n'))}`,
    ].join('\n'),
  }),
};

function shownFact({ statement, turns }: ReflectInput['facts'][number], at: number): string {
  return `${at + 1} ${asLabel(statement, LONGEST_STATEMENT)} [${turns.join(', ')}]`;
}
