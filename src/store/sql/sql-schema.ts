import type { ColumnType } from '../../model/columns.ts';
import { NODE_KINDS, type NodeKind, TIME_PRECISIONS } from '../../model/nodes.ts';
import { columnsByName } from '../../model/rows.ts';
import { listed, quoted, type SqlColumn, type SqlDialect, tableIn } from './sql-database.ts';

/** A table whose key begins with the scope. `columns` leaves the scope out. */
export interface SqlTable {
  readonly name: string;
  readonly columns: readonly SqlColumn[];
  /** Columns of the primary key after the scope. */
  readonly key: readonly string[];
  /** Columns of further indexes after the scope. */
  readonly indexes: readonly (readonly string[])[];
}

/** How one field of a row is stored. */
export interface SqlField {
  readonly name: string;
  readonly type: ColumnType;
  readonly columns: readonly SqlColumn[];
}

export interface NodeSqlTable extends SqlTable {
  readonly kind: NodeKind;
  readonly fields: readonly SqlField[];
}

const id: SqlColumn = { name: 'id', type: 'text' };

/**
 * Digests of what turns are found by: their key, their place in a session, and their id in the source. An index on the
 * texts themselves would exceed the size that Postgres allows for an entry.
 */
export const EPISODE_DIGESTS = ['key_digest', 'place_digest', 'source_digest'] as const;

const DIGEST_COLUMNS: readonly SqlColumn[] = EPISODE_DIGESTS.map((name) => ({
  name,
  type: 'text',
  optional: name === 'source_digest',
}));

const INDEXES: Partial<Record<NodeKind, readonly (readonly string[])[]>> = {
  episode: EPISODE_DIGESTS.map((name) => [name]),
  embedding: [['model']],
};

export const NODE_SQL_TABLES = Object.fromEntries(
  NODE_KINDS.map((kind) => [kind, nodeTable(kind)]),
) as unknown as Readonly<Record<NodeKind, NodeSqlTable>>;

function nodeTable(kind: NodeKind): NodeSqlTable {
  const fields = Object.entries(columnsByName(kind)).map(([name, type]): SqlField => {
    const stored = snakeCase(name);
    return { name, type, columns: name === 'id' ? [id] : columnsFor(stored, type) };
  });
  const columns = fields.flatMap((field) => field.columns);
  return {
    kind,
    name: kind,
    fields,
    columns: kind === 'episode' ? [...columns, ...DIGEST_COLUMNS] : columns,
    key: ['id'],
    indexes: INDEXES[kind] ?? [],
  };
}

function columnsFor(name: string, { type }: ColumnType): readonly SqlColumn[] {
  switch (type) {
    case 'name':
    case 'text':
    case 'json':
      return [{ name, type: 'text' }];
    case 'optionalName':
      return [{ name, type: 'text', optional: true }];
    case 'integer':
    case 'time':
    case 'boolean':
    case 'code':
      return [{ name, type: 'integer' }];
    case 'optionalTime':
      return [{ name, type: 'integer', optional: true }];
    case 'number':
      return [{ name, type: 'double' }];
    case 'interval':
      return [
        { name: `${name}_start`, type: 'integer', optional: true },
        { name: `${name}_end`, type: 'integer', optional: true },
        { name: `${name}_precision`, type: 'integer', optional: true },
        { name: `${name}_text`, type: 'text', optional: true },
      ];
    case 'vector':
      return [{ name, type: 'bytes' }];
  }
}

/** `PRECISIONS[code]` is the precision of an interval. */
export const PRECISIONS: readonly string[] = TIME_PRECISIONS;

/**
 * All relationships in one table, so that removing a node is one statement. `kind` is the position in
 * `RELATIONSHIP_KINDS`, `pair` the position among the pairs of node kinds that the kind may join; both lists are append
 * only.
 */
export const RELATIONSHIP_TABLE: SqlTable = {
  name: 'relationship',
  columns: [
    { name: 'kind', type: 'integer' },
    { name: 'from_id', type: 'text' },
    { name: 'to_id', type: 'text' },
    { name: 'pair', type: 'integer' },
    /** -1 for a kind without roles: a primary key holds no null. */
    { name: 'role', type: 'integer' },
    { name: 'relation', type: 'integer', optional: true },
    { name: 'confidence', type: 'double', optional: true },
  ],
  key: ['kind', 'from_id', 'to_id', 'pair', 'role'],
  indexes: [['kind', 'to_id']],
};

export const NO_ROLE = -1;

/** The last commit of each scope, and who holds its leases until when. Its scope is its key. */
export const SCOPE_TABLE = 'scope';
/** Facts of the whole database by name: its id, its schema version, the embedders. */
export const META_TABLE = 'meta';

export const SCOPED_TABLES: readonly SqlTable[] = [
  ...NODE_KINDS.map((kind) => NODE_SQL_TABLES[kind]),
  RELATIONSHIP_TABLE,
];

/** Statements that create every table and index that is missing; `layout` ends the definition of those with a scope. */
export function createStatements(dialect: SqlDialect, layout = ''): string[] {
  const { text, integer } = dialect.types;
  return [
    `CREATE TABLE IF NOT EXISTS ${tableIn(dialect, META_TABLE)} (name ${text} NOT NULL PRIMARY KEY, value ${text} NOT NULL)`,
    `CREATE TABLE IF NOT EXISTS ${tableIn(dialect, SCOPE_TABLE)} (scope ${text} NOT NULL PRIMARY KEY, sequence ${integer} NOT NULL, token ${integer} NOT NULL, writer ${text}, writer_until ${integer}, worker ${text}, worker_until ${integer})${layout}`,
    ...SCOPED_TABLES.flatMap((table) => createTable(dialect, table, layout)),
  ];
}

/** Statements that create a table and its indexes, if they are missing. */
export function createTable(
  dialect: SqlDialect,
  { name, columns, key, indexes }: SqlTable,
  layout = '',
): string[] {
  const definitions = [{ name: 'scope', type: 'text' } as SqlColumn, ...columns].map(
    (column) =>
      `${quoted(column.name)} ${dialect.types[column.type]}${column.optional === true ? '' : ' NOT NULL'}`,
  );
  const byScope = (names: readonly string[]) => listed(['scope', ...names].map((each) => ({ name: each })));
  return [
    `CREATE TABLE IF NOT EXISTS ${tableIn(dialect, name)} (${definitions.join(', ')}, PRIMARY KEY (${byScope(key)}))${layout}`,
    ...indexes.map((index) => dialect.createIndex(`${name}_${index.join('_')}`, name, byScope(index))),
  ];
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** What a server keeps beside a memory, such as its tokens. `scope` is a kind of records, and no scope of the memory. */
export const RECORD_TABLE: SqlTable = {
  name: 'record',
  columns: [
    { name: 'id', type: 'text' },
    { name: 'value', type: 'text' },
  ],
  key: ['id'],
  indexes: [],
};
