import { z } from 'zod';

/** The most items of a kind that a context may ask for: as many as a search returns. */
const items = z.number().int().min(0).max(100);

/**
 * What of a ranking an answer is composed from. `filled`: by rank and length, until the token budget is used. Counted, as
 * in the papers: so many of the best of each kind, whole and without a limit of tokens but the model's own; with `citing`
 * every fact that cites one of the turns.
 */
export const contextFormSchema = z.union([
  z.literal('filled'),
  z.strictObject({
    turns: items,
    facts: z.union([z.literal('citing'), items.max(200)]),
    entities: items.max(200),
  }),
]);
export type ContextForm = z.output<typeof contextFormSchema>;
/** A form that names how many items of each kind are shown. */
export type CountedForm = Exclude<ContextForm, 'filled'>;

/** The k of a search that returns all that a form shows, since it returns k turns and twice as many of other kinds. */
export function depthOf({ turns, facts, entities }: CountedForm): number {
  return Math.max(1, turns, Math.ceil((facts === 'citing' ? 0 : facts) / 2), Math.ceil(entities / 2));
}
