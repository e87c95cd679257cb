import type { AfterRemoval } from '../../edit/forget/records.ts';
import { isEmpty } from '../../edit/rederive/graph-difference.ts';
import { rederive } from '../../edit/rederive/rederive.ts';
import { CancelledError } from '../../errors/index.ts';
import type { IngestContext } from '../../ingest/ingest-context.ts';
import { INGEST_PROFILES } from '../../ingest/profile.ts';
import type { EngineContext } from '../engine-context.ts';

/**
 * Finds the changes that make the base graph equal to what ingesting the remaining turns gives. Only possible if
 * everything was extracted by the current rules and every turn still has its text. Otherwise, turns consolidated
 * together with forgotten ones wait to be consolidated again, as all turns of the llm tier do.
 */
export function afterRemoval({ ingest }: Pick<EngineContext, 'ingest'>): AfterRemoval {
  return async (
    context,
    { regroup: former, corrected, since: first },
    { signal, reader = ingest.stages.reader },
  ) => {
    if (!ingest.isRepeatable || !(await isReadByRules(context))) return null;
    const { tombstones } = context.index.corrections;
    const stages = { ...ingest.stages, reader };
    const from = (since: number | null) =>
      rederive({ ...context, ...ingest, stages, former, since, tombstones, signal });
    // Re-derives changes since a time; if that fails, re-derives everything.
    const since = corrected === true ? null : first;
    const derived = await from(since).catch((error: unknown) => {
      if (since === null || CancelledError.isInstance(error)) throw error;
      return from(null);
    });
    return isEmpty(derived.changes) ? null : derived;
  };
}

async function isReadByRules({ store, scope, index: { corrections } }: IngestContext): Promise<boolean> {
  if (corrections.turnsWithoutText.size > 0) return false;
  for await (const rows of store.scan(scope, 'segment', ['profile']))
    if (!rows.every(({ profile }) => isLocal(profile))) return false;
  return true;
}

function isLocal(profile: string): boolean {
  return INGEST_PROFILES.some(({ name, tier }) => name === profile && tier === 'local');
}
