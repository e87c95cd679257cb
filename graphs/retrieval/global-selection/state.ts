import { z } from 'zod';
import { WALK_ENDS } from '../../../src/model/retrieved-item.ts';
import { usageSchema } from '../../run-context.ts';
import { RetrievalState } from '../state.ts';

const count = z.number();

/** One list that was offered to the selector, and what it picked. */
const listSchema = z.object({
  /** Layer of the highest node; 0 for entities. */
  layer: count,
  offered: count,
  /** Names of the first nodes. */
  names: z.array(z.string()),
  picks: z.array(z.object({ id: z.string(), all: z.boolean(), score: count })),
  /** Names of the first picks; with "*" everything below is selected. */
  picked: z.array(z.string()),
  /** What was cut or unusable. */
  notes: z.array(z.string()),
});

/** A walk in progress. */
const walkSchema = z.object({
  /** The route's place in the recipe. */
  place: count,
  /** The next list: its layer, its length and its first names. */
  offered: z.object({ layer: count, nodes: count, names: z.array(z.string()) }).nullable(),
  lists: z.array(listSchema),
  end: z.enum([...WALK_ENDS, 'late']).nullable(),
  failure: z.string().nullable(),
  milliseconds: count,
  usage: usageSchema,
});
export type WalkState = z.output<typeof walkSchema>;

/** The state of Global Selection: the retrieval graph's, and the walk. */
export const GlobalSelectionState = z.object({
  ...RetrievalState.pick({ question: true, scope: true, settings: true, planned: true, routes: true }).shape,
  walk: walkSchema.nullable().meta({
    title: 'Walk',
    description:
      'What was offered, picked and cut, list by list. Edit the picks of the last list in a fork to walk elsewhere.',
  }),
});
