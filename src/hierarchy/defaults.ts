/** Limits of the hierarchy (Mnemis §2.2, "Compression Efficiency Constraint"; docs/papers.md §1.3). */
export interface HierarchySettings {
  /** Minimum number of children of a category; nodes that cannot be grouped are promoted. */
  readonly minimumChildren: number;
  readonly maximumLayers: number;
  /** A category with more children is split if possible. */
  readonly maximumChildren: number;
}

/** The paper gives neither n nor the number of layers; its Appendix B shows four layers. */
export const HIERARCHY_SETTINGS: HierarchySettings = {
  minimumChildren: 3,
  maximumLayers: 5,
  maximumChildren: 50,
};
