import { breathe } from '../../util/breathe.ts';
import { embedNodes } from '../embed-nodes.ts';
import type { IngestContext } from '../ingest-context.ts';
import type { BuiltBatch } from './build-batch.ts';
import type { PlannedUnit } from './unit.ts';

/** Whether every turn of the units still waits: none was corrected, forgotten or consolidated by another run. */
export function areAllPending(
  { index }: Pick<IngestContext, 'index'>,
  units: readonly PlannedUnit[],
): boolean {
  return units.every(({ episodes }) => episodes.every(({ id }) => index.enrichment.pending.has(id)));
}

/**
 * Writes a batch in one transaction. To be called while nobody else writes, with units that are all pending: what was
 * built twice is thus written once.
 */
export async function commitBatch(context: IngestContext, { changes }: BuiltBatch): Promise<void> {
  const embedding = await embedNodes(context, changes.nodes ?? {}, undefined);
  const whole = { ...changes, nodes: { ...changes.nodes, embedding } };
  await context.index.prepare(whole);
  await breathe();
  await context.store.commit(context.scope, whole);
  await breathe(); // as while the database writes, searches see what was before
  context.index.apply(whole);
  await breathe();
}
