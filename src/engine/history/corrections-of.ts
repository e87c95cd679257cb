import type { Correction } from '../../model/nodes.ts';
import { type CorrectionRecord, describeCorrection } from '../corrections/describe-correction.ts';
import type { HistoryContext } from './history-context.ts';
import { compare } from './page.ts';

/** Corrections that were about one of these facts or entities, or made it; the oldest first. */
export async function correctionsOf(
  { store, scope }: HistoryContext,
  ids: ReadonlySet<string>,
): Promise<readonly CorrectionRecord[]> {
  const rows = new Map<string, Correction>();
  for await (const batch of store.scan(scope, 'correction')) for (const row of batch) rows.set(row.id, row);
  const place = ({ createdAt, id }: Correction) => ({ at: createdAt, createdAt, id });
  return [...rows.values()]
    .sort((a, b) => compare(place(a), place(b)))
    .map((row) => describeCorrection(row, (id) => rows.get(id)))
    .filter(({ about, made }) => about.some((id) => ids.has(id)) || (made !== null && ids.has(made)));
}
