import { z } from 'zod';
import type { Prompt } from '../model/prompt.ts';
import { DATA_RULE } from './as-data.ts';
import { readEntity } from './reading-rules.ts';
import { replyList } from './reply-parts.ts';
import { CONTEXT_FORM, contextPart, type TurnsInContext } from './turns-in-context.ts';

export const namedEntity = readEntity.pick({ name: true, kind: true, turns: true });
export type NamedInTurns = z.output<typeof namedEntity>;

const schema = z.object({ entities: replyList(namedEntity) });

export const NAMES_RULE =
  'name: the fullest form that was said, without article; a relative without a name is "Ann\'s mother". turns: the numbers of the turns that speak of it.';

/** The first step of Mnemis §2.1: names alone. */
export const nameEntities: Prompt<TurnsInContext, z.output<typeof schema>> = {
  name: 'name-entities',
  version: 1,
  schema,
  expectedTokens: 80,
  render: (input) => ({
    system: `You list what a recorded talk speaks of, for a long-term memory. ${DATA_RULE} ${CONTEXT_FORM}
entities: whoever speaks in the numbered turns, and each person, animal, place, organisation, work, object, event or clear-cut idea that they speak of. If a pronoun means one that was named before, list it by that name. No dates, amounts, feelings or mere qualities.
${NAMES_RULE}`,
    user: contextPart(input),
  }),
};
