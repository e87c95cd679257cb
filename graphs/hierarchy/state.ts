import { StateSchema, UntrackedValue } from '@langchain/langgraph';
import { z } from 'zod';
import type { Categorization, ProposedCategory } from '../../src/hierarchy/categorizer.ts';
import { type LayerStep, UPDATE_MODES } from '../../src/hierarchy/maintain/plan-step.ts';

const count = z.number().default(0);

/**
 * The state of the hierarchy graph: counts of what became of the categories come out. What holds names is not kept in
 * checkpoints: the graph of record is brought up to date step by step, and a run that broke off is simply run again.
 */
export const HierarchyState = new StateSchema({
  /** Whose memory is put in order. */
  scope: z.string().default('default'),
  /** `update` places what has no category yet, `rebuild` groups everything anew. */
  mode: z.enum(UPDATE_MODES).default('update'),
  /** The layer that is worked on. */
  layer: z.number().default(1),
  /** Categories that came, went or were renamed, and nodes that got another place, over all layers. */
  created: count,
  dissolved: count,
  renamed: count,
  placed: count,
  stale: count,
  /** Layers of the hierarchy now. */
  layers: count,
  /** Why no further layer was made. */
  stoppedBy: z.string().nullable().default(null),

  /** What was not usable of replies, in words of our own. */
  notes: new UntrackedValue<readonly string[]>(),
  /** Ids of nodes of this layer that are still to be asked about; null when it is begun. */
  queue: new UntrackedValue<readonly string[] | null>(),
  /** Ids of nodes and categories of this layer that were asked about. */
  asked: new UntrackedValue<readonly string[]>(),
  /** Proposals for this layer that are not written yet. */
  gathered: new UntrackedValue<readonly ProposedCategory[]>(),
  /** Filled by `begin`: children of the categories that were too large. */
  sizes: new UntrackedValue<Readonly<Record<string, number>>>(),
  /** The last forgetting when the first of them was proposed. */
  gatheredSince: new UntrackedValue<{ readonly forgotten: string | null } | null>(),
  /** From `plan` to `categorize` to `commit`. */
  step: new UntrackedValue<LayerStep>(),
  categorization: new UntrackedValue<Categorization | null>(),
  isDone: new UntrackedValue<boolean>(),
});
