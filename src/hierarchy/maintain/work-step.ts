import type { GraphChanges } from '../../model/graph-changes.ts';
import type { HierarchyId } from '../../model/ids.ts';
import type { Hierarchy, HierarchyEnd } from '../../model/nodes.ts';
import { breathe } from '../../util/breathe.ts';
import type { ProposedCategory } from '../categorizer.ts';
import type { HierarchyContext } from '../hierarchy-context.ts';
import { applyProposals, applySplit } from './apply-proposals.ts';
import { closeLayer, NOT_TRIED, stopAfter } from './close-layer.ts';
import { draftChanges, type HierarchyCounts } from './draft-changes.ts';
import { HierarchyDraft, LayerNodes } from './hierarchy-draft.ts';
import type { LayerStep, UpdateMode } from './layer-step.ts';

export interface StepWork {
  readonly step: LayerStep;
  /** Null if the categorizer was not asked. */
  readonly categories: readonly ProposedCategory[] | null;
  /** Whether they cover the whole layer: a node that they do not name has no category. */
  readonly whole: boolean;
  /** Name of the categorizer. */
  readonly categorizer: string;
}

export interface StepResult {
  readonly changes: GraphChanges;
  readonly counts: HierarchyCounts;
  /** Why building ends with this layer; null if it may continue. */
  readonly stoppedBy: HierarchyEnd | null;
  /** Number of layers after this step. */
  readonly layers: number;
}

/**
 * Applies a step to the hierarchy and returns the graph changes. Null if the node that was the last when the layer
 * began is gone: nobody can tell which nodes are newer.
 */
export async function workStep(context: HierarchyContext, work: StepWork): Promise<StepResult | null> {
  const { step, categories, whole } = work;
  const { layer, category, closes } = step;
  await breathe();
  const draft = HierarchyDraft.of(context.index, context.newId);
  await breathe();
  const nodes = LayerNodes.below(draft, layer);
  if (!nodes.has(step.until)) return null;
  const isNew = (id: string) => nodes.isAfter(id, step.until);
  if (categories !== null && category !== null)
    applySplit(draft, category.id, { categories, ...context.settings });
  else if (categories !== null) applyProposals(draft, layer, { categories, whole, isNew });
  await breathe();
  if (closes && draft.entities.size > 0) closeLayer(draft, layer, { ...context.settings, isNew });
  const stoppedBy = closes ? stopAfter(draft, layer, context.settings) : null;
  await breathe();
  const { changes, counts } = await draftChanges(context, draft);
  await breathe();
  // Also written before the end: an interrupted run, or one that skips layers, must record its own categorizer.
  const record =
    stoppedBy !== null
      ? recordChanges(context, draft, { ...work, mode: step.mode, stoppedBy })
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
  /** A categorizer of whole layers rebuilds in every run. */
  readonly whole: boolean;
}

/** Replaces the record of how the hierarchy was built; no changes if it would be equal. */
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
 * Updates categorizer and depth in the record with every commit before the last one of a run, so that it is right if
 * the run is interrupted. No changes if the record is up to date.
 */
function interimChanges(
  { index, clock, newId }: Pick<HierarchyContext, 'index' | 'clock' | 'newId'>,
  { depth }: HierarchyDraft,
  categorizer: string,
): GraphChanges {
  const before = index.hierarchy.record;
  if (before === null || (before.categorizer === categorizer && before.layers === depth)) return {};
  // With this number of layers, no further layer has been tried.
  const topNodes = before.layers === depth ? before.topNodes : NOT_TRIED;
  const id = newId() as HierarchyId;
  const record: Hierarchy = { ...before, id, categorizer, layers: depth, topNodes, createdAt: clock() };
  return { nodes: { hierarchy: [record] }, removals: [{ kind: 'hierarchy', id: before.id }] };
}

function isSame(record: Hierarchy, before: Hierarchy): boolean {
  const { id: _id, builtAt: _builtAt, createdAt: _createdAt, ...rest } = record;
  return Object.entries(rest).every(([key, value]) => before[key as keyof Hierarchy] === value);
}
