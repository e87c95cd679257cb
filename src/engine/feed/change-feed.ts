import type { GraphChanges } from '../../model/graph-changes.ts';
import type { Milliseconds, Scope } from '../../model/ids.ts';
import { type ChangeDraft, draftsOf } from './change-draft.ts';
import type { JointType } from './change-event.ts';
import { ChangeListener, type Describe } from './change-listener.ts';

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
