import type { HierarchyEnd } from '../../model/nodes.ts';
import { categoryKey, isFirstPerson, SPEAKER } from '../category-name.ts';
import type { HierarchySettings } from '../defaults.ts';
import type { DraftCategory, HierarchyDraft } from './hierarchy-draft.ts';

interface CloseSettings extends Pick<HierarchySettings, 'minimumChildren'> {
  /**
   * Whether a node is newer than the run's work on the layer. The categorizer was not asked about it; without a
   * category it is not promoted, but waits for the next run.
   */
  readonly isNew: (node: string) => boolean;
}

/**
 * Enforces the compression ratio (Mnemis §2.2): dissolves categories of fewer than n children, keeps one of those
 * with the same children, and promotes every node without a category. "Speaker" is exempt.
 */
export function closeLayer(draft: HierarchyDraft, layer: number, settings: CloseSettings): void {
  const { isNew } = settings;
  const waiting = draft.nodes(layer - 1).filter(({ id }) => !draft.hasParent(id) && isNew(id));
  dissolveSmall(draft, layer, settings);
  mergeEqual(draft, layer);
  promoteRest(draft, layer, new Set(waiting.map(({ id }) => id)));
  renamePromoted(draft, layer);
  // A category that lost its name and got no other is not needed any more.
  for (const { id, name } of draft.categories(layer)) if (name === '') draft.remove(id);
}

/** Number of categories of a layer that do not just hold a promoted node. */
function groupsIn(draft: HierarchyDraft, layer: number): number {
  return draft.categories(layer).filter((each) => !draft.isPromoted(each)).length;
}

/** Whether it is the category of first-person speakers, rather than of things with that name. */
export function isSpeaker(draft: HierarchyDraft, { layer, name, children }: DraftCategory): boolean {
  return layer === 1 && name === SPEAKER && [...children].some((child) => isFirstPerson(draft.node(child)!));
}

function dissolveSmall(draft: HierarchyDraft, layer: number, { minimumChildren }: CloseSettings): void {
  for (const category of draft.categories(layer)) {
    const { name, children } = category;
    if (name === '') continue;
    const stays = isSpeaker(draft, category) || children.size >= minimumChildren;
    if (!stays && !draft.isPromoted(category) && !reduceToNamesake(draft, category))
      dissolve(draft, category);
  }
  // A promoted node that joined a group needs no category of its own.
  for (const category of draft.categories(layer)) {
    const [only] = category.children;
    if (draft.isPromoted(category) && !isSpeaker(draft, category) && draft.parentsOf(only!).length > 1)
      draft.remove(category.id);
  }
}

/** A category with former children stays without a name: `create` may reuse it for them. */
function dissolve(draft: HierarchyDraft, category: DraftCategory): void {
  const { id, former, children } = category;
  if (former.size === 0) draft.remove(id);
  else {
    category.name = '';
    for (const child of [...children]) draft.unlink(id, child);
  }
}

/** Turns a category too small for a group into that of the promoted node with the same name, if it has one. */
function reduceToNamesake(draft: HierarchyDraft, { id, name, children }: DraftCategory): boolean {
  const key = categoryKey(name);
  const namesake = [...children].find((child) => categoryKey(draft.node(child)!.name) === key);
  if (namesake === undefined) return false;
  for (const child of [...children]) if (child !== namesake) draft.unlink(id, child);
  return true;
}

function mergeEqual(draft: HierarchyDraft, layer: number): void {
  const seen = new Set<string>();
  for (const category of draft.categories(layer)) {
    if (category.children.size < 2 || isSpeaker(draft, category)) continue;
    const children = [...category.children].sort().join(' ');
    // The older one stays.
    if (seen.has(children)) draft.remove(category.id);
    seen.add(children);
  }
}

function promoteRest(draft: HierarchyDraft, layer: number, waiting: ReadonlySet<string>): void {
  const rest = draft.nodes(layer - 1).filter(({ id }) => !draft.hasParent(id) && !waiting.has(id));
  if (rest.length === 0) return;
  const groups = new Map(
    draft
      .categories(layer)
      .filter((each) => !draft.isPromoted(each) && !isSpeaker(draft, each))
      .map((each) => [categoryKey(each.name), each.id]),
  );
  for (const { id, name, tags } of rest) {
    const parent = groups.get(categoryKey(name)) ?? draft.create(layer, { name, tags }, new Set([id])).id;
    draft.link(parent, id);
  }
}

/** Renames the categories of promoted nodes to the current names of the nodes. */
function renamePromoted(draft: HierarchyDraft, layer: number): void {
  for (const category of draft.categories(layer)) {
    if (!draft.isPromoted(category) || isSpeaker(draft, category)) continue;
    const [only] = category.children;
    const { name, tags } = draft.node(only!)!;
    category.name = name;
    category.tags = tags;
    category.aliases = [];
  }
}

/** `topNodes` of the hierarchy record while no layer on top of the highest one has been tried. */
export const NOT_TRIED = 0;

/**
 * Whether building ends with a layer, and why (Mnemis §2.2, docs/papers.md §1.4). Removes a layer from 2 on that has
 * more nodes than the one below, or that merged nothing. Layer 1 always stays, so that every entity is reachable.
 */
export function stopAfter(
  draft: HierarchyDraft,
  layer: number,
  { maximumLayers, fewestBelow = 0 }: HierarchySettings,
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
  const end = endBy({ nodes, layer, maximumLayers, fewestBelow });
  if (end !== null) draft.removeFrom(layer + 1);
  return end;
}

interface Top {
  readonly nodes: number;
  readonly layer: number;
  readonly maximumLayers: number;
  readonly fewestBelow: number;
}

function endBy({ nodes, layer, maximumLayers, fewestBelow }: Top): HierarchyEnd | null {
  if (nodes === 1) return 'single-node';
  if (layer >= maximumLayers) return 'maximum-layers';
  return nodes < fewestBelow ? 'few-nodes' : null;
}
