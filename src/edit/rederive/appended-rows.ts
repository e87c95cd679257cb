import type { GraphChanges } from '../../model/graph-changes.ts';
import { DERIVED_FROM_TURNS, type ScopeRows } from './scope-rows.ts';

interface AgedRow {
  readonly id: string;
  readonly createdAt: number;
  readonly expiredAt?: number | null;
}

/**
 * Whether the live new rows of each kind are younger than the live rows that stay, and no row is live again. Then an
 * index that applies the changes numbers its rows as one built from the graph does.
 *
 * @param old The graph before the changes.
 */
export function areAppended(changes: GraphChanges, { nodes }: ScopeRows): boolean {
  const { updates = [], removals = [] } = changes;
  const isReopened = updates.some(({ set }) => 'expiredAt' in set && set.expiredAt === null);
  if (isReopened || (changes.nodes?.correction ?? []).length > 0) return false;
  const gone = new Set(removals.map(({ kind, id }) => `${kind} ${id}`));
  if (removals.some(({ kind }) => kind === 'correction')) return false;
  for (const { kind, id, set } of updates)
    if ('expiredAt' in set && set.expiredAt !== null) gone.add(`${kind} ${id}`);
  return DERIVED_FROM_TURNS.every((kind) => {
    const added = ((changes.nodes?.[kind] ?? []) as readonly AgedRow[]).filter(isLive);
    if (added.length === 0) return true;
    const first = added.reduce((one, other) => (isOlder(other, one) ? other : one));
    const staying = [...(nodes[kind] as ReadonlyMap<string, AgedRow>).values()];
    return staying.every((row) => !isLive(row) || gone.has(`${kind} ${row.id}`) || isOlder(row, first));
  });
}

function isLive({ expiredAt }: AgedRow): boolean {
  return (expiredAt ?? null) === null;
}

function isOlder(one: AgedRow, other: AgedRow): boolean {
  return one.createdAt < other.createdAt || (one.createdAt === other.createdAt && one.id < other.id);
}
