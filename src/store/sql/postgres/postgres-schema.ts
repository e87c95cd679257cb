import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { SchemaTooNewError } from '../../../errors/index.ts';
import { SCHEMA_VERSION } from '../../schema.ts';
import { COMMIT_LOG_TABLE } from '../commit-log.ts';
import { SNAPSHOT_TABLE } from '../shared-snapshots.ts';
import { quoted, type SqlDialect, tableIn } from '../sql-database.ts';
import { createMeta, setSchemaVersion } from '../sql-meta.ts';
import {
  createStatements,
  createTable,
  META_TABLE,
  RECORD_TABLE,
  SCOPE_TABLE,
  SCOPED_TABLES,
  type SqlTable,
} from '../sql-schema.ts';
import { PostgresSession } from './postgres-session.ts';

/** Settings of a transaction that the policies read. */
export const SCOPE_SETTING = 'mnemis.scope';
export const ALL_SCOPES_SETTING = 'mnemis.all_scopes';

/** What several processes on one memory need in addition. */
const SHARING_TABLES: readonly SqlTable[] = [COMMIT_LOG_TABLE, SNAPSHOT_TABLE, RECORD_TABLE];

interface Place {
  readonly schema: string;
  readonly dialect: SqlDialect;
  readonly location: string;
  readonly partitions: number;
}

/**
 * Creates the tables and policies in one transaction, unless they exist. Processes that start together wait for each
 * other.
 *
 * @throws SchemaTooNewError; the database is unchanged.
 */
export async function prepareSchema(client: pg.ClientBase, place: Place): Promise<void> {
  const known = await versionOf(client, place);
  if (known === null) await createSchema(client, place);
  else if (known > SCHEMA_VERSION) throw new SchemaTooNewError(place.location, known, SCHEMA_VERSION);
  else if (known < SCHEMA_VERSION)
    await setSchemaVersion(new PostgresSession(client, place.dialect), SCHEMA_VERSION);
}

/** Null where there are no tables. Not by `to_regclass`, which in a transaction may not see what was just created. */
async function versionOf(client: pg.ClientBase, { schema, dialect }: Place): Promise<number | null> {
  const named = `schemaname = ${client.escapeLiteral(schema)} AND tablename = ${client.escapeLiteral(META_TABLE)}`;
  const found = await client.query(`SELECT 1 FROM pg_tables WHERE ${named}`); // as one message: see `notify`
  if (found.rows.length === 0) return null;
  const meta = tableIn(dialect, META_TABLE);
  const version = await client.query(`SELECT value FROM ${meta} WHERE name = 'schema'`);
  return Number(version.rows[0]?.value ?? 0);
}

async function createSchema(client: pg.ClientBase, place: Place): Promise<void> {
  await client.query('BEGIN');
  try {
    await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
      `mnemis create ${place.schema}`,
    ]);
    if ((await versionOf(client, place)) === null) await createTables(client, place);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

async function createTables(client: pg.ClientBase, place: Place): Promise<void> {
  const { schema, dialect, partitions } = place;
  const { rows } = await client.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema]);
  if (rows.length === 0) await client.query(`CREATE SCHEMA ${quoted(schema)}`);
  const layout = partitions === 0 ? '' : ' PARTITION BY HASH (scope)';
  const rowTables = [...SCOPED_TABLES, ...SHARING_TABLES];
  const names = [SCOPE_TABLE, ...rowTables.map((table) => table.name)];
  const statements = [
    ...createStatements(dialect, layout),
    ...SHARING_TABLES.flatMap((table) => createTable(dialect, table, layout)),
    ...rowTables.flatMap((table) => withoutStatistics(dialect, table)),
    ...names.flatMap((name) => partitionsOf(place, name)),
    ...names
      .flatMap((name) => [name, ...partitionNames(place, name)])
      .flatMap((name) => policiesOf(tableIn(dialect, name))),
  ];
  for (const statement of statements) await client.query(statement);
  await createMeta(new PostgresSession(client, dialect), {
    databaseId: randomUUID(),
    schemaVersion: SCHEMA_VERSION,
  });
}

function partitionNames({ partitions }: Place, table: string): string[] {
  return Array.from({ length: partitions }, (_, at) => `${table}_${at}`);
}

function partitionsOf(place: Place, table: string): string[] {
  const { dialect, partitions } = place;
  return partitionNames(place, table).map(
    (name, at) =>
      `CREATE TABLE ${tableIn(dialect, name)} PARTITION OF ${tableIn(dialect, table)} FOR VALUES WITH (MODULUS ${partitions}, REMAINDER ${at})`,
  );
}

/** The columns that the planner chooses by; none of them holds what a user wrote. */
const PLANNED_BY: ReadonlySet<string> = new Set(['id', 'from_id', 'to_id']);

/** ANALYZE would quote common values of the other columns in its statistics, where no removal of a row erases them. */
function withoutStatistics(dialect: SqlDialect, { name, columns }: SqlTable): string[] {
  const texts = columns.filter(
    (column) => (column.type === 'text' || column.type === 'bytes') && !PLANNED_BY.has(column.name),
  );
  return texts.map(
    (column) => `ALTER TABLE ${tableIn(dialect, name)} ALTER COLUMN ${quoted(column.name)} SET STATISTICS 0`,
  );
}

/**
 * A second fence between scopes, beside the condition of each statement: a transaction sees and writes the rows of the
 * scope that it names, and one about the whole database reads all and writes none. Roles that are superusers or have
 * BYPASSRLS are not held by it.
 */
export function policiesOf(table: string): string[] {
  return [
    `ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`,
    `ALTER TABLE ${table} FORCE ROW LEVEL SECURITY`,
    `CREATE POLICY one_scope ON ${table} USING (scope = current_setting('${SCOPE_SETTING}', true))`,
    `CREATE POLICY all_scopes ON ${table} FOR SELECT USING (current_setting('${ALL_SCOPES_SETTING}', true) = 'on')`,
  ];
}
