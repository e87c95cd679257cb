import type { NodeKind, NodeRows } from './nodes.ts';
import type { Relationship } from './relationships.ts';

/** The only columns that may change after a row is written. All are numeric, because text is append-only. */
export interface MutableColumns {
  readonly episode: 'expiredAt' | 'gate' | 'verified' | 'status';
  readonly segment: 'expiredAt';
  readonly profile: 'expiredAt';
  readonly fact: 'validAt' | 'invalidAt' | 'expiredAt';
  readonly category: 'expiredAt' | 'staleSince';
  readonly failure: 'expiredAt';
  readonly correction: 'finishedAt' | 'undoneAt';
  readonly item: 'expiredAt';
}
export type MutableKind = keyof MutableColumns;

export type RowUpdate<Kind extends MutableKind = MutableKind> = {
  readonly [K in Kind]: {
    readonly kind: K;
    readonly id: string;
    readonly set: Partial<Pick<NodeRows[K], MutableColumns[K] & keyof NodeRows[K]>>;
  };
}[Kind];

export interface RowRemoval {
  readonly kind: NodeKind;
  readonly id: string;
}

/** Identifies a relationship to remove; for ABOUT, in every role. */
export type Unlink = Pick<Relationship, 'kind' | 'fromKind' | 'from' | 'toKind' | 'to'>;

export type NewNodes = { readonly [K in NodeKind]?: readonly NodeRows[K][] };

/** One transaction's writes, applied in this order: unlinks, nodes, relationships, updates, removals. */
export interface GraphChanges {
  /**
   * Relationships to remove between nodes that stay. Applied first, so that the same commit can write the same
   * relationship again. A missing one is not an error.
   */
  readonly unlinks?: readonly Unlink[];
  readonly nodes?: NewNodes;
  readonly relationships?: readonly Relationship[];
  readonly updates?: readonly RowUpdate[];
  /** Removing a node also removes its relationships. */
  readonly removals?: readonly RowRemoval[];
}

/** Rows of a scope by kind; 0 for a kind without rows. */
export type NodeCounts = { readonly [K in NodeKind]: number };
