import { isHandKind, readDetail } from '../../ingest/correct/correction-detail.ts';
import type { RowRemoval } from '../../model/graph-changes.ts';
import { type CorrectionId, renewedId } from '../../model/ids.ts';
import type { Correction } from '../../model/nodes.ts';
import { renameTargets } from '../archive/import-scope.ts';

export interface RenewalOptions {
  /** Ids of the old graph by those of the new one. */
  readonly idOf: (id: string) => string;
}

/**
 * Corrections say which rows they changed, to be taken back. Where carrying one out again changed others, it is written
 * anew; one that has nothing to correct any more goes.
 */
export function renewedCorrections(
  fresh: ReadonlyMap<string, Correction>,
  old: ReadonlyMap<string, Correction>,
  { idOf }: RenewalOptions,
): { nodes: Correction[]; removals: RowRemoval[] } {
  const renewed = new Map<string, string>();
  const rename = (id: string) => renewed.get(id) ?? idOf(id);
  const nodes: Correction[] = [];
  const removals: RowRemoval[] = [];
  for (const before of old.values()) {
    if (!isHandKind(before.kind)) continue;
    const again = fresh.get(before.id);
    const now = again && { ...again, ...renameTargets(again, rename) };
    const isOver = before.kind === 'undo' || before.undoneAt !== null; // nothing of it is in the graph
    if (now !== undefined && (isOver || contentOf(now) === contentOf(before))) continue;
    removals.push({ kind: 'correction', id: before.id });
    if (now === undefined) continue;
    const id = renewedId(before.id) as CorrectionId;
    renewed.set(before.id, id);
    nodes.push({ ...now, id });
  }
  return { nodes, removals };
}

/** What it says and did, whatever the order in which rows and edges are listed. */
function contentOf(correction: Correction): string {
  const detail = readDetail(correction);
  return JSON.stringify(sorted(detail ?? correction.detail));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value))
    return value.map(sorted).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, each]) => [key, sorted(each)]),
  );
}
