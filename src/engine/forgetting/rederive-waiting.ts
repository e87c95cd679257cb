import type { ForgetFallback } from '../../edit/forget/forget-event.ts';
import { type Forgetting, finalRecord, removalsDone, waitingToRederive } from '../../edit/forget/records.ts';
import type { Rederived } from '../../edit/rederive/rederive.ts';
import type { IngestContext } from '../../ingest/ingest-context.ts';
import type { CallOptions } from '../../model/call-options.ts';
import type { ScopeQueue } from '../scope-queue.ts';
import { fallbackFor, isFromOutside } from './fallback.ts';

/** How often other writes may overtake it; then it holds them up. */
const MOST_OVERTAKEN = 3;

/**
 * The second phase of forgetting: derives what the remaining turns give, for all forgettings that wait for it at once,
 * while searches and adds go on; then changes the graph, describes the categories that lost their name, and marks the
 * forgettings, between two writes. Requires that nobody consolidates meanwhile. Interrupted, it begins again.
 *
 * @throws CancelledError, and errors of the store.
 */
export async function rederiveWaiting(scope: ScopeQueue, { signal }: CallOptions): Promise<void> {
  for (let overtaken = 0; ; overtaken++) {
    const { index } = await scope.read();
    if (waitingToRederive(index.corrections.all).length === 0) return;
    const holdsUp = overtaken >= MOST_OVERTAKEN;
    const phase = new SecondPhase(scope, signal);
    const commits = scope.store.otherCommits;
    const isCurrent = () => holdsUp || scope.store.otherCommits === commits;
    if (!holdsUp) await phase.derive(await scope.read(), isCurrent);
    const isDone = await scope.write(
      async (context) => {
        if (!isCurrent()) return false;
        if (holdsUp) await phase.derive(context, isCurrent);
        await phase.swapIn(context);
        return true;
      },
      { alone: true, waits: false },
    );
    if (isDone) return;
  }
}

class SecondPhase {
  readonly #scope: ScopeQueue;
  readonly #signal: AbortSignal | undefined;
  #forgettings: readonly Forgetting[] = [];
  #derived: Rederived | null = null;
  readonly #fallbacks: ForgetFallback[] = [];

  constructor(scope: ScopeQueue, signal: AbortSignal | undefined) {
    this.#scope = scope;
    this.#signal = signal;
  }

  /** @param isCurrent Whether a failure counts: it may follow from rows that changed while they were read. */
  async derive(context: IngestContext, isCurrent: () => boolean): Promise<void> {
    const { afterRemoval } = this.#scope.engine;
    this.#forgettings = waitingToRederive(context.index.corrections.all);
    // After a coarse removal all turns wait to be read again.
    const exact = this.#forgettings.filter(({ detail: { coarse } }) => coarse !== true);
    if (afterRemoval === undefined || exact.length === 0) return;
    const options = { signal: this.#signal, reader: this.#scope.readings ?? undefined };
    await this.#attempt(
      'rederiving',
      async () => {
        this.#derived = await afterRemoval(context, removalsDone(exact), options);
      },
      isCurrent,
    );
  }

  async swapIn(context: IngestContext): Promise<void> {
    const { updateHierarchy, feed } = this.#scope.engine;
    const { scope } = this.#scope;
    const job = async () => {
      let current = await this.#changed(context);
      const hierarchy = updateHierarchy;
      if (hierarchy !== undefined && current.index.hierarchy.size > 0) {
        const isDone = await this.#attempt('hierarchy', () => hierarchy(current, { signal: this.#signal }));
        if (!isDone) current = await this.#scope.renewed(null);
      }
      await this.#note(current);
    };
    await (feed === undefined ? job() : feed.asOneEvent(scope, 'rederived', job));
    this.#scope.forgettings.report(this.#fallbacks);
  }

  /** The context after the change: its index follows, or another one is built while searches use the former. */
  async #changed(context: IngestContext): Promise<IngestContext> {
    if (this.#derived === null) return context;
    const { changes, isAppended } = this.#derived;
    await context.store.commit(context.scope, changes);
    if (!isAppended) return this.#scope.replacedIndex();
    context.index.apply(changes);
    return context;
  }

  async #note(context: IngestContext): Promise<void> {
    for (const { correction, detail } of this.#forgettings) {
      const changes = finalRecord(context, correction, { ...detail, regroup: [], rederivation: 'done' });
      await context.store.commit(context.scope, changes);
      context.index.apply(changes);
    }
  }

  async #attempt(
    step: ForgetFallback['step'],
    job: () => Promise<void>,
    isCurrent = () => true,
  ): Promise<boolean> {
    try {
      await job();
      return true;
    } catch (error) {
      if (isFromOutside(error)) throw error;
      if (isCurrent()) this.#fallbacks.push(fallbackFor(step, error));
      return false;
    }
  }
}
