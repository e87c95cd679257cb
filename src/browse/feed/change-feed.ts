import { InvalidInputError } from '../../errors/index.ts';
import type { CallOptions } from '../../model/call-options.ts';
import type { GraphChanges } from '../../model/graph-changes.ts';
import type { Milliseconds, Scope } from '../../model/ids.ts';
import type { TimeInput } from '../../model/time-input.ts';
import { ForwardingStore } from '../../store/forwarding-store.ts';
import type { GraphStore } from '../../store/graph-store.ts';
import { parseTimestamp } from '../../util/parse-timestamp.ts';
import { SerialQueue } from '../../util/serial-queue.ts';
import type { ChangeEvent, JointType } from './change-event.ts';
import { changeHistory } from './change-history.ts';
import { type ChangeDraft, type DescribedScope, describeChanges, draftsOf } from './describe-changes.ts';

interface Joint {
  commits: number;
  readonly counts: { rowsAdded: number; rowsRemoved: number; factsLearned: number; factsWithdrawn: number };
}

/** Reports the changes of commits to listeners, in commit order. Writers never wait for listeners. */
export class ChangeFeed {
  readonly #clock: () => Milliseconds;
  readonly #listeners = new Map<Scope, Set<ChangeListener>>();
  readonly #joint = new Map<Scope, Joint>();
  #isClosed = false;

  constructor(clock: () => Milliseconds = Date.now) {
    this.#clock = clock;
  }

  /** Creates a listener, which receives nothing until `open` is called. */
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

  hasListeners(scope: Scope): boolean {
    return this.#listenersOf(scope).size > 0;
  }

  /**
   * Prepares the events of a commit. Call it before the commit, because the committer may reuse the rows afterwards;
   * call the result after the commit has succeeded.
   */
  note(scope: Scope, changes: GraphChanges): () => void {
    const joint = this.#joint.get(scope);
    if (joint === undefined && this.#listenersOf(scope).size === 0) return () => undefined;
    const drafts = draftsOf(changes, this.#clock());
    const hasRemovals = (changes.removals ?? []).some(({ kind }) => kind !== 'embedding');
    return () => {
      if (hasRemovals) for (const listener of this.#listenersOf(scope)) listener.invalidate();
      if (joint !== undefined) add(joint, changes, drafts);
      this.#publish(scope, joint === undefined ? drafts : drafts.filter(({ type }) => type === 'corrected'));
    };
  }

  /**
   * Combines all commits of the scope during the job into one event with their counts, even if the job fails.
   * Corrections are still reported one by one.
   */
  async asOneEvent<T>(scope: Scope, type: JointType, job: () => Promise<T>): Promise<T> {
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
      if (commits > 0) this.#publish(scope, [{ type, at: this.#clock(), counts }]);
    }
  }

  /** Called before the store closes: readers receive the pending events, and then the end. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const listeners of this.#listeners.values())
      for (const listener of [...listeners]) await listener.finish().catch(() => listener.end());
  }

  #publish(scope: Scope, drafts: readonly ChangeDraft[]): void {
    for (const listener of this.#listenersOf(scope)) listener.push(drafts);
  }

  #listenersOf(scope: Scope): ReadonlySet<ChangeListener> {
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

/** Reports each commit to the feed. The row cache wraps it, so that the engine's store can still drop cached rows. */
export class ReportedStore extends ForwardingStore {
  readonly #feed: ChangeFeed;

  constructor(store: GraphStore, feed: ChangeFeed) {
    super(store);
    this.#feed = feed;
  }

  override async commit(scope: Scope, changes: GraphChanges): Promise<number> {
    const report = this.#feed.note(scope, changes);
    const sequence = await super.commit(scope, changes);
    report();
    return sequence;
  }
}

/**
 * What `MemoryScope.changes` reports: future changes; with `since` also past ones; with `follow: false` only past
 * ones (all of them without `since`). A `signal` that fires ends the iterable without an error.
 */
export interface ChangesOptions extends CallOptions {
  /** System time: changes from then on come first. Default: only future changes. */
  readonly since?: TimeInput | undefined;
  /** Whether future changes are reported too; otherwise the iterable ends after the last past one. Default true. */
  readonly follow?: boolean;
}

interface HeardScope extends DescribedScope {
  readonly store: GraphStore;
  readonly feed: ChangeFeed;
  /** Runs a job while nothing commits to the scope. */
  inTurn<T>(job: () => Promise<T>): Promise<T>;
}

/**
 * The changes of a scope. History is read while nothing commits, and the listener opens at that moment: no change is
 * reported twice or missed.
 */
export function listenToChanges(
  context: HeardScope,
  { since, signal, follow = true }: ChangesOptions,
): AsyncIterableIterator<ChangeEvent> {
  const from = since === undefined ? (follow ? null : Number.NEGATIVE_INFINITY) : readSince(since);
  const { listener, open } = context.feed.listener(context.scope, (drafts) =>
    describeChanges(context, drafts),
  );
  const stop = () => listener.end();
  listener.whenEnded(() => signal?.removeEventListener('abort', stop));
  if (signal?.aborted) stop();
  else signal?.addEventListener('abort', stop, { once: true });
  if (from === null) open();
  else
    listener.startWith(
      context.inTurn(async () => {
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

/** Changes that may wait for a reader; beyond that, it has to start again from the graph. */
const MOST_WAITING = 10_000;
const BATCH = 64;
/** Number of pending events that a slow reader still receives when the engine closes; the close waits for them. */
const MOST_AT_CLOSE = 1_000;

type Describe = (drafts: readonly ChangeDraft[]) => Promise<(ChangeEvent | null)[]>;

/**
 * One reader of the feed. Pending changes are stored as drafts without text; at most one batch is described, and it
 * is turned back into drafts when rows are removed, so that no forgotten text is reported.
 */
class ChangeListener implements AsyncIterableIterator<ChangeEvent> {
  readonly #describe: Describe;
  readonly #turns = new SerialQueue();
  #past: ChangeDraft[] = [];
  #waiting: ChangeDraft[] = [];
  #ready: { readonly draft: ChangeDraft; readonly event: ChangeEvent }[] = [];
  #removals = 0;
  #missedSince: number | null = null;
  #ignoresDrafts = false;
  #isEnding = false;
  #hasEnded = false;
  #describing: Promise<void> | null = null;
  #finishing: Promise<void> | null = null;
  #wake = () => {};
  #start: Promise<void> | null = null;
  readonly #whenEnded: (() => void)[] = [];

  constructor(describe: Describe) {
    this.#describe = describe;
  }

  whenEnded(job: () => void): void {
    this.#whenEnded.push(job);
  }

  /** Nothing is reported before this has settled; if it fails, so does the first `next`. */
  startWith(history: Promise<readonly ChangeDraft[]>): void {
    this.#start = history.then((past) => {
      this.#past = [...past];
    });
    this.#start.catch(() => undefined); // thrown by `next`
  }

  /** Ends the iteration after the history. */
  stopAfterHistory(): void {
    [this.#ignoresDrafts, this.#isEnding] = [true, true];
  }

  /** Never waits for the reader. */
  push(drafts: readonly ChangeDraft[]): void {
    if (this.#ignoresDrafts || drafts.length === 0) return;
    const room = MOST_WAITING - this.#waiting.length;
    for (const draft of drafts.slice(0, room)) this.#waiting.push(draft);
    const first = drafts[room];
    if (first !== undefined) this.#miss(first.at);
    this.#wake();
  }

  /** Discards descriptions, because rows were removed that they may quote. */
  invalidate(): void {
    this.#removals++;
    this.#past = [...this.#ready.map(({ draft }) => draft), ...this.#past];
    this.#ready = [];
  }

  next(): Promise<IteratorResult<ChangeEvent>> {
    return this.#turns.run(() => this.#next());
  }

  async return(): Promise<IteratorResult<ChangeEvent>> {
    this.end();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Ends at once; pending changes are dropped. */
  end(): void {
    if (this.#hasEnded) return;
    [this.#past, this.#waiting, this.#ready] = [[], [], []];
    [this.#ignoresDrafts, this.#hasEnded, this.#missedSince] = [true, true, null];
    for (const job of this.#whenEnded) job();
    this.#wake();
  }

  /** Called by the engine's close: accepts nothing more, and describes the pending drafts while the store is open. */
  finish(): Promise<void> {
    this.#ignoresDrafts = true;
    this.#finishing ??= this.#finish();
    return this.#finishing;
  }

  async #finish(): Promise<void> {
    await this.#start?.catch(() => undefined);
    await this.#describing?.catch(() => undefined);
    const waiting = [...this.#past.splice(0), ...this.#waiting.splice(0)];
    const described = waiting.slice(0, MOST_AT_CLOSE);
    this.#ready.push(...withEvents(described, await this.#describe(described)));
    const first = waiting[MOST_AT_CLOSE];
    if (first !== undefined) this.#missedSince = first.at;
    this.#isEnding = true;
    this.#wake();
  }

  async #next(): Promise<IteratorResult<ChangeEvent>> {
    await this.#start;
    for (;;) {
      const ready = this.#ready.shift();
      if (ready !== undefined) return { done: false, value: ready.event };
      if (this.#hasEnded) return { done: true, value: undefined };
      if (this.#finishing !== null && !this.#isEnding) await this.#finishing;
      else if (this.#past.length + this.#waiting.length > 0) await this.#describeNext();
      else if (this.#missedSince !== null)
        return { done: false, value: this.#missedEvent(this.#missedSince) };
      else if (this.#isEnding) this.end();
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }

  #describeNext(): Promise<void> {
    this.#describing = this.#describeSome();
    return this.#describing;
  }

  async #describeSome(): Promise<void> {
    const from = this.#past.length > 0 ? this.#past : this.#waiting;
    const drafts = from.splice(0, BATCH);
    const removals = this.#removals;
    const events = await this.#describe(drafts);
    if (this.#hasEnded) return;
    if (removals === this.#removals) this.#ready.push(...withEvents(drafts, events));
    else this.#past.unshift(...drafts);
  }

  #missedEvent(since: number): ChangeEvent {
    this.end();
    return { type: 'missed', at: since, since };
  }

  #miss(since: number): void {
    this.#missedSince = since;
    this.#ignoresDrafts = true;
  }
}

function withEvents(drafts: readonly ChangeDraft[], events: readonly (ChangeEvent | null)[]) {
  return drafts.flatMap((draft, place) => {
    const event = events[place] ?? null;
    return event === null ? [] : [{ draft, event }];
  });
}
