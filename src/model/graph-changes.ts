import type { MutableIn } from './columns.ts';
import type { NodeKind, NodeRows } from './nodes.ts';
import type { Relationship } from './relationships.ts';
import type { ROWS } from './rows.ts';

/** Names of the columns of a kind that may change after a row is written. All are numeric, because text is append-only. */
type MutableColumn<K extends NodeKind> = MutableIn<(typeof ROWS)[K]> & keyof NodeRows[K];

export type MutableKind = { [K in NodeKind]: [MutableColumn<K>] extends [never] ? never : K }[NodeKind];

export type RowUpdate<Kind extends MutableKind = MutableKind> = {
  readonly [K in Kind]: {
    readonly kind: K;
    readonly id: string;
    readonly set: Partial<Pick<NodeRows[K], MutableColumn<K>>>;
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
