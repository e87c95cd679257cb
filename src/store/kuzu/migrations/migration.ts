/** A step from one schema version to the next, in one transaction. Never changed once released. */
export interface Migration {
  readonly version: number;
  readonly statements: readonly string[];
}
