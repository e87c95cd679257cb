import { CommitConflictError, InvalidChangeError, ScopeViolationError } from '../../errors/index.ts';
import type { GraphChanges, RowUpdate, Unlink } from '../../model/graph-changes.ts';
import { NODE_KINDS, type NodeKind } from '../../model/nodes.ts';
import { RELATIONSHIP_KINDS, RELATIONSHIPS, type RelationshipKind } from '../../model/relationships.ts';
import { columnsByName } from '../../model/rows.ts';
import { groupBy } from '../../util/collections.ts';
import { type ChangeSummary, repeatedId, repeatedRelationship, unlinkKey } from '../change-check.ts';
import { newCommitToken, type ScopeState } from '../graph-store.ts';
import { appendToLog } from './commit-log.ts';
import { leaseIsFree } from './scope-lease.ts';
import { encodeNode, encodeRelationship, encodeScalar, encodeText, kindCode, pairCode } from './sql-codec.ts';
import { RowExists, type SqlColumn, type SqlSession, type SqlValue, tableIn } from './sql-database.ts';
import { NODE_SQL_TABLES, RELATIONSHIP_TABLE, SCOPE_TABLE } from './sql-schema.ts';

const CHUNK = 2_000;

export function* chunks<T>(rows: readonly T[]): Iterable<readonly T[]> {
  for (let start = 0; start < rows.length; start += CHUNK) yield rows.slice(start, start + CHUNK);
}

/** The rows of a change set as they are stored. */
export interface EncodedChanges {
  readonly nodes: readonly { readonly kind: NodeKind; readonly rows: readonly (readonly SqlValue[])[] }[];
  readonly relationships: ReadonlyMap<RelationshipKind, readonly (readonly SqlValue[])[]>;
  readonly unlinks: readonly (readonly SqlValue[])[];
  readonly updates: readonly UpdateGroup[];
  /** Encoded ids. */
  readonly removals: ReadonlyMap<NodeKind, readonly string[]>;
  readonly required: ReadonlyMap<NodeKind, readonly string[]>;
}

/** Encodes before the write queue, so that a waiting commit does not change with the caller's arrays. */
export function encodeChanges(
  changes: GraphChanges,
  { required }: Pick<ChangeSummary, 'required'>,
): EncodedChanges {
  const { removals = [], relationships = [], unlinks = [], updates = [] } = changes;
  const removed = new Set(removals.map(({ kind, id }) => `${kind} ${id}`));
  const staying = relationships.filter(
    ({ fromKind, from, toKind, to }) =>
      !removed.has(`${fromKind} ${from}`) && !removed.has(`${toKind} ${to}`),
  );
  const once = new Map(unlinks.map((unlink) => [unlinkKey(unlink), unlink]));
  const idsOf = (kind: NodeKind) => [
    ...new Set(removals.filter((each) => each.kind === kind).map(({ id }) => encodeText(id))),
  ];
  return {
    nodes: NODE_KINDS.flatMap((kind) => {
      const rows = (changes.nodes?.[kind] ?? []).map((row) => encodeNode(kind, row));
      return rows.length === 0 ? [] : [{ kind, rows }];
    }),
    relationships: mapValues(
      groupBy(staying, ({ kind }) => kind),
      (edges) => edges.map(encodeRelationship),
    ),
    unlinks: [...once.values()].map(encodeUnlink),
    updates: groupUpdates(updates),
    removals: new Map(
      NODE_KINDS.flatMap((kind) => {
        const ids = idsOf(kind);
        return ids.length === 0 ? [] : [[kind, ids] as const];
      }),
    ),
    required: new Map([...required].map(([kind, ids]) => [kind, [...ids].map(encodeText)])),
  };
}

const UNLINK_COLUMNS = RELATIONSHIP_TABLE.columns.slice(0, 4);

const encodeUnlink = (edge: Unlink): SqlValue[] => [
  kindCode(edge.kind),
  encodeText(edge.from),
  encodeText(edge.to),
  pairCode(edge),
];

interface UpdateGroup {
  readonly kind: NodeKind;
  /** The id, then the columns that change. */
  readonly columns: readonly SqlColumn[];
  readonly rows: readonly (readonly SqlValue[])[];
}

/** Several updates of one row become one, because the order within a statement is undefined. */
function groupUpdates(updates: readonly RowUpdate[]): UpdateGroup[] {
  const sets = new Map<string, { kind: NodeKind; id: string; set: Record<string, unknown> }>();
  for (const { kind, id, set } of updates) {
    const key = `${kind} ${id}`;
    sets.set(key, { kind, id, set: { ...sets.get(key)?.set, ...set } });
  }
  const groups = groupBy(sets.values(), ({ kind, set }) => `${kind} ${Object.keys(set).sort().join()}`);
  return [...groups.values()].flatMap((group): UpdateGroup[] => {
    const { kind, set } = group[0]!;
    const names = Object.keys(set).sort();
    if (names.length === 0) return [];
    const types = columnsByName(kind);
    const { fields } = NODE_SQL_TABLES[kind];
    const columnOf = (name: string) => fields.find((field) => field.name === name)?.columns[0];
    const columns = ['id', ...names].map((name) => {
      const column = columnOf(name);
      if (column === undefined) throw new InvalidChangeError(`${kind}.${name} may not change`);
      return column;
    });
    const rows = group.map((each) => [
      encodeText(each.id),
      ...names.map((name) => encodeScalar(types[name]!, each.set[name])),
    ]);
    return [{ kind, columns, rows }];
  });
}

/** What a commit to a database of several processes needs to know. */
export interface SharedCommit {
  readonly process: string;
  /** The state that the scope must be in; null for any. */
  readonly after: ScopeState | null;
  readonly logged: string;
}

/** Writes one change set in a transaction. */
export class SqlWriter {
  readonly #session: SqlSession;
  /** Encoded. */
  readonly #scope: string;
  readonly #shared: SharedCommit | null;

  /** @param shared Null for a database that only this process uses: no other commit is possible, and none is told. */
  constructor(session: SqlSession, scope: string, shared: SharedCommit | null = null) {
    this.#session = session;
    this.#scope = scope;
    this.#shared = shared;
  }

  /**
   * Returns the new state.
   *
   * @param alongside Jobs of the transaction that need nothing but the scope's row, which no other writer has now.
   * @throws CommitConflictError if the database is shared.
   */
  async write(
    changes: EncodedChanges,
    alongside: readonly (() => Promise<void>)[] = [],
  ): Promise<ScopeState> {
    const state = await this.#count(); // first: it makes other writers of the scope wait
    for (const [kind, ids] of changes.required) await this.#checkScope(kind, ids);
    for (const rows of chunks(changes.unlinks))
      await this.#session.delete(this.#scope, {
        table: RELATIONSHIP_TABLE.name,
        columns: UNLINK_COLUMNS,
        rows,
      });
    await this.#session.together([
      ...changes.nodes.map(
        ({ kind, rows }) =>
          () =>
            this.#insert(NODE_SQL_TABLES[kind], rows, () => repeatedId(kind)),
      ),
      ...Array.from(
        changes.relationships,
        ([kind, rows]) =>
          () =>
            this.#insert(RELATIONSHIP_TABLE, rows, () => repeatedRelationship({ kind })),
      ),
      () => this.#log(state),
      ...alongside,
    ]);
    for (const { kind, columns, rows } of changes.updates)
      for (const some of chunks(rows))
        await this.#session.update(this.#scope, { table: kind, columns, rows: some });
    for (const [kind, ids] of changes.removals)
      for (const some of chunks(ids)) await this.#remove(kind, some);
    return state;
  }

  /** `model` is encoded. Returns the number of removed rows. */
  async removeEmbeddings(model: string, limit: number): Promise<number> {
    const table = tableIn(this.#session.dialect, 'embedding');
    const found = await this.#session.all(
      `SELECT id FROM ${table} WHERE scope = ? AND model = ? ORDER BY id LIMIT ?`,
      [this.#scope, model, limit],
    );
    if (found.length === 0) return 0;
    await this.#log(await this.#count());
    for (const some of chunks(found.map(({ id }) => String(id)))) await this.#remove('embedding', some);
    return found.length;
  }

  async #count(): Promise<ScopeState> {
    const token = newCommitToken();
    const table = tableIn(this.#session.dialect, SCOPE_TABLE);
    const { condition, parameters } = this.#mayCommit();
    const [row] = await this.#session.all(
      `INSERT INTO ${table} AS known (scope, sequence, token) VALUES (?, 1, ?) ON CONFLICT (scope) DO UPDATE SET sequence = known.sequence + 1, token = excluded.token${condition} RETURNING sequence`,
      [this.#scope, token, ...parameters],
    );
    const state = { sequence: Number(row?.sequence), token };
    if (this.#shared === null) return state;
    const { after } = this.#shared;
    if (row === undefined || (after !== null && state.sequence !== after.sequence + 1))
      throw new CommitConflictError();
    return state;
  }

  async #log(state: ScopeState): Promise<void> {
    if (this.#shared !== null)
      await appendToLog(this.#session, this.#scope, { state, changes: this.#shared.logged });
  }

  #mayCommit(): { readonly condition: string; readonly parameters: readonly SqlValue[] } {
    if (this.#shared === null) return { condition: '', parameters: [] };
    const { process, after } = this.#shared;
    const isFree = `${leaseIsFree('writer', this.#session.dialect)} OR known.writer = ?`;
    return after === null
      ? { condition: ` WHERE ${isFree}`, parameters: [process] }
      : {
          condition: ` WHERE known.sequence = ? AND known.token = ? AND (${isFree})`,
          parameters: [after.sequence, after.token, process],
        };
  }

  async #checkScope(kind: NodeKind, ids: readonly string[]): Promise<void> {
    const { dialect } = this.#session;
    const sql = `SELECT COUNT(*) AS number FROM ${tableIn(dialect, kind)} WHERE scope = ? AND ${dialect.isIn('id')}`;
    for (const some of chunks(ids)) {
      const [row] = await this.#session.all(sql, [this.#scope, some]);
      if (Number(row?.number) < some.length) throw new ScopeViolationError(`A ${kind} of the change`);
    }
  }

  async #insert(
    { name, columns }: { readonly name: string; readonly columns: readonly SqlColumn[] },
    all: readonly (readonly SqlValue[])[],
    repeated: () => InvalidChangeError,
  ): Promise<void> {
    try {
      for (const rows of chunks(all)) await this.#session.insert(this.#scope, { table: name, columns, rows });
    } catch (error) {
      throw error instanceof RowExists ? repeated() : error;
    }
  }

  async #remove(kind: NodeKind, ids: readonly string[]): Promise<void> {
    const { dialect } = this.#session;
    const relationships = tableIn(dialect, RELATIONSHIP_TABLE.name);
    for (const { end, code, pair } of endsOf(kind))
      await this.#session.run(
        `DELETE FROM ${relationships} WHERE scope = ? AND kind = ? AND pair = ? AND ${dialect.isIn(end)}`,
        [this.#scope, code, pair, ids],
      );
    await this.#session.run(
      `DELETE FROM ${tableIn(dialect, kind)} WHERE scope = ? AND ${dialect.isIn('id')}`,
      [this.#scope, ids],
    );
  }
}

function endsOf(
  kind: NodeKind,
): { readonly end: 'from_id' | 'to_id'; readonly code: number; readonly pair: number }[] {
  return RELATIONSHIP_KINDS.flatMap((each) => {
    const pairs: readonly (readonly [NodeKind, NodeKind])[] = RELATIONSHIPS[each].pairs;
    return pairs.flatMap(([from, to], pair) => [
      ...(from === kind ? [{ end: 'from_id', code: kindCode(each), pair } as const] : []),
      ...(to === kind ? [{ end: 'to_id', code: kindCode(each), pair } as const] : []),
    ]);
  });
}

function mapValues<K, V, R>(map: ReadonlyMap<K, V>, change: (value: V) => R): ReadonlyMap<K, R> {
  return new Map([...map].map(([key, value]) => [key, change(value)]));
}
