import type { CategoryId, EntityId } from '../../model/ids.ts';
import type { ShownHierarchy, ShownNode } from './shown-hierarchy.ts';

/** A node of the category hierarchy and what is below it, as one browses it. */
export interface CategoryTree {
  readonly id: CategoryId | EntityId;
  readonly name: string;
  /** 0 for an entity. */
  readonly layer: number;
  readonly tags: readonly string[];
  /** Entities below it, each counted once; 0 for an entity. */
  readonly entities: number;
  /** Names of other categories that it belongs to than the one that it is listed under. */
  readonly alsoIn: readonly string[];
  /** The largest first, then by name. */
  readonly children: readonly CategoryTree[];
  /** Children that are left out of `children`. */
  readonly more: number;
  /**
   * Where the children of a category in several others are listed: names from the first level down to its own. There
   * only where that is elsewhere in this tree, since they are listed once.
   */
  readonly listedAt?: readonly string[];
}

/** Part of the category hierarchy, as `ScopeHierarchy.browse` lists it. */
export interface TreePart {
  /** The largest first, then by name; entities after categories. */
  readonly nodes: readonly CategoryTree[];
  /** Nodes of the first level that are left out of `nodes`. */
  readonly more: number;
}

interface ListOptions {
  /** Levels below the first. */
  readonly depth: number;
  /** Nodes that are listed of each list. */
  readonly limit: number;
}

/**
 * Nodes and what is below them, the largest first. What is in a category is listed once, in the place nearest to the
 * first level and there in the first of that level, so that the work is bounded by the edges and nothing within `depth`
 * is missed.
 */
export function listTree(
  hierarchy: ShownHierarchy,
  nodes: readonly ShownNode[],
  options: ListOptions,
): TreePart {
  const listed = largest(nodes, options.limit);
  const places = placesOf(listed, options);
  const tree = listed.map((node) => treeOf(node, { hierarchy, places, under: null }));
  return { nodes: tree, more: nodes.length - listed.length };
}

/** Where the children of a category are listed: under which other (null: at the first level), and which they are. */
interface Place {
  readonly under: ShownNode | null;
  readonly children: readonly ShownNode[];
}

function placesOf(first: readonly ShownNode[], { depth, limit }: ListOptions): ReadonlyMap<ShownNode, Place> {
  const places = new Map<ShownNode, Place>();
  const list = (node: ShownNode, under: ShownNode | null): boolean => {
    if (node.children.length === 0 || places.has(node)) return false;
    places.set(node, { under, children: largest(node.children, limit) });
    return true;
  };
  let level = depth === 0 ? [] : first.filter((node) => list(node, null));
  for (let left = depth - 1; left > 0 && level.length > 0; left--)
    level = level.flatMap((under) => places.get(under)!.children.filter((node) => list(node, under)));
  return places;
}

interface TreeContext {
  readonly hierarchy: ShownHierarchy;
  readonly places: ReadonlyMap<ShownNode, Place>;
  readonly under: ShownNode | null;
}

function treeOf(node: ShownNode, context: TreeContext): CategoryTree {
  const { hierarchy, places, under } = context;
  const place = places.get(node);
  const isHere = place?.under === under;
  const children = isHere ? place.children.map((child) => treeOf(child, { ...context, under: node })) : [];
  const others = hierarchy.parentsOf(node.id).filter((parent) => parent !== under);
  return {
    id: node.id as CategoryId | EntityId,
    name: node.name,
    layer: node.layer,
    tags: node.tags,
    entities: node.layer === 0 ? 0 : node.below.length,
    alsoIn: [...new Set(others.map(({ name }) => name))],
    children,
    more: node.children.length - children.length,
    ...(place === undefined || isHere ? {} : { listedAt: pathTo(node, places) }),
  };
}

function pathTo(node: ShownNode, places: ReadonlyMap<ShownNode, Place>): readonly string[] {
  const path: string[] = [];
  for (let at: ShownNode | null = node; at !== null; at = places.get(at)!.under) path.unshift(at.name);
  return path;
}

function largest(nodes: readonly ShownNode[], limit: number): readonly ShownNode[] {
  const sizeOf = ({ layer, below }: ShownNode) => (layer === 0 ? 0 : below.length);
  return [...nodes]
    .sort((a, b) => sizeOf(b) - sizeOf(a) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
    .slice(0, limit);
}
