import type { HierarchyEnd } from '../../model/nodes.ts';
import { categoryKey, isFirstPerson, SPEAKER } from '../category-name.ts';
import type { HierarchySettings } from '../defaults.ts';
import type { DraftCategory, HierarchyDraft } from './hierarchy-draft.ts';

interface CloseSettings extends Pick<HierarchySettings, 'minimumChildren'> {
  /** Nodes that were asked about. One that came since and has no category is not promoted: it waits for the next run. */
  readonly asked: ReadonlySet<string>;
}

/**
 * Holds a layer to the compression ratio (Mnemis §2.2): a category of fewer than n children is dissolved, of those with
 * the same children one stays, and every node that then has no category is promoted. "Speaker" is exempt.
 */
export function closeLayer(draft: HierarchyDraft, layer: number, settings: CloseSettings): void {
  const { asked } = settings;
  const waiting = draft.nodes(layer - 1).filter(({ id }) => !draft.hasParent(id) && !asked.has(id));
  dissolveSmall(draft, layer, settings);
  mergeEqual(draft, layer);
  promoteRest(draft, layer, new Set(waiting.map(({ id }) => id)));
  renamePromoted(draft, layer);
  // What lost its name and found no other is not needed any more.
  for (const { id, name } of draft.categories(layer)) if (name === '') draft.remove(id);
}

/** How many categories of a layer hold more than a promoted node. */
function groupsIn(draft: HierarchyDraft, layer: number): number {
  return draft.categories(layer).filter((each) => !draft.isPromoted(each)).length;
}

/** Whether it is the category of who speaks in the first person, and not of things that are called so. */
export function isSpeaker(draft: HierarchyDraft, { layer, name, children }: DraftCategory): boolean {
  return layer === 1 && name === SPEAKER && [...children].some((child) => isFirstPerson(draft.node(child)!));
}

function dissolveSmall(draft: HierarchyDraft, layer: number, { minimumChildren }: CloseSettings): void {
  for (const category of draft.categories(layer)) {
    const { name, children } = category;
    if (name === '') continue;
    const stays = isSpeaker(draft, category) || children.size >= minimumChildren;
    if (!stays && !draft.isPromoted(category) && !leaveToNamesake(draft, category)) dissolve(draft, category);
  }
  // A promoted node that has found a group needs no category of its own.
  for (const category of draft.categories(layer)) {
    const [only] = category.children;
    if (draft.isPromoted(category) && !isSpeaker(draft, category) && draft.parentsOf(only!).length > 1)
      draft.remove(category.id);
  }
}

/** One that had lost its name may still be needed for what it stood for. */
function dissolve(draft: HierarchyDraft, category: DraftCategory): void {
  const { id, former, children } = category;
  if (former.size === 0) draft.remove(id);
  else {
    category.name = '';
    for (const child of [...children]) draft.unlink(id, child);
  }
}

/** One that others had joined in vain goes on to stand for the node of its name. */
function leaveToNamesake(draft: HierarchyDraft, { id, name, children }: DraftCategory): boolean {
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
    // The older one keeps its place.
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

/** It is called what its node is called now. */
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

/** `topNodes` of the record of a hierarchy while nobody has tried another layer on top of the highest one. */
export const NOT_TRIED = 0;

/**
 * Whether building ends with a layer, and why (Mnemis §2.2, docs/papers.md §1.4). A layer from 2 on that has more nodes
 * than the one below, or that merged nothing, is taken away again; layer 1 always stays, so that every entity is
 * reached.
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
