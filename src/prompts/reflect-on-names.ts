import { z } from 'zod';
import type { Prompt } from '../model/prompt.ts';
import { DATA_RULE } from './as-data.ts';
import { NAMES_RULE, namedEntity } from './name-entities.ts';
import { replyList } from './reply-parts.ts';
import { CONTEXT_FORM, contextPart, namesPart, type TurnsInContext } from './turns-in-context.ts';

export interface ReflectOnNamesInput extends TurnsInContext {
  /** Names that were found. */
  readonly entities: readonly string[];
}

const schema = z.object({ entities: replyList(namedEntity) });

/** Names that the first look missed (Mnemis §2.1). */
export const reflectOnNames: Prompt<ReflectOnNamesInput, z.output<typeof schema>> = {
  name: 'reflect-on-names',
  version: 1,
  schema,
  expectedTokens: 25,
  render: (input) => ({
    system: `You check whether a list of what a recorded talk speaks of is complete. ${DATA_RULE} ${CONTEXT_FORM}
entities: only the people, animals, places, organisations, works, objects, events and clear-cut ideas of the numbered turns that the list lacks under any name; an empty list when it lacks none.
${NAMES_RULE}`,
    user: `${contextPart(input)}\n${namesPart('Listed', input.entities)}`,
  }),
};
