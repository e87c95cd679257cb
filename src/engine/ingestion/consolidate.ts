import { follow } from '../../util/follow.ts';
import type { FlushOptions } from '../call-options.ts';
import { Run } from '../run.ts';
import type { ScopeSession } from '../scope-session.ts';
import type { EnrichmentReport, ResumeEvent, ResumeOptions } from './enrichment-report.ts';
import { retryChanges } from './failures.ts';

/** Consolidates all waiting turns, as at the end of a session, and saves the index. */
export async function flush(session: ScopeSession, options: FlushOptions): Promise<EnrichmentReport> {
  await retryForgetting(session);
  const report = await session.ingestion.enrich({ ...options, ended: true });
  await session.saveIndex();
  return report;
}

/** As `flush`, with progress; `retry` includes the turns that were set aside. */
export function resume(session: ScopeSession, options: ResumeOptions): Run<ResumeEvent, EnrichmentReport> {
  return new Run((signal) => resumeInSteps(session, { ...options, signal }), options.signal);
}

/** Ends the work on a scope: what waits is consolidated if that is automatic and calls no model. */
export async function endWork(session: ScopeSession): Promise<void> {
  if (session.index.loaded !== null) await session.whenDerived();
  await session.stopWork();
  session.known.drop();
  const { isAutomatic, profile } = session.engine.ingest;
  const waits = (session.index.loaded?.index.enrichment.pending.size ?? 0) > 0;
  if (isAutomatic && waits && profile.tier === 'local') await session.ingestion.enrichLast();
  await session.saveIndex();
}

async function* resumeInSteps(
  session: ScopeSession,
  { retry = false, ...options }: ResumeOptions,
): AsyncGenerator<ResumeEvent> {
  await retryForgetting(session);
  if (retry) await retrySetAside(session);
  yield* follow<ResumeEvent>(async (emit, signal) => {
    const report = await session.ingestion.enrich({
      ...options,
      ended: true,
      signal,
      onProgress: (progress) => emit({ type: 'progress', ...progress }),
    });
    await session.saveIndex();
    emit({ type: 'done', ...report });
  }, options.signal);
}

async function retrySetAside(session: ScopeSession): Promise<void> {
  await session.write(async ({ store, scope, index, clock }) => {
    const { setAside } = index.enrichment;
    if (setAside.size === 0) return;
    const changes = await retryChanges(store, scope, { setAside, now: clock() });
    await store.commit(scope, changes);
    index.apply(changes);
  });
}

/** Rows that cannot be removed yet stay hidden, so a failure blocks nothing else. */
async function retryForgetting(session: ScopeSession): Promise<void> {
  if (session.forgettings.isSetAside) await session.settle().catch(() => undefined);
}
