import { randomUUID } from 'node:crypto';
import { openSqlite, readPragma } from '../../../util/sqlite-file.ts';
import type { DatabaseLock } from '../../database-lock.ts';
import { lockFile } from '../../memory-file.ts';
import { SCHEMA_VERSION } from '../../schema.ts';
import { confirmSwap, continueSwap, undoSwap } from '../../swap-files.ts';
import { createMeta, SqlMeta, setSchemaVersion } from '../sql-meta.ts';
import { createStatements } from '../sql-schema.ts';
import { SqlStore } from '../sql-store.ts';
import { APPLICATION_ID, checkOrigin, checkSqliteFile } from './check-sqlite-file.ts';
import { asSqliteError, SQLITE_DIALECT, SqliteDatabase } from './sqlite-database.ts';
import { SqliteFiles } from './sqlite-files.ts';

/**
 * Opens or creates a memory in a SQLite file (mode 0600; its folder must exist), which one process can have open.
 *
 * @param path Absolute.
 * @throws DatabaseLockedError, DatabaseCorruptError, SchemaTooNewError, DiskFullError; the file is unchanged.
 */
export async function openSqliteStore(path: string): Promise<SqlStore> {
  const lock = await lockFile(path);
  let database: SqliteDatabase;
  try {
    const isReplaced = continueSwap(path);
    database = await openChecked(path, lock).catch((error: unknown) => {
      if (!isReplaced) throw error;
      undoSwap(path);
      return openChecked(path, lock);
    });
  } catch (error) {
    await lock.release();
    throw asSqliteError(path, error, 'open');
  }
  try {
    const meta = new SqlMeta(database);
    await meta.load();
    confirmSwap(path);
    const files = new SqliteFiles(database, meta);
    return new SqlStore(database, { backend: 'sqlite', meta, files, process: null });
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function openChecked(path: string, lock: DatabaseLock): Promise<SqliteDatabase> {
  checkSqliteFile(path);
  const connection = openSqlite(path, (database) => checkOrigin(database, path));
  try {
    const database = new SqliteDatabase(path, connection, lock);
    if (readPragma(connection, 'application_id') !== APPLICATION_ID) await createTables(database);
    else if (readPragma(connection, 'user_version') < SCHEMA_VERSION) await raiseVersion(database);
    return database;
  } catch (error) {
    connection.close();
    throw error;
  }
}

async function createTables(database: SqliteDatabase): Promise<void> {
  await database.write(null, async (session) => {
    for (const statement of createStatements(SQLITE_DIALECT)) await session.run(statement);
    await createMeta(session, { databaseId: randomUUID(), schemaVersion: SCHEMA_VERSION });
    await session.run(`PRAGMA user_version = ${SCHEMA_VERSION}`);
    await session.run(`PRAGMA application_id = ${APPLICATION_ID}`);
  });
}

/** Its rows stay as they are: this version reads them. */
async function raiseVersion(database: SqliteDatabase): Promise<void> {
  await database.write(null, async (session) => {
    await setSchemaVersion(session, SCHEMA_VERSION);
    await session.run(`PRAGMA user_version = ${SCHEMA_VERSION}`);
  });
}
