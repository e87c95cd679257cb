import type { Milliseconds, Scope } from '../../model/ids.ts';
import type { GraphStore } from '../../store/graph-store.ts';

/** Where a history is read from. */
export interface HistoryContext {
  readonly store: Pick<GraphStore, 'get' | 'scan' | 'relationships'>;
  readonly scope: Scope;
  readonly clock: () => Milliseconds;
}
