/** Limits of the hierarchy (Mnemis §2.2, "Compression Efficiency Constraint"; docs/papers.md §1.3). */
export interface HierarchySettings {
  /** Minimum number of children of a category; nodes that cannot be grouped are promoted. */
  readonly minimumChildren: number;
  readonly maximumLayers: number;
  /** A category with more children is split if possible. */
  readonly maximumChildren: number;
  /** A layer is built over at least this many nodes; layer 1 always is. Default: over any number. */
  readonly fewestBelow?: number;
}

/** A list of fewer categories is read as a whole: a layer above would only cost another call. */
export const FEWEST_BELOW = 8;

/** The paper gives neither n nor the number of layers; its Appendix B shows four layers. */
export const HIERARCHY_SETTINGS: HierarchySettings = {
  minimumChildren: 3,
  maximumLayers: 5,
  maximumChildren: 50,
};

/** A label with more entities is split by finer kinds of the taxonomy. */
export const SPLIT_ABOVE = 30;

/** A broad category with more children gets finer ones of the vocabulary between. */
export const BETWEEN_ABOVE = 40;

/**
 * Minimum share for a rebuild: as many entities came or went as stayed. A growing memory is then rebuilt each time it
 * doubles, for at most the cost of one more build in total. Large categories do not count, since updates split them
 * as a rebuild would.
 */
export const REBUILD_SHARE = 0.5;

/** The share of the top layer that must change before another layer is tried. */
export const WORTH_A_LAYER = 0.25;

/** Maximum of categories per node; limits proposals that put a node into every category. */
export const MOST_CATEGORIES_OF_NODE = 6;
