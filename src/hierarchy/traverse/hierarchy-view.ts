import type { EntityIndex } from '../../search/entity-index.ts';
import type { HierarchyIndex } from '../../search/hierarchy-index.ts';

/** A node as seen by a walk. */
export interface ViewNode {
  readonly id: string;
  /** 0 for an entity. */
  readonly layer: number;
  readonly name: string;
  readonly tags: readonly string[];
  /** Other names of a category. */
  readonly aliases: readonly string[];
  /** Child nodes, oldest first; empty for an entity. */
  readonly children: readonly string[];
  /** Ordinal of its profile: in `entities.profiles`, for a category in `hierarchy.documents`. */
  readonly document: number;
}

const NONE: readonly never[] = [];

/**
 * The part of a hierarchy visible to one question: eligible entities and the categories above them. A category with
 * one child is replaced by that child (docs/papers.md §1.3), one without a name by its children. Only children in a
 * lower layer than their parent are used, so that no data can make a cycle.
 */
export class HierarchyView {
  /** The start of a walk: nodes that are in no category. */
  readonly top: readonly string[];
  /** Categories, children before parents. */
  readonly categories: readonly ViewNode[];
  readonly #nodes = new Map<string, ViewNode>();

  constructor(
    { entities, hierarchy }: { readonly entities: EntityIndex; readonly hierarchy: HierarchyIndex },
    isVisible: (profile: number) => boolean,
  ) {
    /** For each category, the ids offered in its place. */
    const shown = new Map<string, readonly string[]>();
    const below = new Set<string>();
    const categories: ViewNode[] = [];
    const asShown = (child: string, layer: number): readonly string[] => {
      const childLayer = hierarchy.category(child)?.layer;
      if (childLayer === undefined) return this.#addEntity(child, entities, isVisible) ? [child] : NONE;
      if (childLayer >= layer) return NONE;
      below.add(child);
      return shown.get(child) ?? NONE;
    };
    const layers = Array.from({ length: hierarchy.depth }, (_, at) => hierarchy.layer(at + 1));
    for (const [at, ids] of layers.entries())
      for (const id of ids) {
        const layer = at + 1;
        const children = distinct(hierarchy.childrenOf(id).flatMap((child) => asShown(child, layer)));
        const profile = hierarchy.profileOf(id);
        const isShown = children.length > 1 && profile !== undefined;
        shown.set(id, isShown ? [id] : children);
        if (!isShown) continue;
        const document = hierarchy.ordinalOf(id)!;
        const { name, tags, aliases } = profile;
        const node = { id, layer, name, tags, aliases, children, document };
        this.#nodes.set(id, node);
        categories.push(node);
      }
    const roots = layers.toReversed().flatMap((ids) => ids.filter((id) => !below.has(id)));
    this.top = distinct(roots.flatMap((id) => shown.get(id)!));
    this.categories = categories;
  }

  node(id: string): ViewNode | undefined {
    return this.#nodes.get(id);
  }

  #addEntity(id: string, entities: EntityIndex, isVisible: (profile: number) => boolean): boolean {
    if (this.#nodes.has(id)) return true;
    const profile = entities.profileOf(id);
    if (profile === undefined) return false;
    const document = entities.profiles.ids.ordinalOf(profile.id)!;
    if (!isVisible(document)) return false;
    const { name, tags, aliases } = profile;
    this.#nodes.set(id, { id, layer: 0, name, tags, aliases, children: NONE, document });
    return true;
  }
}

function distinct(ids: readonly string[]): readonly string[] {
  return [...new Set(ids)];
}

/** Entities below a category, each once, oldest branch first; visits a cycle in the data once. */
export function entitiesBelow(
  category: string,
  hierarchy: Pick<HierarchyIndex, 'has' | 'childrenOf'>,
): readonly string[] {
  const visited = new Set<string>();
  const entities: string[] = [];
  const open = [category];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (visited.has(id)) continue;
    visited.add(id);
    if (!hierarchy.has(id)) entities.push(id);
    else for (const child of hierarchy.childrenOf(id).toReversed()) open.push(child);
  }
  return entities;
}
