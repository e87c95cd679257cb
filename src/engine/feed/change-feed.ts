import { InvalidInputError } from '../../errors/index.ts';
import type { GraphChanges } from '../../model/graph-changes.ts';
import type { Milliseconds, Scope } from '../../model/ids.ts';
import type { TimeInput } from '../../model/time-input.ts';
import type { GraphStore } from '../../store/graph-store.ts';
import { parseTimestamp } from '../../util/parse-timestamp.ts';
import type { CallOptions } from '../call-options.ts';
import type { ChangeEvent, JointType } from './change-event.ts';
import { changeHistory } from './change-history.ts';
import { ChangeListener, type Describe } from './change-listener.ts';
import { type ChangeDraft, type DescribeContext, describeChanges, draftsOf } from './describe-changes.ts';

interface Joint {
  commits: number;
  readonly counts: { rowsAdded: number; rowsRemoved: number; factsLearned: number; factsWithdrawn: number };
}

/** Tells listeners what commits change, in the order of the commits. Whoever commits never waits for them. */
export class ChangeFeed {
  readonly #clock: () => Milliseconds;
  readonly #listeners = new Map<Scope, Set<ChangeListener>>();
  readonly #joint = new Map<Scope, Joint>();
  #isClosed = false;

  constructor(clock: () => Milliseconds = Date.now) {
    this.#clock = clock;
  }

  /** A listener that `open` has not opened hears nothing yet. */
  listener(scope: Scope, describe: Describe): { listener: ChangeListener; open: () => void } {
    const listeners = this.#listeners.get(scope) ?? new Set();
    this.#listeners.set(scope, listeners);
    const listener = new ChangeListener(describe);
    listener.whenEnded(() => void listeners.delete(listener));
    if (this.#isClosed) listener.end();
    const open = () => {
      if (!this.#isClosed) listeners.add(listener);
    };
    return { listener, open };
  }

  /**
   * What a commit tells, to be asked before it: its rows are the committer's own again once it has begun. Call the
   * result when it has succeeded.
   */
  note(scope: Scope, changes: GraphChanges): () => void {
    const joint = this.#joint.get(scope);
    if (joint === undefined && this.#heardBy(scope).size === 0) return () => undefined;
    const drafts = draftsOf(changes, this.#clock());
    const hasRemovals = (changes.removals ?? []).some(({ kind }) => kind !== 'embedding');
    return () => {
      if (hasRemovals) for (const listener of this.#heardBy(scope)) listener.invalidate();
      if (joint !== undefined) add(joint, changes, drafts);
      this.#tell(scope, joint === undefined ? drafts : drafts.filter(({ type }) => type === 'ruled'));
    };
  }

  /**
   * All commits of the scope during the job are one event with their counts, also when the job fails half-way; but for
   * corrections, which are told as ever.
   */
  async asOne<T>(scope: Scope, type: JointType, job: () => Promise<T>): Promise<T> {
    const joint: Joint = {
      commits: 0,
      counts: { rowsAdded: 0, rowsRemoved: 0, factsLearned: 0, factsWithdrawn: 0 },
    };
    this.#joint.set(scope, joint);
    try {
      return await job();
    } finally {
      this.#joint.delete(scope);
      const { commits, counts } = joint;
      if (commits > 0) this.#tell(scope, [{ type, at: this.#clock(), counts }]);
    }
  }

  /** Before the store closes: readers still get what was told, and then an end. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const listeners of this.#listeners.values())
      for (const listener of [...listeners]) await listener.finish().catch(() => listener.end());
  }

  #tell(scope: Scope, drafts: readonly ChangeDraft[]): void {
    for (const listener of this.#heardBy(scope)) listener.push(drafts);
  }

  #heardBy(scope: Scope): ReadonlySet<ChangeListener> {
    return this.#listeners.get(scope) ?? NOBODY;
  }
}

const NOBODY: ReadonlySet<ChangeListener> = new Set();

function add(
  joint: Joint,
  { nodes = {}, removals = [] }: GraphChanges,
  drafts: readonly ChangeDraft[],
): void {
  const { counts } = joint;
  joint.commits++;
  for (const [kind, rows] of Object.entries(nodes)) if (kind !== 'embedding') counts.rowsAdded += rows.length;
  counts.rowsRemoved += removals.filter(({ kind }) => kind !== 'embedding').length;
  counts.factsLearned += drafts.filter(({ type }) => type === 'fact').length;
  counts.factsWithdrawn += drafts.filter(({ type }) => type === 'withdrawn').length;
}

/**
 * A store whose commits the feed tells: the one place where all of them pass. It stands inside of what keeps rows in
 * memory, so that the engine's store is still the one that can be asked to drop them.
 */
export function watchedStore(store: GraphStore, feed: ChangeFeed): GraphStore {
  const commit = async (scope: Scope, changes: GraphChanges): Promise<number> => {
    const tell = feed.note(scope, changes);
    const sequence = await store.commit(scope, changes);
    tell();
    return sequence;
  };
  return new Proxy(store, {
    get(target, name) {
      if (name === 'commit') return commit;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

/**
 * What `MemoryScope.changes` tells: what is to come, with `since` what was before as well, with `follow: false` the
 * past alone (all of it, where `since` is left out). A `signal` that fires ends the iterable without an error.
 */
export interface ChangesOptions extends CallOptions {
  /** System time: what changed from then on comes first. Default: only what changes from now on. */
  readonly since?: TimeInput | undefined;
  /** Whether changes to come are told too; else the iterable ends with the last one that was made. Default true. */
  readonly follow?: boolean;
}

interface ListenContext extends DescribeContext {
  readonly store: GraphStore;
  readonly scope: Scope;
  readonly feed: ChangeFeed;
  /** Runs a job while nothing commits to the scope. */
  readonly inTurn: <T>(job: () => Promise<T>) => Promise<T>;
}

/**
 * The changes of a scope. History is read while nothing commits, and what is committed afterwards is heard from the
 * same moment on: nothing is told twice or left out.
 */
export function listenToChanges(
  context: ListenContext,
  { since, signal, follow = true }: ChangesOptions,
): AsyncIterableIterator<ChangeEvent> {
  const from = since === undefined ? (follow ? null : Number.NEGATIVE_INFINITY) : readSince(since);
  const { feed, scope, inTurn } = context;
  const { listener, open } = feed.listener(scope, (drafts) => describeChanges(context, drafts));
  const stop = () => listener.end();
  listener.whenEnded(() => signal?.removeEventListener('abort', stop));
  if (signal?.aborted) stop();
  else signal?.addEventListener('abort', stop, { once: true });
  if (from === null) open();
  else
    listener.startWith(
      inTurn(async () => {
        const history = await changeHistory(context, from);
        if (follow) open();
        return history;
      }),
    );
  if (!follow) listener.stopAfterHistory();
  return listener;
}

function readSince(since: unknown): Milliseconds {
  const isTime = typeof since === 'string' || typeof since === 'number' || since instanceof Date;
  const time = isTime ? parseTimestamp(since) : null;
  if (time === null)
    throw new InvalidInputError(
      'since is not a time; give a Date, milliseconds, or text such as "2023-05-08"',
    );
  return time;
}
