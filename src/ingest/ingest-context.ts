import type { Embedder } from '../inference/embedder.ts';
import type { Milliseconds, Scope } from '../model/ids.ts';
import type { ScopeIndex } from '../search/scope-index.ts';
import type { GraphStore } from '../store/graph-store.ts';
import type { Admission } from './admit/admission.ts';

/** What ingestion into one scope works with. The caller lets one ingestion of a scope run at a time. */
export interface IngestContext {
  readonly scope: Scope;
  readonly store: GraphStore;
  readonly index: ScopeIndex;
  readonly embedder: Embedder;
  readonly admission: Admission;
  /** How far a turn is read for facts (characters). Default: to its end. */
  readonly readUpTo?: ((content: string) => number) | undefined;
  readonly clock: () => Milliseconds;
  /** Globally unique and ascending in time. */
  readonly newId: () => string;
}

/** A clock that stands still: all that one call writes is of one time, and by that it is known as one. */
export function timeOfCall({ clock }: Pick<IngestContext, 'clock'>): IngestContext['clock'] {
  const now = clock();
  return () => now;
}
