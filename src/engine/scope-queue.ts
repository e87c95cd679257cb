import { CommitConflictError, InvalidInputError } from '../errors/index.ts';
import type { IngestContext } from '../ingest/ingest-context.ts';
import type { GraphChanges } from '../model/graph-changes.ts';
import type { Scope } from '../model/ids.ts';
import type { NodeKind, NodeRows } from '../model/nodes.ts';
import type { ScopeState } from '../store/graph-store.ts';
import type { LoggedCommit } from '../store/store-sharing.ts';
import { Breather } from '../util/breathe.ts';
import { SerialQueue } from '../util/serial-queue.ts';
import type { EngineContext } from './engine-context.ts';
import { PendingForgettings } from './forgetting/pending-forgettings.ts';
import { HeldScope } from './held-scope.ts';
import type { LoadedIndex } from './index-cache.ts';
import type { Resident } from './scope-residency.ts';
import type { LeaseOptions } from './sharing/scope-sharing.ts';
import { canFollow, withVectorsOf } from './sharing/scope-sharing.ts';
import type { WritableScope } from './writable-scope.ts';

/** A scope that was used within this time follows the commits of other processes as they come. */
const HOT_MS = 2_000;
const DELETED = 'This scope was deleted; engine.scope(name) gives a new, empty memory of its name';

interface WriteOptions {
  /** Whether the job commits more than once, so that no other process may commit in between. */
  readonly alone?: boolean;
  /**
   * Whether to read the commits of other processes before, even without a notice of one; if not, the commit finds out.
   */
  readonly asks?: boolean;
  /** Whether the job waits until what earlier forgettings left to derive is derived. Default: true. */
  readonly waits?: boolean;
}

/** Reads and writes of one scope in order: one write at a time, over the newest commit; searches do not wait for it. */
export abstract class ScopeQueue extends HeldScope implements WritableScope, Resident {
  readonly forgettings = new PendingForgettings(this);
  readonly #jobs = new SerialQueue();
  /** Yields between adds in a loop, in case neither store nor embedder yields. */
  readonly #breather = new Breather();
  /** Whether the turns that waited at opening were scheduled. */
  #isOpened = false;
  #isCatchingUp = false;
  #isDeleted = false;
  /** Whether other processes have committed since. */
  #isBehind = false;
  /** Time of the last use that read the index. */
  #usedAt = Number.NEGATIVE_INFINITY;

  constructor(scope: Scope, engine: EngineContext) {
    super(scope, engine);
    const self = new WeakRef(this); // who watches does not keep the scope
    engine.shared?.watch(scope, () => {
      const queue = self.deref();
      if (queue !== undefined) queue.#catchUp();
    });
  }

  /** Whether running work depends on what memory contained when it began. */
  protected abstract get isAtWork(): boolean;

  /** Called with the first index that was loaded. */
  protected abstract opened(loaded: LoadedIndex): void;

  /** Called with each commit of another process, after the index has followed it. */
  protected abstract followed(changes: GraphChanges): void;

  /** Drops the text that is not needed while nobody uses the scope. */
  protected abstract releaseWork(): void;

  /** Resolves when what forgettings left to derive is derived. @throws Errors of the store if `insists`. */
  abstract whenDerived(options?: { readonly insists?: boolean }): Promise<void>;

  get isHiding(): boolean {
    return this.forgettings.isHiding;
  }

  /** The current index and the embedder of its vectors, without waiting for writes. */
  async read(): Promise<IngestContext> {
    return this.over(await this.load());
  }

  /** Runs a job over the scope while no other writer runs. */
  async write<T>(
    job: (context: IngestContext) => Promise<T>,
    { alone = false, asks = true, waits = true }: WriteOptions = {},
  ): Promise<T> {
    if (waits) await this.whenDerived();
    const attempt = async () => {
      await this.#breather.breathe();
      const loaded = await (asks || this.#isBehind ? this.#loadNewest() : this.#loadFirst());
      const before = await this.store.state(this.scope);
      try {
        return await job(this.over(loaded));
      } catch (error) {
        if (CommitConflictError.isInstance(error)) this.#isBehind = true;
        await this.#invalidateIndex(before);
        throw error;
      }
    };
    return this.inTurn(() => (alone ? this.sharing.alone(attempt) : this.sharing.attempt(attempt)));
  }

  /** Runs a job between two writes, over what memory holds then. */
  look<T>(job: (context: IngestContext) => Promise<T>): Promise<T> {
    return this.inTurn(async () => job(this.over(await this.#loadFirst())));
  }

  /** Rows by id, in the order of the ids; those that the scope does not have are left out. */
  rows<Kind extends NodeKind>(kind: Kind, ids: readonly string[]): Promise<NodeRows[Kind][]> {
    return this.inTurn(() => this.store.get(this.scope, kind, ids));
  }

  /** Runs a job between two writes, when interrupted forgettings are completed or hidden. */
  inTurn<T>(job: () => Promise<T>): Promise<T> {
    return this.exclusively(async () => {
      if (this.#isDeleted) throw new InvalidInputError(DELETED);
      await this.forgettings.settle();
      return job();
    });
  }

  /** Runs after queued jobs, and never while the embedder is replaced. */
  exclusively<T>(job: () => Promise<T>): Promise<T> {
    return this.#jobs.run(() => this.engine.embedding.gate.shared(job));
  }

  asWorker<T>(job: () => Promise<T>, options?: LeaseOptions): Promise<T> {
    return this.sharing.asWorker(job, options);
  }

  /** As `asWorker`, over the newest commit. */
  asNewestWorker<T>(job: () => Promise<T>, options?: LeaseOptions): Promise<T> {
    return this.sharing.asWorker(async () => {
      await this.loadNewest();
      return job();
    }, options);
  }

  committed(changes: GraphChanges): Promise<void> {
    return this.recalled.follow(changes);
  }

  /** Runs between two writes, so that no commit happens while the index loads. */
  async load(): Promise<LoadedIndex> {
    this.engine.residency?.touch(this);
    this.#usedAt = performance.now();
    if (this.#isBehind) return this.loadNewest();
    return this.index.requested ?? this.inTurn(() => this.#loadFirst());
  }

  /** As `load`, with the commits of other processes. */
  loadNewest(): Promise<LoadedIndex> {
    return this.inTurn(() => this.#loadNewest());
  }

  /** Saves the index for a quick next open, after the jobs that were queued. */
  async saveIndex(): Promise<void> {
    await this.#jobs.drain();
    if (this.index.loaded === null) return;
    await this.inTurn(async () => {
      if (!this.isHiding) await this.index.save(); // otherwise it lacks rows of the graph
    });
  }

  /** @throws ForgettingStoppedError: the remaining rows stay hidden. */
  async settle(): Promise<void> {
    await this.exclusively(() => this.forgettings.settle({ insists: true }));
    await this.whenDerived({ insists: true });
  }

  /** Runs before rows are read outside the queue: rows to be forgotten are then removed or hidden. */
  async whenSafe(): Promise<void> {
    if (!this.forgettings.isSafe) await this.inTurn(async () => undefined);
  }

  /** Refuses every further job. */
  end(): void {
    this.#isDeleted = true;
  }

  heldBytes(): number {
    return (this.index.loaded?.index.bytes ?? 0) + (this.readings?.bytes ?? 0);
  }

  /** Drops all text of the scope from memory; the next use loads it from the snapshot and the graph. */
  release(): Promise<boolean> {
    return this.inTurn(async () => {
      if (this.#isInUse) return false;
      await this.index.save();
      if (this.#isInUse) return false; // work began on the index while it was saved
      this.index.release();
      this.known.drop();
      this.queries.drop();
      this.rewriter.drop();
      this.recalled.forget();
      this.readings?.clear();
      this.releaseWork();
      this.store.dropCaches(this.scope);
      return true;
    });
  }

  get #isInUse(): boolean {
    const { shared, feed } = this.engine;
    return (
      this.isAtWork || this.isHiding || (shared !== undefined && feed?.hasListeners(this.scope) === true)
    );
  }

  /** After a write failed following its commit, the index lags behind the graph. */
  async #invalidateIndex(before: ScopeState): Promise<void> {
    const after = await this.store.state(this.scope).catch(() => null);
    if (after?.token !== before.token) this.index.invalidate();
  }

  async #loadFirst(): Promise<LoadedIndex> {
    const loaded = await this.index.load();
    this.engine.residency?.touch(this);
    if (this.#isOpened) return loaded;
    this.#isOpened = true;
    this.opened(loaded);
    return loaded;
  }

  async #loadNewest(): Promise<LoadedIndex> {
    const loaded = await this.#loadFirst();
    this.#isBehind = false;
    const commits = await this.sharing.newer().catch((error: unknown) => {
      this.#isBehind = true;
      throw error;
    });
    if (commits === null || !commits.every(canFollow)) {
      await this.forgettings.readAgain();
      this.store.otherCommits += 1;
      for (const { changes } of commits ?? []) this.engine.feed?.note(this.scope, changes)();
      return this.#loadFirst();
    }
    for (const commit of commits) await this.#follow(loaded, commit);
    return loaded;
  }

  async #follow({ index, embedding }: LoadedIndex, { changes, state }: LoggedCommit): Promise<void> {
    const followed = withVectorsOf(changes, embedding);
    await index.prepare(followed);
    index.apply(followed);
    this.sharing.noteSeen(state);
    this.store.dropCaches(this.scope, changes.updates ?? []);
    await this.recalled.follow(changes);
    this.store.note(changes);
    this.followed(changes);
    this.engine.feed?.note(this.scope, changes)();
  }

  /** Reads what other processes committed: at once, in the background, if the scope is in use; else at its next use. */
  #catchUp(): void {
    this.#isBehind = true;
    const isHot = performance.now() - this.#usedAt < HOT_MS || this.engine.feed?.hasListeners(this.scope);
    if (this.#isCatchingUp || !isHot || this.index.loaded === null) return;
    this.#isCatchingUp = true;
    const job = async () => {
      this.#isCatchingUp = false;
      if (this.index.loaded !== null) await this.#loadNewest();
    };
    // A failure is that of the next use, too.
    this.inTurn(job).catch(() => {
      this.#isCatchingUp = false;
    });
  }
}
