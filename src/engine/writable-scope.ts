import type { IngestContext } from '../ingest/ingest-context.ts';
import type { GraphChanges } from '../model/graph-changes.ts';
import type { LeaseOptions } from './sharing/scope-sharing.ts';

/** For writes that a re-derivation may wait for, and those that it does not concern. */
export const AT_ONCE = { waits: false } as const;

/** One scope as its background work sees it. */
export interface WritableScope {
  /** Whether rows of the graph are hidden because they could not be removed yet. */
  readonly isHiding: boolean;
  read(): Promise<IngestContext>;
  /** Runs a job while no other writer runs; `waits`: after what forgettings left to derive is derived (default). */
  write<T>(job: (context: IngestContext) => Promise<T>, options?: { readonly waits?: boolean }): Promise<T>;
  /** Runs a job while no other process consolidates the scope. */
  asWorker<T>(job: () => Promise<T>, options?: LeaseOptions): Promise<T>;
  /** Called after each commit. */
  committed(changes: GraphChanges): Promise<void>;
}

/** The scope of a writer that is alone: its context is read and written as it is. */
export class ScopeInHand implements WritableScope {
  readonly isHiding = false;
  readonly #context: IngestContext;

  constructor(context: IngestContext) {
    this.#context = context;
  }

  async read(): Promise<IngestContext> {
    return this.#context;
  }

  write<T>(job: (context: IngestContext) => Promise<T>): Promise<T> {
    return job(this.#context);
  }

  asWorker<T>(job: () => Promise<T>): Promise<T> {
    return job();
  }

  async committed(): Promise<void> {}
}
