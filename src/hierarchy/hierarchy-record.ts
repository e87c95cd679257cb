import type { GraphChanges } from '../model/graph-changes.ts';
import type { HierarchyId } from '../model/ids.ts';
import type { Hierarchy, HierarchyEnd } from '../model/nodes.ts';
import type { HierarchyContext } from './hierarchy-context.ts';
import type { HierarchyDraft } from './hierarchy-draft.ts';
import type { UpdateMode } from './plan-step.ts';
import { NOT_TRIED } from './stop-rule.ts';

export interface Finished {
  readonly stoppedBy: HierarchyEnd;
  readonly mode: UpdateMode;
  readonly categorizer: string;
  /** One that looks at everything each time builds anew each time. */
  readonly whole: boolean;
}

/** The record of how the hierarchy was built, in the place of the one before; nothing when it would say the same. */
export function recordChanges(
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
export function interimChanges(
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
