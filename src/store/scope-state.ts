/** The last commit of a scope; both 0 for a scope without commits. */
export interface ScopeState {
  /** Number of commits so far. */
  readonly sequence: number;
  /**
   * Random, new with every commit. If an older copy of the files is restored, a sequence number can repeat with other
   * content; the token cannot.
   */
  readonly token: number;
}
