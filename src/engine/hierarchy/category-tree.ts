import { z } from 'zod';
import { InvalidInputError } from '../../errors/index.ts';
import type { ScopeIndex } from '../../search/scope-index.ts';
import { describeIssues } from '../../util/describe-issues.ts';
import { type CategoryTree, listTree, type TreePart } from './list-tree.ts';
import { nodesCalled } from './nodes-called.ts';
import { ShownHierarchy } from './shown-hierarchy.ts';

export type { CategoryTree, TreePart };

/**
 * Which part of the hierarchy `ScopeHierarchy.tree` lists. A large one is best browsed level by level: `depth: 1`,
 * then `of` one of its names.
 */
export interface TreeOptions {
  /**
   * A category by id or name: what is below it; all of that name, if there are several. An entity's: which categories
   * it is in (`alsoIn`). Default: everything from the top.
   */
  readonly of?: string;
  /** Levels below the first, from 0; at most 100 are listed. Default: all. */
  readonly depth?: number;
  /** Nodes that are listed at the top and of each category, the largest first. Default: all. */
  readonly limit?: number;
}

const MOST_LEVELS = 100;

const optionsSchema = z.strictObject({
  of: z.string().min(1).optional(),
  depth: z.number().int().min(0).optional(),
  limit: z.number().int().min(1).optional(),
});

/**
 * The hierarchy from the top, or from what is called so, at any time: while a run is under way or after one that broke
 * off everything is there that is known, entities without a category at the top. A category that stands for the one
 * node below it is not shown, one that lost its name is shown as its children. A node with several categories comes up
 * under each of them, with what is below it in one place (`listedAt`).
 *
 * @throws InvalidInputError when nothing is called so, and for options that are none.
 */
export function treePart(index: ScopeIndex, options: TreeOptions = {}): TreePart {
  const parsed = optionsSchema.safeParse(options);
  if (!parsed.success)
    throw new InvalidInputError(`What to show of the tree is not valid: ${describeIssues(parsed.error)}`);
  const { of, depth = MOST_LEVELS, limit = Number.POSITIVE_INFINITY } = parsed.data;
  const hierarchy = new ShownHierarchy(index);
  const first = of === undefined ? hierarchy.top : nodesCalled(of, hierarchy, index.entities);
  return listTree(hierarchy, first, { depth: Math.min(depth, MOST_LEVELS), limit });
}

/** The nodes of `treePart`. @throws as that. */
export function categoryTree(index: ScopeIndex, options: TreeOptions = {}): CategoryTree[] {
  return [...treePart(index, options).nodes];
}
