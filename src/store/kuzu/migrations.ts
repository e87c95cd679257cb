import { randomUUID } from 'node:crypto';
import { SchemaTooNewError } from '../../errors/index.ts';
import { SCHEMA_VERSION } from '../schema.ts';
import type { KuzuSession } from './kuzu-connection.ts';
import type { KuzuDatabase } from './kuzu-database.ts';

/**
 * A step from one schema version to the next. Never changed once released. Each statement creates or alters one table.
 */
interface Migration {
  readonly version: number;
  readonly statements: readonly string[];
}

/** Written out, not derived from `schema.ts`: a migration must not change after files were created by it. */
const vectors = Array.from({ length: 16 }, (_, index) => `vector${index} STRING`).join(', ');
const row = 'id STRING PRIMARY KEY, scope STRING, sequence INT64';

export const initial: Migration = {
  version: 1,
  statements: [
    'CREATE NODE TABLE Scope(name STRING PRIMARY KEY, sequence INT64, token INT64)',
    `CREATE NODE TABLE Episode(${row}, \`key\` STRING, version INT64, session STRING, \`index\` INT64, content STRING, speaker STRING, role INT64, validAt INT64, atText STRING, createdAt INT64, expiredAt INT64, source STRING, sourceId STRING, contentHash STRING, attachments STRING, gate INT64, verified INT64, status INT64)`,
    `CREATE NODE TABLE Segment(${row}, session STRING, keywords STRING, summary STRING, startAt INT64, endAt INT64, createdAt INT64, expiredAt INT64)`,
    `CREATE NODE TABLE Entity(${row}, createdAt INT64)`,
    `CREATE NODE TABLE \`Profile\`(${row}, owner STRING, name STRING, aliases STRING, summary STRING, tags STRING, createdAt INT64, expiredAt INT64)`,
    `CREATE NODE TABLE Description(${row}, entity STRING, segment STRING, text STRING, createdAt INT64)`,
    `CREATE NODE TABLE Fact(${row}, kind INT64, statement STRING, relation STRING, validAt INT64, invalidAt INT64, createdAt INT64, expiredAt INT64, confidence DOUBLE, eventStart INT64, eventEnd INT64, eventPrecision INT64, eventText STRING)`,
    `CREATE NODE TABLE Category(${row}, layer INT64, createdAt INT64, expiredAt INT64)`,
    `CREATE NODE TABLE Item(${row}, namespace STRING, \`key\` STRING, value STRING, createdAt INT64, expiredAt INT64)`,
    `CREATE NODE TABLE Embedding(${row}, owner STRING, field INT64, model STRING, ${vectors})`,
    `CREATE NODE TABLE Piece(${row}, text STRING)`,
    'CREATE REL TABLE NEXT(FROM Episode TO Episode, sequence INT64)',
    'CREATE REL TABLE IN_SEGMENT(FROM Episode TO Segment, sequence INT64)',
    'CREATE REL TABLE MENTIONS(FROM Episode TO Entity, sequence INT64)',
    'CREATE REL TABLE ABOUT(FROM Fact TO Entity, sequence INT64, role INT64)',
    'CREATE REL TABLE EVIDENCED_BY(FROM Fact TO Episode, FROM Description TO Episode, sequence INT64)',
    'CREATE REL TABLE SUPERSEDES(FROM Fact TO Fact, sequence INT64)',
    'CREATE REL TABLE RELATED(FROM Segment TO Segment, sequence INT64, relation INT64, confidence DOUBLE)',
    'CREATE REL TABLE CATEGORIZES(FROM Category TO Category, FROM Category TO Entity, sequence INT64)',
  ],
};

/**
 * Turns of version 1 get the default trust (`normal`, position 1); its facts count as read; the profile of its segments
 * is unknown.
 */
export const trustAndFailures: Migration = {
  version: 2,
  statements: [
    'ALTER TABLE Episode ADD `trust` INT64 DEFAULT 1',
    'ALTER TABLE Fact ADD `origin` INT64 DEFAULT 0',
    "ALTER TABLE Segment ADD `profile` STRING DEFAULT ''",
    'CREATE NODE TABLE Failure(id STRING PRIMARY KEY, scope STRING, sequence INT64, session STRING, code STRING, reason STRING, attempts INT64, createdAt INT64, expiredAt INT64)',
    'CREATE REL TABLE FAILED_IN(FROM Episode TO Failure, sequence INT64)',
    'CREATE REL TABLE POSSIBLY_SAME(FROM Entity TO Entity, sequence INT64, confidence DOUBLE)',
  ],
};

/**
 * A file of version 2 has no corrections and no forgettings; the stated end of its facts is unknown (none: 2^53 − 1).
 */
export const correctionsAndTombstones: Migration = {
  version: 3,
  statements: [
    'ALTER TABLE Fact ADD `statedEnd` INT64 DEFAULT 9007199254740991',
    'CREATE NODE TABLE Correction(id STRING PRIMARY KEY, scope STRING, sequence INT64, kind INT64, author STRING, targets STRING, detail STRING, createdAt INT64, finishedAt INT64, undoneAt INT64)',
    'CREATE NODE TABLE Tombstone(id STRING PRIMARY KEY, scope STRING, sequence INT64, kind INT64, digest STRING, salt STRING, createdAt INT64)',
  ],
};

/** A file of version 3 has no categories. */
const hierarchy: Migration = {
  version: 4,
  statements: [
    'ALTER TABLE Category ADD `staleSince` INT64 DEFAULT 9007199254740991',
    'CREATE NODE TABLE Hierarchy(id STRING PRIMARY KEY, scope STRING, sequence INT64, categorizer STRING, stoppedBy INT64, layers INT64, minimumChildren INT64, maximumLayers INT64, entities INT64, topNodes INT64, builtAt INT64, createdAt INT64)',
  ],
};

/** Turns of version 4 have no metadata. */
const metadata: Migration = {
  version: 5,
  statements: ["ALTER TABLE Episode ADD `metadata` STRING DEFAULT '{}'"],
};

/** Vectors of version 5 are float32 numbers, which are read as before; older versions must not read rounded ones. */
const roundedVectors: Migration = { version: 6, statements: [] };

const MIGRATIONS: readonly Migration[] = [
  initial,
  trustAndFailures,
  correctionsAndTombstones,
  hierarchy,
  metadata,
  roundedVectors,
];

/**
 * Migrates a file to this version's schema, one transaction per step: after a crash the file has a complete version.
 * Only tables that the file has are altered; the others are created when they are needed (`createTables`).
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
  if (found === 0) await database.write((session) => createEmpty(session, migrations));
  else
    for (const migration of migrations)
      if (migration.version > found) await database.write((session) => alter(session, migration));
  return Math.max(known, found);
}

/**
 * Creates those of the named tables that the file lacks, and the tables that their relationships join, in the caller's
 * transaction. Returns the names of all tables of the file.
 */
export async function createTables(
  session: KuzuSession,
  names: readonly string[],
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<readonly string[]> {
  const statements = migrations.flatMap((migration) => migration.statements);
  const ends = statements.flatMap((statement) =>
    names.includes(tableOf(statement)) ? endsOf(statement) : [],
  );
  const existing = await tableNames(session);
  const missing = new Set([...names, ...ends]);
  for (const name of existing) missing.delete(name);
  for (const statement of statements) if (missing.has(tableOf(statement))) await session.run(statement);
  return [...existing, ...missing];
}

export async function tableNames(source: Pick<KuzuSession, 'run'>): Promise<string[]> {
  const tables = await source.run('CALL show_tables() RETURN name');
  return tables.map(({ name }) => String(name));
}

function tableOf(statement: string): string {
  const [, name] = /^(?:CREATE (?:NODE|REL)|ALTER) TABLE `?(\w+)/.exec(statement) ?? [];
  if (name === undefined) throw new TypeError(`A migration of no table: ${statement}`);
  return name;
}

/** The tables of the nodes that a table of relationships joins. */
function endsOf(statement: string): string[] {
  return Array.from(statement.matchAll(/\b(?:FROM|TO) (\w+)/g), ([, name]) => name!);
}

async function schemaVersion(database: KuzuDatabase): Promise<number> {
  const tables = await tableNames({ run: (statement) => database.read(statement) });
  if (!tables.includes('Meta')) return 0;
  const rows = await database.read("MATCH (m:Meta {id: 'schema'}) RETURN m.number AS number");
  return Number(rows[0]?.number ?? 0);
}

/** The tables without which a file cannot be read. */
async function createEmpty(session: KuzuSession, migrations: readonly Migration[]): Promise<void> {
  const version = Math.max(...migrations.map((migration) => migration.version));
  await session.run('CREATE NODE TABLE Meta(id STRING PRIMARY KEY, number INT64, text STRING)');
  await session.run("CREATE (:Meta {id: 'schema', number: $version, text: ''})", { version });
  await session.run("CREATE (:Meta {id: 'database', number: 0, text: $id})", { id: randomUUID() });
  await createTables(session, ['Scope'], migrations);
}

async function alter(session: KuzuSession, { version, statements }: Migration): Promise<void> {
  const existing = new Set(await tableNames(session));
  for (const statement of statements)
    if (statement.startsWith('ALTER') && existing.has(tableOf(statement))) await session.run(statement);
  await session.run("MATCH (m:Meta {id: 'schema'}) SET m.number = $version", { version });
}
