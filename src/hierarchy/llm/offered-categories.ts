import type { KnownCategory, LayerNode } from '../categorizer.ts';
import type { Likeness } from './likeness.ts';
import { nearest } from './nearest.ts';

/** A category that may be used again, as one looks for it. */
export type OfferedCategory = Pick<KnownCategory, 'name' | 'tags' | 'vector' | 'children'>;

/** So many are offered to one node: they also show how fine the layer is. */
const OFFERED_TO_FEW = 10;
const OFFERED_PER_NODE = 2;
const NEAREST_PER_NODE = 5;
const LEAST_LIKENESS = 0.2;

/**
 * Those that nodes may belong to, in their own order: all where there are few, else the nearest by vector and words,
 * more of them for more nodes, and where these are too few, the largest, which are the likeliest homes of anything.
 */
export async function offeredCategories(
  categories: readonly OfferedCategory[],
  nodes: readonly LayerNode[],
  { likeness, atMost: limit }: { readonly likeness: Likeness; readonly atMost: number },
): Promise<readonly OfferedCategory[]> {
  const atMost = Math.min(limit, OFFERED_TO_FEW + OFFERED_PER_NODE * nodes.length);
  if (categories.length <= atMost) return categories;
  const near = await nearest(categories, nodes, {
    likenessOf: (category, node) => likeness.ofCategory(category, node),
    atLeast: LEAST_LIKENESS,
    perNode: NEAREST_PER_NODE,
    atMost,
  });
  const offered = new Set(near);
  const largest = categories.toSorted((a, b) => b.children - a.children);
  for (const category of largest.slice(0, OFFERED_TO_FEW))
    if (offered.size < Math.min(OFFERED_TO_FEW, atMost)) offered.add(category);
  return categories.filter((category) => offered.has(category));
}
