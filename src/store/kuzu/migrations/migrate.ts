import { randomUUID } from 'node:crypto';
import { SchemaTooNewError } from '../../../errors/schema-too-new-error.ts';
import { SCHEMA_VERSION } from '../../schema.ts';
import type { KuzuSession } from '../kuzu-connection.ts';
import type { KuzuDatabase } from '../kuzu-database.ts';
import { initial } from './001-initial.ts';
import { trustAndFailures } from './002-trust-and-failures.ts';
import { correctionsAndTombstones } from './003-corrections-and-tombstones.ts';
import { hierarchy } from './004-hierarchy.ts';
import type { Migration } from './migration.ts';

const MIGRATIONS: readonly Migration[] = [initial, trustAndFailures, correctionsAndTombstones, hierarchy];

/**
 * Brings a file to this version's schema, one transaction per step: a crash leaves it at a whole version.
 *
 * @throws SchemaTooNewError for a file of a newer Mnemis.
 */
export async function migrate(
  database: KuzuDatabase,
  migrations: readonly Migration[] = MIGRATIONS,
  known: number = SCHEMA_VERSION,
): Promise<number> {
  const found = await schemaVersion(database);
  if (found > known) throw new SchemaTooNewError(database.path, found, known);
  for (const migration of migrations)
    if (migration.version > found) await database.write((session) => apply(session, migration));
  return Math.max(known, found);
}

async function schemaVersion(database: KuzuDatabase): Promise<number> {
  const tables = await database.read('CALL show_tables() RETURN name');
  if (!tables.some(({ name }) => name === 'Meta')) return 0;
  const rows = await database.read("MATCH (m:Meta {id: 'schema'}) RETURN m.number AS number");
  return Number(rows[0]?.number ?? 0);
}

async function apply(session: KuzuSession, { version, statements }: Migration): Promise<void> {
  if (version === 1) {
    await session.run('CREATE NODE TABLE Meta(id STRING PRIMARY KEY, number INT64, text STRING)');
    await session.run("CREATE (:Meta {id: 'schema', number: 0, text: ''})");
    await session.run("CREATE (:Meta {id: 'database', number: 0, text: $id})", { id: randomUUID() });
  }
  for (const statement of statements) await session.run(statement);
  await session.run("MATCH (m:Meta {id: 'schema'}) SET m.number = $version", { version });
}
