import { setTimeout as wait } from 'node:timers/promises';
import { CommitConflictError } from '../errors/index.ts';
import type { GraphChanges } from '../model/graph-changes.ts';
import type { Scope } from '../model/ids.ts';
import { ForwardingStore } from './forwarding-store.ts';
import type { GraphStore, ScopeState } from './graph-store.ts';
import type { CommitNotice, StoreSharing } from './store-sharing.ts';

/** A commit that builds on no reading waits this often for a process that holds the scope. */
const MOST_WAITS = 100;
const WAIT_MILLISECONDS = 200;

/** Commits to a scope in any state, and waits while another process holds it. */
class UnreadStore extends ForwardingStore {
  override async commit(scope: Scope, changes: GraphChanges): Promise<number> {
    for (let waits = 0; ; waits++) {
      try {
        return await super.commit(scope, changes);
      } catch (error) {
        if (!CommitConflictError.isInstance(error) || waits === MOST_WAITS) throw error;
      }
      await wait(WAIT_MILLISECONDS);
    }
  }
}

/**
 * The store of several processes, as one of them uses it: knows which commit of each scope this process has read last,
 * and commits only on top of that one.
 */
export class SharedStore extends ForwardingStore {
  readonly port: StoreSharing;
  /** The same store for work whose commits build on nothing that was read, such as those of vectors. */
  readonly unread: GraphStore;
  readonly #seen = new Map<Scope, ScopeState>();
  readonly #commits = new Map<Scope, number>();
  readonly #watchers = new Map<Scope, () => void>();
  readonly #stopListening: () => Promise<void>;

  constructor(store: GraphStore, port: StoreSharing) {
    super(store);
    this.port = port;
    this.unread = new UnreadStore(store);
    this.#stopListening = port.listen((notice) => this.#hear(notice));
  }

  /** The store as it is for all processes, whatever this one has read. */
  get whole(): GraphStore {
    return this.store;
  }

  /** The state that this process has read the scope in; undefined if it holds nothing of it. */
  seen(scope: Scope): ScopeState | undefined {
    return this.#seen.get(scope);
  }

  /** Notes what was read; null for nothing any more. */
  noteSeen(scope: Scope, state: ScopeState | null): void {
    if (state === null) this.#seen.delete(scope);
    else this.#seen.set(scope, state);
  }

  /** Number of commits of this process. */
  commitsOf(scope: Scope): number {
    return this.#commits.get(scope) ?? 0;
  }

  /** Calls `newer` when the scope may have commits that this process has not read. */
  watch(scope: Scope, newer: () => void): void {
    this.#watchers.set(scope, newer);
  }

  unwatch(scope: Scope): void {
    this.#watchers.delete(scope);
    this.#seen.delete(scope);
    this.#commits.delete(scope);
  }

  /** The state that this process has read, if it holds the scope. */
  override async state(scope: Scope): Promise<ScopeState> {
    return this.#seen.get(scope) ?? super.state(scope);
  }

  override async commit(scope: Scope, changes: GraphChanges): Promise<number> {
    const after = this.#seen.get(scope);
    if (after === undefined) return this.unread.commit(scope, changes);
    const state = await this.port.commitAfter(scope, changes, after);
    this.#seen.set(scope, state);
    this.#commits.set(scope, this.commitsOf(scope) + 1);
    return state.sequence;
  }

  override async close(): Promise<void> {
    await this.#stopListening();
    await super.close();
  }

  #hear(notice: CommitNotice | null): void {
    if (notice === null)
      void this.#look().catch(() => undefined); // it looks again soon
    else if (notice.sequence > (this.#seen.get(notice.scope)?.sequence ?? Infinity))
      this.#watchers.get(notice.scope)?.();
  }

  async #look(): Promise<void> {
    const scopes = [...this.#seen.keys()];
    for (const [scope, { token }] of await this.port.states(scopes)) {
      const seen = this.#seen.get(scope);
      if (seen !== undefined && seen.token !== token) this.#watchers.get(scope)?.();
    }
  }
}
