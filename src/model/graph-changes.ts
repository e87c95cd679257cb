import type { NodeKind, NodeRows } from './nodes.ts';
import type { Relationship } from './relationships.ts';

/** The only columns that may change after a row is written; all are numbers in the database (text is append-only). */
export interface MutableColumns {
  readonly episode: 'expiredAt' | 'gate' | 'verified' | 'status';
  readonly segment: 'expiredAt';
  readonly profile: 'expiredAt';
  readonly fact: 'invalidAt' | 'expiredAt';
  readonly category: 'expiredAt' | 'staleSince';
  readonly failure: 'expiredAt';
  readonly correction: 'finishedAt' | 'undoneAt';
  readonly item: 'expiredAt';
}
export type MutableKind = keyof MutableColumns;

export type RowUpdate = {
  readonly [K in MutableKind]: {
    readonly kind: K;
    readonly id: string;
    readonly set: Partial<Pick<NodeRows[K], MutableColumns[K] & keyof NodeRows[K]>>;
  };
}[MutableKind];

export interface RowRemoval {
  readonly kind: NodeKind;
  readonly id: string;
}

/** Which relationship to take away; of ABOUT, that of every role. */
export type Unlink = Pick<Relationship, 'kind' | 'fromKind' | 'from' | 'toKind' | 'to'>;

export type NewNodes = { readonly [K in NodeKind]?: readonly NodeRows[K][] };

/** What one transaction writes. Applied in this order: unlinks, nodes, relationships, updates, removals. */
export interface GraphChanges {
  /**
   * Relationships that go, of nodes that stay. First of all, so that the same one can be written anew in one commit;
   * one that is not there is no error.
   */
  readonly unlinks?: readonly Unlink[];
  readonly nodes?: NewNodes;
  readonly relationships?: readonly Relationship[];
  readonly updates?: readonly RowUpdate[];
  /** A removed node takes its relationships with it. */
  readonly removals?: readonly RowRemoval[];
}

/** Rows of a scope by kind; 0 where there is none of a kind. */
export type NodeCounts = { readonly [K in NodeKind]: number };
