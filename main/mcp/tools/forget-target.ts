import { z } from 'zod';
import { InvalidInputError } from '../../../src/errors/index.ts';
import type { InputOf } from '../../contract.ts';

const time = z.string().min(1).max(100).optional();
const id = z.string().min(1).max(500);

/** In a flat object, which every client can show and every model can fill in. */
export const targetInput = {
  turns: z.array(id).min(1).max(1_000).optional().describe('Ids of turns, as search_memory shows them.'),
  entity: id.optional().describe('Name or id of a person, place or thing.'),
  entity_turns: z
    .boolean()
    .optional()
    .describe('With entity: whether each turn that mentions it goes, too, and not only what is known of it.'),
  session: id.optional().describe('A whole conversation.'),
  quotations: z
    .boolean()
    .optional()
    .describe('Whether turns that quote those go, too: the preview lists them as alsoSaid. Default false.'),
  query: z.string().min(1).max(10_000).optional().describe('The turns that a search for this finds first.'),
  limit: z.number().int().min(1).max(100).optional().describe('With query: how many. Default 10.'),
  after: time.describe('What was said from this time on, such as 2026-03-01.'),
  before: time.describe('What was said before this time.'),
  everything: z.literal(true).optional().describe('All that memory holds.'),
};

export const targetSchema = z.strictObject(targetInput);
type TargetInput = z.output<typeof targetSchema>;
export type Target = InputOf<'forget'>['target'];

/** @throws InvalidInputError unless it names one thing. */
export function targetOf(input: TargetInput): Target {
  const { turns, entity, entity_turns: withTurns, session, query, limit, after, before, everything } = input;
  const isTime = after !== undefined || before !== undefined ? true : undefined;
  const named = [turns, entity, session, query, isTime, everything].filter((each) => each !== undefined);
  if (named.length !== 1)
    throw new InvalidInputError(
      'Name what is to go in exactly one way: turns, entity, session, query, after and before, or everything',
    );
  if (withTurns !== undefined && entity === undefined)
    throw new InvalidInputError('entity_turns goes with entity');
  if (limit !== undefined && query === undefined) throw new InvalidInputError('limit goes with query');
  if (turns !== undefined) return { episodes: turns };
  if (entity !== undefined) return { entity, episodes: withTurns };
  if (session !== undefined) return { session };
  if (query !== undefined) return { query, limit };
  return everything === true ? { all: true } : { after, before };
}
