import { z } from 'zod';
import { layerCursorSchema, layerStepSchema, UPDATE_MODES } from '../../src/hierarchy/maintain/layer-step.ts';
import { HIERARCHY_ENDS } from '../../src/model/nodes.ts';
import { NO_USAGE } from '../../src/model/retrieved-item.ts';
import { channel, threadScope } from '../channels.ts';
import { commonContextShape, usageSchema } from '../run-context.ts';

/** The context of a run: whose hierarchy, and what it may cost. */
export const hierarchyContextSchema = z.object(commonContextShape);

const count = (title: string, description: string) =>
  channel(z.number().meta({ title, description }), () => 0);

/**
 * The state of the hierarchy graph: small values of a size that does not depend on the number of nodes. What a step
 * works on is computed from the memory and `step`, so a run can be resumed, replayed and forked at any node.
 */
export const hierarchyState = z.object({
  scope: threadScope,
  mode: z.enum(UPDATE_MODES).default('update').meta({
    title: 'Mode',
    description: 'update places nodes that have no category; rebuild groups all nodes again. Default: update',
  }),
  settings: channel(
    z
      .object({ run: z.string(), tokenBudget: z.number().nullable() })
      .meta({ title: 'Settings', description: 'The id of the run, and what it may spend, set by begin' }),
    () => ({ run: '', tokenBudget: null }),
  ),
  sizes: channel(
    z.record(z.string(), z.number()).meta({
      title: 'Large categories',
      description: 'Children of each large category when it was last offered for splitting, by id',
    }),
    () => ({}),
  ),
  layer: channel(
    z.number().int().meta({ title: 'Layer', description: 'The layer that is processed, from 1' }),
    () => 1,
  ),
  cursor: channel(
    layerCursorSchema
      .nullable()
      .meta({ title: 'Cursor', description: 'How far the layer is; null: it begins' }),
    () => null,
  ),
  step: channel(
    layerStepSchema.nullable().meta({ title: 'Step', description: 'What plan decided to do next' }),
    () => null,
  ),
  proposed: channel(
    z
      .object({
        categories: z.number().meta({ description: 'Number of proposed categories' }),
        largest: z
          .array(z.object({ name: z.string(), nodes: z.number() }))
          .meta({ description: 'Up to 8 of them, those with the most nodes' }),
      })
      .nullable()
      .meta({ title: 'Proposed', description: "The categorizer's reply to the step; null: none" }),
    () => null,
  ),
  created: count('Created', 'Categories created by the steps of the run'),
  dissolved: count('Dissolved', 'Categories removed'),
  renamed: count('Renamed', 'Categories with a new name or new tags'),
  placed: count('Placed', 'Nodes linked to a category'),
  stale: count('Stale', 'Categories whose summary is out of date'),
  layers: count('Layers', 'Number of layers'),
  stoppedBy: channel(
    z.enum(HIERARCHY_ENDS).nullable().meta({
      title: 'Stopped by',
      description: 'The rule that ended the run; null if too little had changed to try another layer',
    }),
    () => null,
  ),
  notes: channel(
    z.array(z.string()).meta({
      title: 'Notes',
      description: 'Unusable parts of replies, the first 20 kinds; they never quote a reply',
    }),
    () => [] as string[],
  ),
  usage: channel(
    usageSchema.meta({ title: 'Usage', description: 'What the model calls of the run cost' }),
    () => NO_USAGE,
  ),
});

export const hierarchyInput = hierarchyState.pick({ mode: true });
export const hierarchyOutput = hierarchyState.pick({
  created: true,
  dissolved: true,
  renamed: true,
  placed: true,
  stale: true,
  layers: true,
  stoppedBy: true,
  notes: true,
  usage: true,
});

export type HierarchyState = z.output<typeof hierarchyState>;
