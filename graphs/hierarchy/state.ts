import { StateSchema, UntrackedValue } from '@langchain/langgraph';
import { z } from 'zod';
import type { Categorization, ProposedCategory } from '../../src/hierarchy/categorizer.ts';
import { type LayerStep, UPDATE_MODES } from '../../src/hierarchy/maintain/plan-step.ts';

const count = z.number().default(0);

/**
 * The state of the hierarchy graph; its output is the counts of changed categories. Fields with names are not
 * checkpointed: each step commits to the graph of record, so an interrupted run is simply run again.
 */
export const HierarchyState = new StateSchema({
  /** The scope whose hierarchy is updated. */
  scope: z.string().default('default'),
  /** `update` places uncategorized nodes, `rebuild` groups all nodes again. */
  mode: z.enum(UPDATE_MODES).default('update'),
  /** The layer being processed. */
  layer: z.number().default(1),
  /** Categories created, dissolved or renamed, and nodes placed elsewhere, over all layers. */
  created: count,
  dissolved: count,
  renamed: count,
  placed: count,
  stale: count,
  /** Current number of layers. */
  layers: count,
  /** Why building stopped. */
  stoppedBy: z.string().nullable().default(null),

  /** Unusable parts of replies; these notes never quote them. */
  notes: new UntrackedValue<readonly string[]>(),
  /** Ids of nodes of this layer that are not categorized yet; null before the layer starts. */
  queue: new UntrackedValue<readonly string[] | null>(),
  /** Ids of nodes and categories of this layer that were already submitted to the categorizer. */
  asked: new UntrackedValue<readonly string[]>(),
  /** Proposals for this layer that are not committed yet. */
  gathered: new UntrackedValue<readonly ProposedCategory[]>(),
  /** Set by `begin`: child counts of the categories that were too large. */
  sizes: new UntrackedValue<Readonly<Record<string, number>>>(),
  /** The latest forgetting at the time of the first gathered proposal. */
  gatheredSince: new UntrackedValue<{ readonly forgotten: string | null } | null>(),
  /** Passed from `plan` to `categorize` to `commit`. */
  step: new UntrackedValue<LayerStep>(),
  categorization: new UntrackedValue<Categorization | null>(),
  isDone: new UntrackedValue<boolean>(),
});
