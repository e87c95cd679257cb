import { z } from 'zod';

/** `update` keeps existing categories; `rebuild` groups everything again. */
export const UPDATE_MODES = ['update', 'rebuild'] as const;
export type UpdateMode = (typeof UPDATE_MODES)[number];

const id = z.string().nullable();

const cursorShape = {
  run: z
    .string()
    .meta({ description: 'The run that plans the layer: a later run asks about declined nodes again' }),
  mode: z.enum(UPDATE_MODES),
  layer: z.number().int().meta({ description: 'The layer that is processed, from 1' }),
  after: id.meta({
    description: 'The last node that the categorizer was asked about; null before the first',
  }),
  until: id.meta({ description: 'The last node when the layer began: newer nodes wait for the next run' }),
  forgotten: id.meta({
    description: 'The last forgetting when the layer began; a newer one begins it again',
  }),
  gathered: id.meta({ description: 'Key of the proposals of a rebuild that are not written yet' }),
};

/** How far a layer is. It stays small however many nodes the layer has: the nodes between are those of the index. */
export const layerCursorSchema = z.object(cursorShape);
export type LayerCursor = Readonly<z.infer<typeof layerCursorSchema>>;

/**
 * The next step for a layer, by reference: what is sent to the categorizer is computed from it and the index
 * (`stepRequest`).
 */
export const layerStepSchema = z.object({
  ...cursorShape,
  kind: z.enum(['place', 'split', 'close', 'skip']).meta({
    description:
      'place: assign nodes to categories; split: divide a category that is too large; close: enforce the rules of the layer; skip: the layer below has changed little since the last attempt failed',
  }),
  last: id.meta({
    description: 'The last node to place: those after `after` up to this one are asked about',
  }),
  category: z
    .object({ id: z.string(), children: z.number() })
    .nullable()
    .meta({ description: 'The category to split' }),
  asks: z.number().meta({ description: 'Number of nodes that the categorizer is asked about' }),
  left: z.number().meta({ description: 'Number of nodes to place after that' }),
  names: z.array(z.string()).meta({ description: 'A few of the nodes, or the category to split' }),
  closes: z.boolean().meta({ description: 'Whether this step closes the layer' }),
  revision: z
    .string()
    .meta({ description: 'The revision of entities and categories that the step was planned for' }),
});
export type LayerStep = Readonly<z.infer<typeof layerStepSchema>>;

/** Where the layer is after a step. @param gathered The key of the proposals that still wait. */
export function cursorAfter(
  { run, mode, layer, after, last, until, forgotten }: LayerStep,
  gathered: string | null,
): LayerCursor {
  return { run, mode, layer, after: last ?? after, until, forgotten, gathered };
}

/** Whether the categorizer has an answer to give for a step. */
export function hasRequest({ kind }: Pick<LayerStep, 'kind'>): boolean {
  return kind === 'place' || kind === 'split';
}
