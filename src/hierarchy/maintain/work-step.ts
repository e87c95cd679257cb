import type { GraphChanges } from '../../model/graph-changes.ts';
import type { HierarchyId } from '../../model/ids.ts';
import type { Hierarchy, HierarchyEnd } from '../../model/nodes.ts';
import { breathe } from '../../util/breathe.ts';
import type { ProposedCategory } from '../categorizer.ts';
import type { HierarchyContext } from '../hierarchy-context.ts';
import { applyProposals, applySplit } from './apply-proposals.ts';
import { closeLayer, NOT_TRIED, stopAfter } from './close-layer.ts';
import { draftChanges, type HierarchyCounts } from './draft-changes.ts';
import { HierarchyDraft } from './hierarchy-draft.ts';
import type { LayerStep, UpdateMode } from './plan-step.ts';

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

interface Finished {
  readonly stoppedBy: HierarchyEnd;
  readonly mode: UpdateMode;
  readonly categorizer: string;
  /** One that looks at everything each time builds anew each time. */
  readonly whole: boolean;
}

/** The record of how the hierarchy was built, in the place of the one before; nothing when it would say the same. */
function recordChanges(
  { index, settings, clock, newId }: Pick<HierarchyContext, 'index' | 'settings' | 'clock' | 'newId'>,
  draft: HierarchyDraft,
  { stoppedBy, mode, categorizer, whole }: Finished,
): GraphChanges {
  const before = index.hierarchy.record;
  const now = clock();
  const isBuilt = before === null || mode === 'rebuild' || whole;
  const record: Hierarchy = {
    id: newId() as HierarchyId,
    categorizer,
    stoppedBy,
    layers: draft.depth,
    minimumChildren: settings.minimumChildren,
    maximumLayers: settings.maximumLayers,
    entities: isBuilt ? draft.entities.size : before.entities,
    topNodes: draft.categories(draft.depth).length,
    builtAt: isBuilt ? now : before.builtAt,
    createdAt: now,
  };
  if (before === null) return { nodes: { hierarchy: [record] } };
  if (isSame(record, before)) return {};
  return { nodes: { hierarchy: [record] }, removals: [{ kind: 'hierarchy', id: before.id }] };
}

/**
 * What each commit before the last one of a run says of the hierarchy: who has changed it, and how deep it is now;
 * nothing when the record says so already. So the record holds wherever a run breaks off.
 */
function interimChanges(
  { index, clock, newId }: Pick<HierarchyContext, 'index' | 'clock' | 'newId'>,
  { depth }: HierarchyDraft,
  categorizer: string,
): GraphChanges {
  const before = index.hierarchy.record;
  if (before === null || (before.categorizer === categorizer && before.layers === depth)) return {};
  // No further layer was tried on top of another number of layers.
  const topNodes = before.layers === depth ? before.topNodes : NOT_TRIED;
  const id = newId() as HierarchyId;
  const record: Hierarchy = { ...before, id, categorizer, layers: depth, topNodes, createdAt: clock() };
  return { nodes: { hierarchy: [record] }, removals: [{ kind: 'hierarchy', id: before.id }] };
}

function isSame(record: Hierarchy, before: Hierarchy): boolean {
  const { id: _id, builtAt: _builtAt, createdAt: _createdAt, ...rest } = record;
  return Object.entries(rest).every(([key, value]) => before[key as keyof Hierarchy] === value);
}
