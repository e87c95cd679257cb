/** What the hierarchy is held to (Mnemis §2.2, "Compression Efficiency Constraint"; docs/papers.md §1.3). */
export interface HierarchySettings {
  /** Children that a category needs; what cannot be grouped is promoted. */
  readonly minimumChildren: number;
  readonly maximumLayers: number;
  /** One with more children is split where that is possible. */
  readonly maximumChildren: number;
}

/** n and the number of layers are not in the paper, which shows four layers in its Appendix B. */
export const HIERARCHY_SETTINGS: HierarchySettings = {
  minimumChildren: 3,
  maximumLayers: 5,
  maximumChildren: 50,
};
