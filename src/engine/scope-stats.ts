import type { NodeCounts } from '../model/graph-changes.ts';
import { type LookBackOptions, readLookBack } from '../search/look-back.ts';
import { type EnrichmentState, enrichmentState } from './ingestion/failures.ts';
import { countThen } from './past/known-then.ts';
import type { ScopeSession } from './scope-session.ts';

/** Number of rows of each kind, superseded ones included, and of waiting turns. */
export interface ScopeStats extends NodeCounts {
  readonly enrichment: EnrichmentState;
}

/** Counts the rows of a scope, now or as of a time. */
export async function scopeStats(session: ScopeSession, options: LookBackOptions): Promise<ScopeStats> {
  const { store, scope } = session;
  const times = readLookBack(options);
  const isNow = times.asOf === null && times.knownAt === null;
  await session.whenSafe();
  const counts = isNow
    ? await store.count(scope)
    : await session.inTurn(() => countThen({ store, scope }, times));
  return { ...counts, enrichment: await enrichmentState(store, scope) };
}
