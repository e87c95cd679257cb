import type { Embedder } from '../inference/embedder.ts';
import type { Milliseconds, Scope } from '../model/ids.ts';
import type { ScopeIndex } from '../search/scope-index.ts';
import type { GraphStore } from '../store/graph-store.ts';
import type { Admission } from './admit/admission.ts';

/** The rows of one scope. */
export interface StoredScope {
  readonly scope: Scope;
  readonly store: GraphStore;
}

/** A scope as its readers see it: its rows, the index that follows them, and the time. */
export interface IndexedScope extends StoredScope {
  readonly index: ScopeIndex;
  readonly clock: () => Milliseconds;
}

/** What ingestion into one scope needs. The caller runs one ingestion per scope at a time. */
export interface IngestContext extends IndexedScope {
  readonly embedder: Embedder;
  readonly admission: Admission;
  /** Number of characters of a turn that are read for facts. Default: all. */
  readonly readUpTo?: ((content: string) => number) | undefined;
  /** Globally unique and ascending in time. */
  readonly newId: () => string;
}

/**
 * Returns a clock that is fixed at the current time. All rows of one call get this time, which identifies them as one
 * call.
 */
export function fixedClock({ clock }: Pick<IngestContext, 'clock'>): IngestContext['clock'] {
  const now = clock();
  return () => now;
}
