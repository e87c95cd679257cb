import type { NodeKind } from '../../model/nodes.ts';
import type { RelationshipKind } from '../../model/relationships.ts';
import { CARRIED_COLUMNS, type CarriedColumn } from '../../model/rows.ts';
import type { KuzuParameters, KuzuRecord, KuzuValue } from './kuzu-connection.ts';
import { nodeTable } from './kuzu-tables.ts';
import { columnsOf, returnedColumns } from './row-codec.ts';

/**
 * Rows as parameters of a statement: one list per column, and a statement that walks their positions. Kùzu takes two to
 * three times as long for a list of records (docs/decisions/2026-11-28-cost-of-writing.md).
 */
const EACH_ROW = 'UNWIND range(1, $rows) AS i';

/** The value of a column in the row of the walk. */
const cellOf = (column: string): string => `$c_${column}[i]`;

/** The parameters for `EACH_ROW` and `cellOf`. All records have these columns. */
export function rowLists(columns: readonly string[], records: readonly KuzuRecord[]): KuzuParameters {
  const lists: Record<string, number | KuzuValue[]> = { rows: records.length };
  for (const column of columns) lists[`c_${column}`] = records.map((record) => record[column]!);
  return lists;
}

/**
 * The store's Cypher. Two rules come from measurement (bench of the store). Kùzu uses the index for a primary key
 * passed as a parameter. It joins a list with a single table scan only if the list's values are projected first (`WITH
 * $c_id[i] AS f_id`); `MATCH (n {id: $c_id[i]})` scans the table for every value.
 */

/** Up to this many keys, one indexed lookup each is at least about as fast as a table scan. */
export const FEW = 40;

const quoted = (column: string): string => `\`${column}\``;
const table = (kind: NodeKind): string => quoted(nodeTable(kind));

export function insertNodes(kind: NodeKind, columns: readonly string[]): string {
  const numbers = new Set(columnsOf(kind).flatMap(([name, { type }]) => (type === 'number' ? [name] : [])));
  const values = columns.map(
    (name) => `${quoted(name)}: ${numbers.has(name) ? `CAST(${cellOf(name)} AS DOUBLE)` : cellOf(name)}`,
  );
  return `${EACH_ROW} CREATE (:${table(kind)} {scope: $scope, sequence: $sequence, ${values.join(', ')}})`;
}

export const insertPieces = `${EACH_ROW} CREATE (:Piece {id: ${cellOf('id')}, scope: $scope, sequence: $sequence, text: ${cellOf('text')}})`;

export interface EdgeTable {
  readonly kind: RelationshipKind;
  readonly from: NodeKind;
  readonly to: NodeKind;
  readonly carries: readonly CarriedColumn[];
}

export function insertEdge({ kind, from, to, carries }: EdgeTable): string {
  return `MATCH (a:${table(from)} {id: $from}), (b:${table(to)} {id: $to}) CREATE (a)-[:${kind} {${carried(carries, (name) => `$${name}`)}}]->(b)`;
}

export function insertEdges({ kind, from, to, carries }: EdgeTable): string {
  const fields = projected(['from', 'to', ...carries]);
  const kept = ['to', ...carries].map(field).join(', ');
  return `${EACH_ROW} WITH ${fields} MATCH (a:${table(from)}) WHERE a.id = ${field('from')} WITH a, ${kept} MATCH (b:${table(to)}) WHERE b.id = ${field('to')} CREATE (a)-[:${kind} {${carried(carries, field)}}]->(b)`;
}

export function deleteEdge({ kind, from, to }: Omit<EdgeTable, 'carries'>): string {
  return `MATCH (a:${table(from)} {id: $from})-[r:${kind}]->(b:${table(to)} {id: $to}) DELETE r`;
}

export function deleteEdges({ kind, from, to }: Omit<EdgeTable, 'carries'>): string {
  const [source, target] = [field('from'), field('to')];
  return `${EACH_ROW} WITH ${projected(['from', 'to'])} MATCH (a:${table(from)}) WHERE a.id = ${source} WITH a, ${target} MATCH (a)-[e:${kind}]->(b:${table(to)}) WHERE b.id = ${target} DELETE e`;
}

const field = (name: string): string => `f_${name}`;
const projected = (columns: readonly string[]): string =>
  columns.map((name) => `${cellOf(name)} AS ${field(name)}`).join(', ');

function carried(carries: readonly CarriedColumn[], value: (name: string) => string): string {
  const values = carries.map((name) =>
    CARRIED_COLUMNS[name].type === 'number'
      ? `${quoted(name)}: CAST(${value(name)} AS DOUBLE)`
      : `${quoted(name)}: ${value(name)}`,
  );
  return ['sequence: $sequence', ...values].join(', ');
}

export const scopeOfOne = (kind: NodeKind): string =>
  `MATCH (n:${table(kind)} {id: $id}) RETURN n.scope AS scope`;
export const scopesOfMany = (kind: NodeKind): string =>
  `UNWIND $ids AS i MATCH (n:${table(kind)}) WHERE n.id = i RETURN n.id AS id, n.scope AS scope`;

export function updateNode(kind: NodeKind, columns: readonly string[]): string {
  return `MATCH (n:${table(kind)} {id: $id}) SET ${columns.map((name) => `n.${quoted(name)} = $${name}`).join(', ')}`;
}

/** Each id may occur only once. */
export function updateNodes(kind: NodeKind, columns: readonly string[]): string {
  const fields = projected(['id', ...columns]);
  const values = columns.map((name) => `n.${quoted(name)} = ${field(name)}`).join(', ');
  return `${EACH_ROW} WITH ${fields} MATCH (n:${table(kind)}) WHERE n.id = ${field('id')} SET ${values}`;
}

/** The node must have no edges: never DETACH DELETE (docs/kuzu-defects.md, defect 15). */
export const deleteNode = (kind: NodeKind): string => `MATCH (n:${table(kind)} {id: $id}) DELETE n`;
export const deleteNodes = (kind: NodeKind): string =>
  `UNWIND $ids AS i MATCH (n:${table(kind)}) WHERE n.id = i DELETE n`;

/** Deletes the edges at one end of the given nodes. */
export function deleteEdgesAt({ kind, from, to }: Omit<EdgeTable, 'carries'>, end: 'from' | 'to'): string {
  const edge = `[e:${kind}]`;
  return end === 'from'
    ? `UNWIND $ids AS i MATCH (a:${table(from)}) WHERE a.id = i WITH a MATCH (a)-${edge}->(b:${table(to)}) DELETE e`
    : `UNWIND $ids AS i MATCH (b:${table(to)}) WHERE b.id = i WITH b MATCH (a:${table(from)})-${edge}->(b) DELETE e`;
}
export const deletePieces = 'UNWIND $ids AS i MATCH (p:Piece) WHERE p.id = i DELETE p';

const returned = (kind: NodeKind, fields?: readonly string[]): string =>
  returnedColumns(kind, fields)
    .map(({ name, expression }) => `${expression} AS ${quoted(name)}`)
    .join(', ');

export const getOne = (kind: NodeKind): string =>
  `MATCH (n:${table(kind)} {id: $id}) WHERE n.scope = $scope RETURN ${returned(kind)}`;
export const getMany = (kind: NodeKind): string =>
  `UNWIND $ids AS i MATCH (n:${table(kind)}) WHERE n.id = i AND n.scope = $scope RETURN ${returned(kind)}`;

const onPage = 'offset(id(n)) >= $low AND offset(id(n)) < $high';
/** Reads one page of the table: all rows of a large scope would not fit the buffer pool. */
export const scanPage = (kind: NodeKind, fields?: readonly string[]): string =>
  `MATCH (n:${table(kind)}) WHERE n.scope = $scope AND ${onPage} RETURN ${returned(kind, fields)}`;
export const scanEmbeddingsPage = (fields: readonly string[]): string =>
  `MATCH (n:Embedding) WHERE n.scope = $scope AND n.model = $model AND ${onPage} RETURN ${returned('embedding', fields)}`;
export const lastOffset = (kind: NodeKind): string =>
  `MATCH (n:${table(kind)}) RETURN max(offset(id(n))) AS last`;

export const getPiece = 'MATCH (p:Piece {id: $id}) RETURN p.id AS id, p.text AS text';
export const getPieces = 'UNWIND $ids AS i MATCH (p:Piece) WHERE p.id = i RETURN p.id AS id, p.text AS text';

export const countNodes = (kind: NodeKind): string =>
  `MATCH (n:${table(kind)}) WHERE n.scope = $scope RETURN count(*) AS number`;
export const countEmbeddings =
  'MATCH (n:Embedding) WHERE n.scope = $scope RETURN n.model AS model, count(*) AS number';
export const removeEmbeddings =
  'MATCH (n:Embedding) WHERE n.scope = $scope AND n.model = $model WITH n LIMIT $limit DELETE n';
export const anyEmbedding = 'MATCH (n:Embedding) RETURN n.id AS id LIMIT 1';

/** Edges of a pair of kinds: all of a scope, those of one node, or those of many nodes at one end. */
export function readEdges(edge: EdgeTable, by?: 'from' | 'to', many = false): string {
  const { kind, from, to, carries } = edge;
  const columns = carries.map((name) => `, r.${quoted(name)} AS ${quoted(name)}`).join('');
  const path = (a: string, b: string) => `(a:${table(from)}${a})-[r:${kind}]->(b:${table(to)}${b})`;
  const end = `RETURN a.id AS from_id, b.id AS to_id${columns}`;
  if (by === undefined) return `MATCH ${path('', '')} WHERE a.scope = $scope ${end}`;
  const side = by === 'from' ? 'a' : 'b';
  if (!many) {
    const match = by === 'from' ? path(' {id: $id}', '') : path('', ' {id: $id}');
    return `MATCH ${match} WHERE ${side}.scope = $scope ${end}`;
  }
  return `UNWIND $ids AS i MATCH (${side}:${table(by === 'from' ? from : to)}) WHERE ${side}.id = i AND ${side}.scope = $scope MATCH ${path('', '')} ${end}`;
}

export const readScope = 'MATCH (s:Scope {name: $scope}) RETURN s.sequence AS sequence, s.token AS token';
export const createScope = 'CREATE (:Scope {name: $scope, sequence: $sequence, token: $token})';
export const updateScope = 'MATCH (s:Scope {name: $scope}) SET s.sequence = $sequence, s.token = $token';
export const removeScope = 'MATCH (s:Scope {name: $scope}) DELETE s';
export const sumSequences = 'MATCH (s:Scope) RETURN SUM(s.sequence) AS commits';
export const listScopes = 'MATCH (s:Scope) RETURN s.name AS name';

export const readFingerprint = 'MATCH (m:Meta {id: $id}) RETURN m.text AS model, m.number AS dimension';
export const dropFingerprint = 'MATCH (m:Meta {id: $id}) DELETE m';
export const createFingerprint = 'CREATE (:Meta {id: $id, text: $model, number: $dimension})';
export const readDatabaseId = "MATCH (m:Meta {id: 'database'}) RETURN m.text AS id";
