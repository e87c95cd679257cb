import type { GraphChanges } from '../model/graph-changes.ts';
import type { Scope } from '../model/ids.ts';
import type { ScopeState } from './scope-state.ts';

/** A commit of any process, as the log tells it. Rows are as they are now; those that are gone are left out. */
export interface LoggedCommit {
  readonly state: ScopeState;
  readonly changes: GraphChanges;
}

/** Tells that a process committed. It may be late or missing: what it leads to must not depend on it. */
export interface CommitNotice {
  readonly scope: Scope;
  readonly sequence: number;
}

/**
 * What a process can hold of a scope, alone among all processes: `writer`, to write several commits that nobody else's
 * come between; `worker`, to consolidate its turns.
 */
export type LeaseKind = 'writer' | 'worker';

/** An index snapshot in the database, and the state of the scope that it was made of. */
export interface SharedSnapshot {
  readonly state: ScopeState;
  readonly bytes: Uint8Array;
}

/** Index snapshots, at most one for each scope. They hold words of the scope. */
export interface SharedSnapshots {
  read(scope: Scope): Promise<SharedSnapshot | null>;
  /** The state of the snapshot that is kept, if there is one. */
  stateOf(scope: Scope): Promise<ScopeState | null>;
  /** Keeps a snapshot if the scope is still in its state: a forgetting may have come in between. Returns whether it did. */
  write(scope: Scope, snapshot: SharedSnapshot): Promise<boolean>;
  remove(scope: Scope): Promise<void>;
}

/** What a store offers in addition if several processes use it at once. */
export interface StoreSharing {
  /**
   * As `GraphStore.commit`, if the scope is still in the state `after` and no other process holds the writer's lease.
   * With null, any state will do.
   *
   * @throws CommitConflictError: nothing was written.
   */
  commitAfter(scope: Scope, changes: GraphChanges, after: ScopeState | null): Promise<ScopeState>;

  /**
   * The commits after a state, oldest first. Null if the log does not tell: it was cut, or the state is not one of this
   * history, as after a restored backup or a failover.
   */
  commitsSince(scope: Scope, state: ScopeState): Promise<readonly LoggedCommit[] | null>;

  /** The last commits of these scopes; those without commits are left out. */
  states(scopes: readonly Scope[]): Promise<ReadonlyMap<Scope, ScopeState>>;

  /**
   * Takes or renews a lease; it ends after `leaseMilliseconds` of the database's clock. Returns whether this process
   * holds it now.
   */
  takeLease(scope: Scope, kind: LeaseKind): Promise<boolean>;
  endLease(scope: Scope, kind: LeaseKind): Promise<void>;
  readonly leaseMilliseconds: number;

  readonly snapshots: SharedSnapshots;

  /**
   * Calls `heard` after commits of other processes; with null if some may have been missed. Listens again after a lost
   * connection. The result ends it.
   */
  listen(heard: (notice: CommitNotice | null) => void): () => Promise<void>;
}
