import { InvalidChangeError, ScopeViolationError } from '../../errors/index.ts';
import type { GraphChanges, MutableKind, RowRemoval, RowUpdate, Unlink } from '../../model/graph-changes.ts';
import { NODE_KINDS, type NodeKind } from '../../model/nodes.ts';
import type { Relationship } from '../../model/relationships.ts';
import { columnsByName } from '../../model/rows.ts';
import { groupBy } from '../../util/collections.ts';
import { type ChangeSummary, relationshipKey, repeatedRelationship, unlinkKey } from '../change-check.ts';
import { newCommitToken } from '../graph-store.ts';
import { decodeEdge, EDGE_TABLES, edgeTable, encodeEdge, groupEdges } from './edge-codec.ts';
import type { KuzuRecord, KuzuRow, KuzuSession, KuzuValue } from './kuzu-connection.ts';
import { type KuzuTables, nodeTable, PIECES } from './kuzu-tables.ts';
import { columnsOf, encodeRow, encodeScalar, type PieceRow, piecesOf } from './row-codec.ts';
import * as cypher from './statements.ts';
import { rowLists } from './statements.ts';

/** Rows per statement, to bound the memory of a statement. */
const CHUNK = 4000;
/** New nodes per statement: their vectors and texts take some milliseconds of the thread to pass. */
const NODES = 500;

function* chunks<T>(rows: readonly T[], size = CHUNK): Iterable<readonly T[]> {
  for (let start = 0; start < rows.length; start += size) yield rows.slice(start, start + size);
}

/** Rows of one table that set the same columns, for one statement. */
interface UpdateGroup {
  readonly kind: MutableKind;
  readonly columns: readonly string[];
  /**
   * `id` and the columns, in one order. Each id occurs in one record, since the order of updates within a statement is
   * undefined.
   */
  readonly records: readonly KuzuRecord[];
}

/** @throws InvalidChangeError for a column that the schema lacks. */
function groupUpdates(updates: readonly RowUpdate[]): UpdateGroup[] {
  const records = new Map<string, { readonly kind: MutableKind; record: Record<string, KuzuValue> }>();
  for (const { kind, id, set } of updates) {
    const name = `${kind} ${id}`;
    const known = records.get(name);
    records.set(name, { kind, record: { ...known?.record, ...encodeSet(kind, set), id } });
  }
  const groups = groupBy(records.values(), ({ kind, record }) => `${kind} ${columnsIn(record)}`);
  return [...groups.values()].flatMap((group) => {
    const { kind, record } = group[0]!;
    const columns = columnsIn(record);
    return columns.length === 0 ? [] : [{ kind, columns, records: group.map((one) => one.record) }];
  });
}

const columnsIn = (record: KuzuRecord): string[] =>
  Object.keys(record)
    .filter((name) => name !== 'id')
    .sort();

function encodeSet(kind: MutableKind, set: RowUpdate['set']): Record<string, KuzuValue> {
  const columns = columnsByName(kind);
  const values: Record<string, KuzuValue> = {};
  for (const [name, value] of Object.entries(set)) {
    const column = columns[name];
    if (column === undefined) throw new InvalidChangeError(`${kind}.${name} may not change`);
    values[name] = encodeScalar(column, value);
  }
  return values;
}

interface ScopeRow {
  /** Of the current commit. */
  readonly sequence: number;
  readonly isNew: boolean;
}

interface EncodedNodes {
  readonly kind: NodeKind;
  readonly columns: readonly string[];
  readonly records: readonly KuzuRecord[];
}

interface EncodedChanges {
  readonly nodes: readonly EncodedNodes[];
  readonly pieces: readonly PieceRow[];
  /** Approximate size of the text to write. */
  readonly bytes: number;
}

/** Encodes before the write queue, so that a waiting commit does not change with the caller's arrays. */
export function encodeChanges(changes: GraphChanges): EncodedChanges {
  const pieces: PieceRow[] = [];
  const nodes = NODE_KINDS.flatMap((kind) => {
    const encoded = (changes.nodes?.[kind] ?? []).map((row) => encodeRow(kind, row));
    for (const row of encoded) pieces.push(...row.pieces);
    return encoded.length === 0
      ? []
      : [
          withSameColumns(
            kind,
            encoded.map((row) => row.record),
          ),
        ];
  });
  const bytes = [...nodes.flatMap((table) => table.records), ...pieces].reduce(
    (sum, row) => sum + bytesOf(row),
    0,
  );
  return { nodes, pieces, bytes };
}

/** Pads vectors of different lengths to the same columns, which all records of a statement must have. */
function withSameColumns(kind: NodeKind, records: readonly KuzuRecord[]): EncodedNodes {
  const widest = records.reduce((a, b) => (Object.keys(b).length > Object.keys(a).length ? b : a));
  const columns = Object.keys(widest);
  const complete = (record: KuzuRecord) =>
    Object.fromEntries(columns.map((name) => [name, record[name] ?? '']));
  return { kind, columns, records: kind === 'embedding' ? records.map(complete) : records };
}

/** Names of the tables that the changes add rows to. */
export function tablesOf({ nodes, pieces }: EncodedChanges, { relationships = [] }: GraphChanges): string[] {
  return [
    ...nodes.map(({ kind }) => nodeTable(kind)),
    ...(pieces.length > 0 ? [PIECES] : []),
    ...new Set(relationships.map(({ kind }) => kind)),
  ];
}

function bytesOf(row: object): number {
  return Object.values(row).reduce<number>(
    (sum, value) => sum + (typeof value === 'string' ? value.length * 2 : 8),
    64,
  );
}

function removedIds(removals: readonly RowRemoval[]): ReadonlyMap<NodeKind, ReadonlySet<string>> {
  const ids = new Map<NodeKind, Set<string>>();
  for (const { kind, id } of removals) ids.set(kind, (ids.get(kind) ?? new Set()).add(id));
  return ids;
}

/** Writes one change set in a transaction. */
export class KuzuWriter {
  readonly #session: KuzuSession;
  readonly #scope: string;
  readonly #tables: KuzuTables;

  /** `scope` is the encoded name. The tables of the changes must exist. */
  constructor(session: KuzuSession, { scope, tables }: { scope: string; tables: KuzuTables }) {
    this.#session = session;
    this.#scope = scope;
    this.#tables = tables;
  }

  /**
   * The order avoids two defects. Rows are created before anything changes, because creating them can fail (an id is
   * taken), and a rollback after a `SET` requires reopening the file (defect 18). Looking the ids up first would slow a
   * commit of 500 rows by 3 to 20 ms for each table. And edges are removed before others are created: an edge of the
   * same transaction cannot be found again (defect 16).
   */
  async write(changes: GraphChanges, encoded: EncodedChanges, summary: ChangeSummary): Promise<number> {
    const updates = groupUpdates(changes.updates ?? []);
    await this.#checkScope(summary);
    await this.#checkEdgesAreNew(changes, summary);
    const scopeRow = await this.#readScope();
    const { sequence } = scopeRow;
    for (const table of encoded.nodes) await this.#insertNodes(table, sequence);
    for (const rows of chunks(encoded.pieces))
      await this.#session.run(cypher.insertPieces, {
        ...rowLists(['id', 'text'], rows),
        scope: this.#scope,
        sequence,
      });
    const removals = removedIds(changes.removals ?? []);
    await this.#deleteEdges(changes.unlinks ?? []);
    for (const [kind, ids] of removals) await this.#deleteEdgesOf(kind, [...ids]);
    const isRemoved = (kind: NodeKind, id: string) => removals.get(kind)?.has(id) === true;
    const remaining = (changes.relationships ?? []).filter(
      ({ fromKind, from, toKind, to }) => !isRemoved(fromKind, from) && !isRemoved(toKind, to),
    );
    await this.#insertEdges(remaining, sequence);
    for (const group of updates) await this.#update(group);
    for (const [kind, ids] of removals)
      for (const some of chunks([...ids])) await this.#removeSome(kind, some);
    await this.#writeScope(scopeRow);
    return sequence;
  }

  /** `model` is encoded like the scope. Returns the number of removed rows. */
  async removeEmbeddings(model: string, limit: number): Promise<number> {
    if (!this.#tables.has('embedding')) return 0;
    const scope = this.#scope;
    const counts = await this.#session.run(cypher.countEmbeddings, { scope });
    const found = Math.min(limit, Number(counts.find((row) => row.model === model)?.number ?? 0));
    if (found === 0) return 0;
    const scopeRow = await this.#readScope();
    await this.#session.run(cypher.removeEmbeddings, { scope, model, limit });
    await this.#writeScope(scopeRow);
    return found;
  }

  async #readScope(): Promise<ScopeRow> {
    const [row] = await this.#session.run(cypher.readScope, { scope: this.#scope });
    return { sequence: Number(row?.sequence ?? 0) + 1, isNew: row === undefined };
  }

  /** The last statement of a transaction, because it may `SET`: an earlier failure then needs no reopen (defect 18). */
  async #writeScope({ sequence, isNew }: ScopeRow): Promise<void> {
    await this.#session.run(isNew ? cypher.createScope : cypher.updateScope, {
      scope: this.#scope,
      sequence,
      token: newCommitToken(),
    });
  }

  async #checkScope({ required }: ChangeSummary): Promise<void> {
    for (const [kind, ids] of required) {
      const owned = await this.#ownedOf(kind, [...ids]);
      if (owned.size < ids.size) throw new ScopeViolationError(`A ${kind} of the change`);
    }
  }

  async #ownedOf(kind: NodeKind, ids: readonly string[]): Promise<Set<string>> {
    const owned = new Set<string>();
    if (!this.#tables.has(kind)) return owned;
    if (ids.length > cypher.FEW) {
      for (const some of chunks(ids))
        for (const row of await this.#session.run(cypher.scopesOfMany(kind), { ids: some }))
          if (row.scope === this.#scope) owned.add(String(row.id));
      return owned;
    }
    for (const id of ids) {
      const [row] = await this.#session.run(cypher.scopeOfOne(kind), { id });
      if (row?.scope === this.#scope) owned.add(id);
    }
    return owned;
  }

  /** Only an edge between two existing nodes can exist already. */
  async #checkEdgesAreNew(
    { relationships = [], unlinks = [] }: GraphChanges,
    { added }: ChangeSummary,
  ): Promise<void> {
    const unlinked = new Set(unlinks.map(unlinkKey));
    const old = relationships.filter(
      (edge) =>
        !added.get(edge.fromKind)?.has(edge.from) &&
        !added.get(edge.toKind)?.has(edge.to) &&
        !unlinked.has(unlinkKey(edge)),
    );
    const wanted = new Set(old.map(relationshipKey));
    for (const group of groupEdges(old).values()) {
      const table = edgeTable(group[0]!);
      const sources = [...new Set(group.map((edge) => edge.from))];
      for (const row of await this.#edgesFrom(table, sources))
        if (wanted.has(relationshipKey(decodeEdge(table, row)))) throw repeatedRelationship(table);
    }
  }

  async #edgesFrom(table: cypher.EdgeTable, ids: readonly string[]): Promise<KuzuRow[]> {
    const scope = this.#scope;
    if (ids.length > cypher.FEW)
      return this.#session.run(cypher.readEdges(table, 'from', true), { ids, scope });
    const rows: KuzuRow[] = [];
    for (const id of ids)
      rows.push(...(await this.#session.run(cypher.readEdges(table, 'from'), { id, scope })));
    return rows;
  }

  async #deleteEdges(unlinks: readonly Unlink[]): Promise<void> {
    const once = new Map(unlinks.map((unlink) => [unlinkKey(unlink), unlink]));
    for (const group of groupEdges([...once.values()]).values()) {
      const table = edgeTable(group[0]!);
      if (!this.#tables.hasEdges(table.kind)) continue;
      const ends = group.map(({ from, to }): KuzuRecord => ({ from, to }));
      if (ends.length > cypher.FEW)
        for (const rows of chunks(ends))
          await this.#session.run(cypher.deleteEdges(table), rowLists(['from', 'to'], rows));
      else for (const pair of ends) await this.#session.run(cypher.deleteEdge(table), pair);
    }
  }

  async #insertNodes({ kind, columns, records }: EncodedNodes, sequence: number): Promise<void> {
    const statement = cypher.insertNodes(kind, columns);
    for (const rows of chunks(records, NODES))
      await this.#session.run(statement, { ...rowLists(columns, rows), scope: this.#scope, sequence });
  }

  async #insertEdges(edges: readonly Relationship[], sequence: number): Promise<void> {
    for (const group of groupEdges(edges).values()) {
      const table = edgeTable(group[0]!);
      const records = group.map((edge) => encodeEdge(table, edge));
      if (records.length > cypher.FEW)
        for (const rows of chunks(records))
          await this.#session.run(cypher.insertEdges(table), {
            ...rowLists(['from', 'to', ...table.carries], rows),
            sequence,
          });
      else
        for (const record of records)
          await this.#session.run(cypher.insertEdge(table), { ...record, sequence });
    }
  }

  async #update({ kind, columns, records }: UpdateGroup): Promise<void> {
    if (records.length > cypher.FEW)
      for (const rows of chunks(records))
        await this.#session.run(cypher.updateNodes(kind, columns), rowLists(['id', ...columns], rows));
    else for (const record of records) await this.#session.run(cypher.updateNode(kind, columns), record);
  }

  async #deleteEdgesOf(kind: NodeKind, ids: readonly string[]): Promise<void> {
    for (const table of EDGE_TABLES)
      for (const end of ['from', 'to'] as const)
        if (table[end] === kind && this.#tables.hasEdges(table.kind))
          for (const some of chunks(ids))
            await this.#session.run(cypher.deleteEdgesAt(table, end), { ids: some });
  }

  async #removeSome(kind: NodeKind, ids: readonly string[]): Promise<void> {
    const pieces: string[] = [];
    const few = ids.length <= cypher.FEW;
    const scope = this.#scope;
    if (few)
      for (const id of ids)
        for (const row of await this.#session.run(cypher.getOne(kind), { id, scope }))
          pieces.push(...piecesOf(kind, row, columnsOf(kind)));
    else
      for (const row of await this.#session.run(cypher.getMany(kind), { ids, scope }))
        pieces.push(...piecesOf(kind, row, columnsOf(kind)));
    if (few) for (const id of ids) await this.#session.run(cypher.deleteNode(kind), { id });
    else await this.#session.run(cypher.deleteNodes(kind), { ids });
    for (const some of chunks(pieces)) await this.#session.run(cypher.deletePieces, { ids: some });
  }
}
