import type { ColumnType } from '../../model/columns.ts';
import { RELATIONSHIP_KINDS, RELATIONSHIPS, type Relationship } from '../../model/relationships.ts';
import { CARRIED_COLUMNS } from '../../model/rows.ts';
import { groupBy } from '../../util/collections.ts';
import type { KuzuRecord, KuzuRow, KuzuValue } from './kuzu-connection.ts';
import { encodeScalar } from './row-codec.ts';
import type { EdgeTable } from './statements.ts';

type TableOf = Pick<Relationship, 'kind' | 'fromKind' | 'toKind'>;

export function edgeTable(edge: TableOf): EdgeTable {
  return { kind: edge.kind, from: edge.fromKind, to: edge.toKind, carries: RELATIONSHIPS[edge.kind].carries };
}

/** Every pair of kinds that a relationship may join. */
export const EDGE_TABLES: readonly EdgeTable[] = RELATIONSHIP_KINDS.flatMap((kind) =>
  RELATIONSHIPS[kind].pairs.map(([fromKind, toKind]) => edgeTable({ kind, fromKind, toKind })),
);

export function decodeEdge(table: EdgeTable, row: KuzuRow): Relationship {
  const edge: Record<string, unknown> = {
    kind: table.kind,
    fromKind: table.from,
    from: row.from_id,
    toKind: table.to,
    to: row.to_id,
  };
  for (const name of table.carries) {
    const column: ColumnType = CARRIED_COLUMNS[name];
    edge[name] = column.type === 'code' ? column.values[Number(row[name])] : row[name];
  }
  return edge as unknown as Relationship;
}

export function encodeEdge(table: EdgeTable, edge: Relationship): KuzuRecord {
  const record: Record<string, KuzuValue> = { from: edge.from, to: edge.to };
  for (const name of table.carries) record[name] = encodeScalar(CARRIED_COLUMNS[name], edge[name]);
  return record;
}

/** Groups edges by table and pair of kinds: each pair has its own statements. */
export function groupEdges<E extends TableOf>(edges: readonly E[]): Map<string, E[]> {
  return groupBy(edges, ({ kind, fromKind, toKind }) => `${kind} ${fromKind} ${toKind}`);
}
