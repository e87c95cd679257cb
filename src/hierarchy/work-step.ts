import type { GraphChanges } from '../model/graph-changes.ts';
import type { HierarchyEnd } from '../model/nodes.ts';
import { breathe } from '../util/breathe.ts';
import { applyProposals, applySplit } from './apply-proposals.ts';
import type { ProposedCategory } from './categorizer.ts';
import { closeLayer } from './close-layer.ts';
import { draftChanges, type HierarchyCounts } from './draft-changes.ts';
import type { HierarchyContext } from './hierarchy-context.ts';
import { HierarchyDraft } from './hierarchy-draft.ts';
import { interimChanges, recordChanges } from './hierarchy-record.ts';
import type { LayerStep, UpdateMode } from './plan-step.ts';
import { stopAfter } from './stop-rule.ts';

export interface StepWork {
  readonly plan: LayerStep;
  readonly mode: UpdateMode;
  /** Null when nothing was asked. */
  readonly categories: readonly ProposedCategory[] | null;
  /** Whether they speak for the whole layer: a node that they do not name has no category. */
  readonly whole: boolean;
  /** Ids of nodes and categories of this layer that were asked about in this run. */
  readonly asked: ReadonlySet<string>;
  /** Name of the categorizer. */
  readonly categorizer: string;
}

export interface StepResult {
  readonly changes: GraphChanges;
  readonly counts: HierarchyCounts;
  /** Why no further layer follows; null while one may. */
  readonly stoppedBy: HierarchyEnd | null;
  /** Layers of the hierarchy after it. */
  readonly layers: number;
}

/** What a step about a layer comes to, as changes of the graph. */
export async function workStep(context: HierarchyContext, work: StepWork): Promise<StepResult> {
  const { plan, categories, whole, asked } = work;
  const { layer } = plan;
  await breathe();
  const draft = HierarchyDraft.of(context.index, context.newId);
  await breathe();
  if (categories !== null && plan.step === 'split')
    applySplit(draft, plan.request!.within!.id, { categories, ...context.settings });
  else if (categories !== null) applyProposals(draft, layer, { categories, whole });
  await breathe();
  if (plan.closes && draft.entities.size > 0) closeLayer(draft, layer, { ...context.settings, asked });
  const stoppedBy = plan.closes ? stopAfter(draft, layer, context.settings) : null;
  await breathe();
  const { changes, counts } = await draftChanges(context, draft);
  await breathe();
  // Before the end too: what broke off, or skips the layers that follow, must not pass for the work of another.
  const record =
    stoppedBy !== null
      ? recordChanges(context, draft, { ...work, stoppedBy })
      : hasChanges(changes)
        ? interimChanges(context, draft, work.categorizer)
        : {};
  return { changes: joined(changes, record), counts, stoppedBy, layers: draft.depth };
}

function joined(changes: GraphChanges, { nodes, removals = [] }: GraphChanges): GraphChanges {
  return {
    ...changes,
    nodes: { ...changes.nodes, ...nodes },
    removals: [...(changes.removals ?? []), ...removals],
  };
}

export function hasChanges({ unlinks, nodes = {}, relationships, updates, removals }: GraphChanges): boolean {
  const lists = [unlinks, relationships, updates, removals, ...Object.values(nodes)];
  return lists.some((list) => (list?.length ?? 0) > 0);
}
