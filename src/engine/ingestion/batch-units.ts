import type { UnitReference } from '../../../graphs/ingestion/state.ts';
import type { PlannedUnit } from '../../ingest/consolidation-context.ts';
import type { IngestContext } from '../../ingest/ingest-context.ts';
import type { Trigger } from '../../ingest/segment/plan-units.ts';
import type { EpisodeId } from '../../model/ids.ts';

export function referTo({ session, trigger, episodes }: PlannedUnit): UnitReference {
  return { session, trigger, episodes: episodes.map(({ id }) => id) };
}

/** The units whose turns are all still pending, with their turns. */
export async function pendingUnits(
  { store, scope, index }: IngestContext,
  references: readonly UnitReference[],
): Promise<readonly PlannedUnit[]> {
  const { pending } = index.enrichment;
  const waiting = references.filter(({ episodes }) => episodes.every((id) => pending.has(id as EpisodeId)));
  const ids = waiting.flatMap(({ episodes }) => episodes);
  const rows = new Map((await store.get(scope, 'episode', ids)).map((row) => [row.id as string, row]));
  return waiting.flatMap(({ session, trigger, episodes }): PlannedUnit[] => {
    const turns = episodes.flatMap((id) => rows.get(id) ?? []);
    return turns.length === episodes.length
      ? [{ session, trigger: trigger as Trigger, episodes: turns }]
      : [];
  });
}

/** Identifies units by their turns. */
export function keyOfUnits(units: readonly UnitReference[]): string {
  return units.map(({ episodes }) => episodes.join()).join(' ');
}

export function turnsIn(units: readonly { readonly episodes: readonly unknown[] }[]): number {
  return units.reduce((sum, { episodes }) => sum + episodes.length, 0);
}
