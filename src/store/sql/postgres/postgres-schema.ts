import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { SchemaTooNewError } from '../../../errors/index.ts';
import { SCHEMA_VERSION } from '../../schema.ts';
import { quoted, type SqlDialect, tableIn } from '../sql-database.ts';
import { createMeta } from '../sql-meta.ts';
import { createStatements, META_TABLE, SCOPE_TABLE, SCOPED_TABLES } from '../sql-schema.ts';
import { PostgresSession } from './postgres-session.ts';

/** Settings of a transaction that the policies read. */
export const SCOPE_SETTING = 'mnemis.scope';
export const ALL_SCOPES_SETTING = 'mnemis.all_scopes';

interface Place {
  readonly schema: string;
  readonly dialect: SqlDialect;
  readonly location: string;
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
}

/** Null where there are no tables. */
async function versionOf(client: pg.ClientBase, { dialect }: Place): Promise<number | null> {
  const meta = tableIn(dialect, META_TABLE);
  const { rows } = await client.query('SELECT to_regclass($1) IS NOT NULL AS found', [meta]);
  if (rows[0]?.found !== true) return null;
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

async function createTables(client: pg.ClientBase, { schema, dialect }: Place): Promise<void> {
  const { rows } = await client.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema]);
  if (rows.length === 0) await client.query(`CREATE SCHEMA ${quoted(schema)}`);
  for (const statement of createStatements(dialect)) await client.query(statement);
  for (const name of [SCOPE_TABLE, ...SCOPED_TABLES.map((table) => table.name)])
    for (const statement of policiesOf(tableIn(dialect, name))) await client.query(statement);
  await createMeta(new PostgresSession(client, dialect), {
    databaseId: randomUUID(),
    schemaVersion: SCHEMA_VERSION,
  });
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
