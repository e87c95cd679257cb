import { setTimeout as wait } from 'node:timers/promises';
import { CancelledError, CommitConflictError } from '../../errors/index.ts';
import type { EmbeddingInUse } from '../../inference/embedder/embedding-switch.ts';
import type { GraphChanges } from '../../model/graph-changes.ts';
import type { Scope } from '../../model/ids.ts';
import { embeddingModel, type ScopeState } from '../../store/graph-store.ts';
import type { SharedStore } from '../../store/shared-store.ts';
import type { LeaseKind, LoggedCommit } from '../../store/store-sharing.ts';
import { SerialQueue } from '../../util/serial-queue.ts';

export interface LeaseOptions {
  /** Ends the waiting for another process. */
  readonly signal?: AbortSignal | undefined;
}

/** How one scope is used beside other processes. */
export interface ScopeSharing {
  /** The commits of other processes since this one read the scope; null if it has to read it again. */
  newer(): Promise<readonly LoggedCommit[] | null>;
  /** Records the last commit that the index holds; null: no index is loaded. */
  noteSeen(state: ScopeState | null): void;
  /** The sequence of the last commit that the index holds; undefined for a memory that this process has alone. */
  readonly sequence: number | undefined;
  /** Runs a job that commits once; if another process commits first, runs it again. */
  attempt<T>(job: () => Promise<T>): Promise<T>;
  /** Runs a job while no other process commits to the scope. */
  alone<T>(job: () => Promise<T>): Promise<T>;
  /** Runs a job while no other process consolidates the scope. */
  asWorker<T>(job: () => Promise<T>, options?: LeaseOptions): Promise<T>;
}

/** For a memory that only this process uses. */
export const SOLE_PROCESS: ScopeSharing = {
  newer: async () => [],
  noteSeen: () => undefined,
  sequence: undefined,
  attempt: (job) => job(),
  alone: (job) => job(),
  asWorker: (job) => job(),
};

/** A job that lost so often keeps the others out the next time, so that each process gets its turn. */
const LOST_BEFORE_ALONE = 2;
const MOST_TRIES = 6;
const FIRST_PAUSE = 20;
const LONGEST_PAUSE = 1_000;

/** One scope of a store of several processes (docs/decisions/2026-11-28-many-processes.md). */
export class SharedScope implements ScopeSharing {
  readonly #scope: Scope;
  readonly #store: SharedStore;
  readonly #leases: Readonly<Record<LeaseKind, HeldLease>>;

  constructor(scope: Scope, store: SharedStore) {
    this.#scope = scope;
    this.#store = store;
    const lease = (kind: LeaseKind) => new HeldLease(store, scope, kind);
    this.#leases = { writer: lease('writer'), worker: lease('worker') };
  }

  get sequence(): number | undefined {
    return this.#store.seen(this.#scope)?.sequence;
  }

  async newer(): Promise<readonly LoggedCommit[] | null> {
    const seen = this.#store.seen(this.#scope);
    return seen === undefined ? null : this.#store.port.commitsSince(this.#scope, seen);
  }

  noteSeen(state: ScopeState | null): void {
    this.#store.noteSeen(this.#scope, state);
  }

  async attempt<T>(job: () => Promise<T>): Promise<T> {
    const lost = await this.#try(job, LOST_BEFORE_ALONE);
    return 'result' in lost ? lost.result : this.alone(job);
  }

  alone<T>(job: () => Promise<T>): Promise<T> {
    return this.#leases.writer.hold(async () => {
      const done = await this.#try(job, MOST_TRIES); // a commit that had begun before the lease may still win
      if ('result' in done) return done.result;
      throw done.error;
    });
  }

  asWorker<T>(job: () => Promise<T>, options?: LeaseOptions): Promise<T> {
    return this.#leases.worker.hold(job, options);
  }

  /** Tries a job again as long as nothing of it is stored. */
  async #try<T>(job: () => Promise<T>, tries: number): Promise<{ result: T } | { error: unknown }> {
    let error: unknown = null;
    for (let pause = FIRST_PAUSE; tries > 0; tries--, pause = Math.min(2 * pause, LONGEST_PAUSE)) {
      const commits = this.#store.commitsOf(this.#scope);
      try {
        return { result: await job() };
      } catch (failure) {
        const isLost = CommitConflictError.isInstance(failure);
        if (!isLost || this.#store.commitsOf(this.#scope) !== commits) throw failure;
        error = failure;
      }
      await wait(pause * Math.random());
    }
    return { error };
  }
}

/** A lease of this process on a scope, for any number of its jobs. Renewed until the last of them ends. */
class HeldLease {
  readonly #store: SharedStore;
  readonly #scope: Scope;
  readonly #kind: LeaseKind;
  /** Taking and ending, one after the other. */
  readonly #changes = new SerialQueue();
  #jobs = 0;
  #heartbeat: NodeJS.Timeout | null = null;

  constructor(store: SharedStore, scope: Scope, kind: LeaseKind) {
    this.#store = store;
    this.#scope = scope;
    this.#kind = kind;
  }

  async hold<T>(job: () => Promise<T>, { signal }: LeaseOptions = {}): Promise<T> {
    for (let pause = FIRST_PAUSE; !(await this.#take()); pause = Math.min(2 * pause, LONGEST_PAUSE)) {
      await wait(pause, undefined, { signal }).catch(() => {
        throw new CancelledError('another process was at work; memory is unchanged', signal?.reason);
      });
    }
    try {
      return await job();
    } finally {
      await this.#changes.run(() => this.#leave());
    }
  }

  #take(): Promise<boolean> {
    return this.#changes.run(async () => {
      const { port } = this.#store;
      if (this.#jobs === 0 && !(await port.takeLease(this.#scope, this.#kind))) return false;
      this.#jobs += 1;
      // A renewal that fails costs the lease, not the work: what is committed is compared all the same.
      const renew = () => void port.takeLease(this.#scope, this.#kind).catch(() => undefined);
      this.#heartbeat ??= setInterval(renew, port.leaseMilliseconds / 3).unref();
      return true;
    });
  }

  /** A lease that cannot be ended ends with its time. */
  async #leave(): Promise<void> {
    this.#jobs -= 1;
    if (this.#jobs > 0) return;
    if (this.#heartbeat !== null) clearInterval(this.#heartbeat);
    this.#heartbeat = null;
    await this.#store.port.endLease(this.#scope, this.#kind).catch(() => undefined);
  }
}

/**
 * Whether an index can follow a commit of another process. It is read again after removals, because it may hold their
 * words; after an unfinished forgetting; and where expired rows came back, which an index does not hold.
 */
export function canFollow({ changes: { nodes = {}, updates = [], removals = [] } }: LoggedCommit): boolean {
  const comesBack = ({ set }: (typeof updates)[number]) => 'expiredAt' in set && set.expiredAt === null;
  return (
    removals.every(({ kind }) => kind === 'embedding') &&
    !(nodes.correction ?? []).some(({ kind, finishedAt }) => kind === 'forget' && finishedAt === null) &&
    !updates.some(comesBack)
  );
}

/** The changes without the vectors of other embedders. */
export function withVectorsOf(
  changes: GraphChanges,
  { embedder, comparesVectors }: EmbeddingInUse,
): GraphChanges {
  const { nodes = {} } = changes;
  const model = embeddingModel(embedder.fingerprint);
  const embedding = (nodes.embedding ?? []).filter((row) => comparesVectors && row.model === model);
  return { ...changes, nodes: { ...nodes, embedding } };
}
