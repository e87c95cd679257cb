import { setImmediate as nextTurn } from 'node:timers/promises';
import type { NodeCounts } from '../../model/graph-changes.ts';
import type { Scope } from '../../model/ids.ts';
import { type Embedding, NODE_KINDS, type NodeKind, type NodeRows } from '../../model/nodes.ts';
import { RELATIONSHIPS, type Relationship, type RelationshipKind } from '../../model/relationships.ts';
import { ROWS } from '../../model/rows.ts';
import type { RowReader } from '../database-store.ts';
import type { ListedEpisode } from '../episode-directory.ts';
import type { RelationshipFilter, ScopeState } from '../graph-store.ts';
import { decodeEdge, edgeTable } from './edge-codec.ts';
import type { KuzuCursor, KuzuParameters, KuzuRow } from './kuzu-connection.ts';
import type { KuzuDatabase } from './kuzu-database.ts';
import type { KuzuTables } from './kuzu-tables.ts';
import { columnsOf, decodeName, decodeRow, decodeScalar, piecesOf } from './row-codec.ts';
import * as cypher from './statements.ts';

/** Rows per batch of a scan; between batches other work can run. */
const BATCH = 1000;
/** Rows of the table per statement of a scan. */
const PAGE = 32_768;

const LISTED = [
  'id',
  'key',
  'version',
  'session',
  'index',
  'source',
  'sourceId',
  'createdAt',
  'expiredAt',
] as const;

/** The reads of the store. `scope` is the encoded name. */
export class KuzuReader implements RowReader {
  readonly #database: KuzuDatabase;
  readonly #tables: KuzuTables;

  constructor(database: KuzuDatabase, tables: KuzuTables) {
    this.#database = database;
    this.#tables = tables;
  }

  async state(scope: string): Promise<ScopeState> {
    const [row] = await this.#database.read(cypher.readScope, { scope });
    return { sequence: Number(row?.sequence ?? 0), token: Number(row?.token ?? 0) };
  }

  async scopes(): Promise<Scope[]> {
    const rows = await this.#database.read(cypher.listScopes);
    return rows.map((row) => decodeName(String(row.name)) as Scope).sort();
  }

  async get<K extends NodeKind>(scope: string, kind: K, ids: readonly string[]): Promise<NodeRows[K][]> {
    if (!(await this.#exists(kind))) return [];
    const unique = [...new Set(ids)];
    const rows =
      unique.length > cypher.FEW
        ? await this.#many(scope, kind, unique)
        : await this.#few(scope, kind, unique);
    const found = new Map((await this.#decode(kind, rows)).map((row) => [row.id as string, row]));
    return ids.flatMap((id) => found.get(id) ?? []);
  }

  async *scan<K extends NodeKind, F extends keyof NodeRows[K] = keyof NodeRows[K]>(
    scope: string,
    kind: K,
    fields?: readonly F[],
  ): AsyncIterable<readonly Pick<NodeRows[K], F>[]> {
    const names = fields as readonly string[] | undefined;
    for await (const rows of this.#pages(kind, cypher.scanPage(kind, names), { scope }))
      yield await this.#decode(kind, rows, names);
  }

  /** `model` is encoded like `scope`. */
  async *embeddings<F extends keyof Embedding>(
    scope: string,
    model: string,
    fields: readonly F[],
  ): AsyncIterable<readonly Pick<Embedding, F>[]> {
    const statement = cypher.scanEmbeddingsPage(fields);
    for await (const rows of this.#pages('embedding', statement, { scope, model }))
      yield await this.#decode('embedding', rows, fields);
  }

  async countEmbeddings(scope: string): Promise<Map<string, number>> {
    if (!(await this.#exists('embedding'))) return new Map();
    const rows = await this.#database.read(cypher.countEmbeddings, { scope });
    return new Map(rows.map(({ model, number }) => [decodeName(String(model)) ?? '', Number(number)]));
  }

  async *listEpisodes(scope: string): AsyncIterable<ListedEpisode> {
    for await (const rows of this.#pages('episode', cypher.scanPage('episode', LISTED), { scope }))
      for (const row of rows) {
        const columns = ROWS.episode;
        yield Object.fromEntries(
          LISTED.map((name) => [name, decodeScalar(columns[name], row[name] ?? null)]),
        ) as unknown as ListedEpisode;
      }
  }

  async *relationships(
    scope: string,
    kind: RelationshipKind,
    filter: RelationshipFilter,
  ): AsyncIterable<readonly Relationship[]> {
    if (!this.#tables.hasEdges(kind)) {
      await nextTurn();
      return;
    }
    const to = filter.to && new Set(filter.to);
    for (const [fromKind, toKind] of RELATIONSHIPS[kind].pairs) {
      const table = edgeTable({ kind, fromKind, toKind });
      for await (const rows of this.#edges(scope, table, filter)) {
        const edges = rows.map((row) => decodeEdge(table, row)).filter((edge) => to?.has(edge.to) ?? true);
        if (edges.length > 0) yield edges;
      }
    }
  }

  async count(scope: string): Promise<NodeCounts> {
    const counts: Partial<Record<NodeKind, number>> = {};
    for (const kind of NODE_KINDS) counts[kind] = await this.#countOf(kind, scope);
    return counts as NodeCounts;
  }

  async #countOf(kind: NodeKind, scope: string): Promise<number> {
    if (!(await this.#exists(kind))) return 0;
    const [row] = await this.#database.read(cypher.countNodes(kind), { scope });
    return Number(row?.number ?? 0);
  }

  /** Whether the table was created. Where it was not, other work can run, as during every read. */
  async #exists(kind: NodeKind): Promise<boolean> {
    if (this.#tables.has(kind)) return true;
    await nextTurn();
    return false;
  }

  #few(scope: string, kind: NodeKind, ids: readonly string[]): Promise<KuzuRow[]> {
    return this.#database.readEach(
      cypher.getOne(kind),
      ids.map((id) => ({ id, scope })),
    );
  }

  async #many(scope: string, kind: NodeKind, ids: readonly string[]): Promise<KuzuRow[]> {
    const rows: KuzuRow[] = [];
    for (let start = 0; start < ids.length; start += PAGE)
      rows.push(
        ...(await this.#database.read(cypher.getMany(kind), { ids: ids.slice(start, start + PAGE), scope })),
      );
    return rows;
  }

  /** Reads the next page while the rows of the current one are consumed. */
  async *#pages(kind: NodeKind, statement: string, parameters: KuzuParameters): AsyncIterable<KuzuRow[]> {
    if (!(await this.#exists(kind))) return;
    const [row] = await this.#database.read(cypher.lastOffset(kind));
    const last = Number(row?.last ?? -1);
    const page = (low: number) =>
      low > last ? null : this.#database.cursor(statement, { ...parameters, low, high: low + PAGE });
    let next = page(0);
    try {
      for (let low = PAGE; next !== null; low += PAGE) {
        const cursor: KuzuCursor = await next;
        next = page(low);
        next?.catch(() => undefined); // awaited in the next iteration
        yield* this.#rowsOf(cursor);
      }
    } finally {
      if (next !== null) await next.then((cursor) => cursor.close()).catch(() => undefined);
    }
  }

  async *#edges(
    scope: string,
    table: cypher.EdgeTable,
    filter: RelationshipFilter,
  ): AsyncIterable<KuzuRow[]> {
    const by = filter.from !== undefined ? 'from' : 'to';
    const ids = filter.from ?? filter.to;
    if (ids === undefined) yield* this.#batches(cypher.readEdges(table), { scope });
    else if (ids.length > cypher.FEW)
      yield* this.#batches(cypher.readEdges(table, by, true), { ids: [...new Set(ids)], scope });
    else for (const id of new Set(ids)) yield* this.#batches(cypher.readEdges(table, by), { id, scope });
  }

  async *#batches(...query: Parameters<KuzuDatabase['cursor']>): AsyncIterable<KuzuRow[]> {
    yield* this.#rowsOf(await this.#database.cursor(...query));
  }

  async *#rowsOf(cursor: KuzuCursor): AsyncIterable<KuzuRow[]> {
    try {
      for (let rows = cursor.next(BATCH); rows.length > 0; rows = cursor.next(BATCH)) {
        yield rows;
        await nextTurn();
        this.#database.checkOpen();
      }
    } finally {
      cursor.close();
    }
  }

  async #decode<K extends NodeKind>(
    kind: K,
    rows: readonly KuzuRow[],
    fields?: readonly string[],
  ): Promise<NodeRows[K][]> {
    const columns = columnsOf(kind, fields);
    const pieces = await this.#pieces(rows.flatMap((row) => piecesOf(kind, row, columns)));
    return rows.map((row) => decodeRow(kind, row, { pieces, columns }));
  }

  async #pieces(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (ids.length === 0) return new Map();
    const rows =
      ids.length > cypher.FEW
        ? await this.#database.read(cypher.getPieces, { ids })
        : await this.#database.readEach(
            cypher.getPiece,
            ids.map((id) => ({ id })),
          );
    return new Map(rows.map((row) => [String(row.id), String(row.text)]));
  }
}
