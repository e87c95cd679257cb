import type { Scope } from '../../model/ids.ts';

/** Something that should not be so, in words of our own: never a text, seldom an id. */
export interface Finding {
  readonly scope: Scope | null;
  readonly what: string;
}

export interface ScopeReport {
  readonly scope: Scope;
  readonly rows: number;
  readonly relationships: number;
  /** Vectors by the embedder that made them. */
  readonly embeddings: Readonly<Record<string, number>>;
  /** Texts without a vector of the embedder in use: searches find them by words alone until `reembed`. */
  readonly withoutVector: number;
  /** Whether the snapshot of the index, if one of this commit is there, says what the graph says. */
  readonly index: 'none' | 'equal' | 'differs';
}

/**
 * What `Mnemis.verify` found when it held the parts of a memory against each other. Nothing was changed: an index
 * snapshot that differs can be deleted, for the rest there are backups.
 */
export interface CheckReport {
  /** Whether nothing was found. */
  readonly sound: boolean;
  readonly findings: readonly Finding[];
  /** Every scope that holds something. */
  readonly scopes: readonly ScopeReport[];
}
