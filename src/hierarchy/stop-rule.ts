import type { HierarchyEnd } from '../model/nodes.ts';
import { groupsIn } from './close-layer.ts';
import type { HierarchyDraft } from './hierarchy-draft.ts';
import type { HierarchySettings } from './settings.ts';

/** `topNodes` of the record of a hierarchy while nobody has tried another layer on top of the highest one. */
export const NOT_TRIED = 0;

/**
 * Whether building ends with a layer, and why (Mnemis §2.2, PAPERS §1.4). A layer from 2 on that has more nodes than
 * the one below, or that merged nothing, is taken away again; layer 1 always stays, so that every entity is reached.
 */
export function stopAfter(
  draft: HierarchyDraft,
  layer: number,
  { maximumLayers }: HierarchySettings,
): HierarchyEnd | null {
  if (draft.entities.size === 0) {
    draft.removeFrom(1);
    return 'no-entities';
  }
  const nodes = draft.categories(layer).length;
  const isMerged = groupsIn(draft, layer) > 0;
  if (layer >= 2 && (!isMerged || nodes > draft.categories(layer - 1).length)) {
    draft.removeFrom(layer);
    return isMerged ? 'layer-grew' : 'nothing-merged';
  }
  const end = nodes === 1 ? 'single-node' : layer >= maximumLayers ? 'maximum-layers' : null;
  if (end !== null) draft.removeFrom(layer + 1);
  return end;
}
