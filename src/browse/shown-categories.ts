import { categoryKey, isCollective } from '../hierarchy/category-name.ts';
import type { CategoryId } from '../model/ids.ts';
import type { ScopeIndex } from '../search/scope-index.ts';

type Hierarchical = Pick<ScopeIndex, 'hierarchy' | 'profileOf'>;

/**
 * Whether people see the category as such, as in the tree of `browse-hierarchy.ts`: it has a name
 * that says something, and members, and does not only promote the one node below it under the same name.
 */
export function isShown(index: Hierarchical, category: string): boolean {
  const { hierarchy } = index;
  const name = hierarchy.profileOf(category)?.name.trim() ?? '';
  const members = hierarchy.childCount(category);
  if (name === '' || isCollective(name) || members === 0) return false;
  if (members > 1) return true;
  const only = index.profileOf(hierarchy.childrenOf(category)[0]!)?.name ?? '';
  return only !== name && categoryKey(only) !== categoryKey(name);
}

/** The nearest categories above a node that are wanted. */
export function categoriesAbove(
  { hierarchy }: Hierarchical,
  node: string,
  isWanted: (category: CategoryId) => boolean,
): readonly CategoryId[] {
  const found = new Set<CategoryId>();
  const seen = new Set<string>();
  const open: string[] = [node];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const layer = layerOf({ hierarchy }, at);
    for (const parent of hierarchy.parentsOf(at)) {
      // Only a higher layer counts, so that no data can form a cycle.
      if (seen.has(parent) || layerOf({ hierarchy }, parent) <= layer) continue;
      seen.add(parent);
      if (isWanted(parent)) found.add(parent);
      else open.push(parent);
    }
  }
  return [...found];
}

/** The nearest nodes below a category that people see: categories, or entities with a profile. */
export function membersOf(index: Hierarchical, category: string): readonly string[] {
  const { hierarchy } = index;
  const found = new Set<string>();
  const seen = new Set([category]);
  const open = [category];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const layer = layerOf(index, at);
    for (const child of hierarchy.childrenOf(at)) {
      if (seen.has(child) || layerOf(index, child) >= layer) continue;
      seen.add(child);
      if (!hierarchy.has(child)) {
        if (index.profileOf(child) !== undefined) found.add(child);
      } else if (isShown(index, child)) found.add(child);
      else open.push(child);
    }
  }
  return [...found];
}

/** A category on the way to the top. */
export interface CategoryStep {
  readonly id: CategoryId;
  readonly name: string;
  readonly layer: number;
}

const MOST_STEPS = 100;

/** The ways from a node to the top, one for each category that holds it, each from the nearest category upwards. */
export function pathsUp(index: Hierarchical, node: string): readonly (readonly CategoryStep[])[] {
  const above = (at: string) => categoriesAbove(index, at, (category) => isShown(index, category));
  return above(node).map((first) => {
    const path = [stepOf(index, first)];
    for (let next = above(first)[0]; next !== undefined && path.length < MOST_STEPS; next = above(next)[0])
      path.push(stepOf(index, next));
    return path;
  });
}

function stepOf({ hierarchy }: Hierarchical, id: CategoryId): CategoryStep {
  return { id, name: hierarchy.profileOf(id)!.name, layer: hierarchy.category(id)!.layer };
}

function layerOf({ hierarchy }: Pick<ScopeIndex, 'hierarchy'>, id: string): number {
  return hierarchy.category(id)?.layer ?? 0;
}
