import { createHash } from 'node:crypto';
import type { EmbeddingFingerprint } from '../../../../model/nodes.ts';
import { embeddingModel } from '../../../graph-store.ts';
import type { VectorKind } from '../../../scope-search.ts';
import { encodeText } from '../../sql-codec.ts';
import { type SqlDatabase, type SqlDialect, type SqlSession, tableIn } from '../../sql-database.ts';
import { policiesOf } from '../postgres-schema.ts';
import type { VectorExtension } from './vector-extension.ts';

/** Lists the tables of large scopes, so that every process that writes to such a scope keeps its table. */
const LARGE_SCOPES = 'large_scope';

/** The words and vectors of the live rows of one scope, with the vectors of one embedder. */
export interface SearchTable {
  /** Unqualified. */
  readonly name: string;
  /** Mark of the embedder's rows, encoded. */
  readonly model: string;
  readonly dimension: number;
  /** Type of its vectors, without their length: qualified and quoted. */
  readonly halfvec: string;
}

/** Version of a table's columns: another one gives another name, and the table is built again. */
const COLUMNS = 2;

/** Codes of the column `kind`: append only. */
export const KIND_CODES: Readonly<Record<VectorKind, number>> = { episode: 0, fact: 1 };

/** Creates the list of tables, unless it is there. Processes that start together wait for each other. */
export async function prepareList(database: SqlDatabase): Promise<void> {
  const table = tableIn(database.dialect, LARGE_SCOPES);
  const isThere = async (session: SqlSession) => {
    const [row] = await session.all('SELECT to_regclass(?) IS NOT NULL AS found', [table]);
    return (row?.found as unknown) === true;
  };
  if (await database.read(null, isThere)) return;
  const { text, integer } = database.dialect.types;
  await database.write(null, async (session) => {
    await session.all('SELECT pg_advisory_xact_lock(hashtextextended(?, 0))', [`mnemis list ${table}`]);
    if (await isThere(session)) return;
    await session.run(
      `CREATE TABLE ${table} (scope ${text} NOT NULL, model ${text} NOT NULL, dimension ${integer} NOT NULL, name ${text} NOT NULL, halfvec ${text} NOT NULL, PRIMARY KEY (scope, model))`,
    );
    for (const statement of policiesOf(table)) await session.run(statement);
  });
}

/** The tables of a scope: one, and a second while its vectors move to another embedder. */
export async function tablesOf(session: SqlSession, scope: string): Promise<readonly SearchTable[]> {
  const rows = await session.all(
    `SELECT name, model, dimension, halfvec FROM ${tableIn(session.dialect, LARGE_SCOPES)} WHERE scope = ?`,
    [scope],
  );
  return rows.map(({ name, model, dimension, halfvec }) => ({
    name: String(name),
    model: String(model),
    dimension: Number(dimension),
    halfvec: String(halfvec),
  }));
}

/** The table that a scope has or would have. A table of its own for each scope lets no other scope's rows be searched. */
export function tableFor(
  scope: string,
  fingerprint: EmbeddingFingerprint,
  { schema }: VectorExtension,
): SearchTable {
  const model = encodeText(embeddingModel(fingerprint));
  const digest = createHash('sha256')
    .update(JSON.stringify([COLUMNS, scope, model]))
    .digest('hex');
  return {
    name: `search_${digest.slice(0, 32)}`,
    model,
    dimension: fingerprint.dimension,
    halfvec: `${schema}.halfvec`,
  };
}

/**
 * Creates the table without indexes, which are built faster when its rows are there. A constraint keeps rows of other
 * scopes out. The policies are those of all tables, but they do not hold its owner: under a policy, PostgreSQL searches
 * no words by an index, because the operator might show what the policy hides.
 */
export async function createTable(session: SqlSession, scope: string, table: SearchTable): Promise<void> {
  const { text } = session.dialect.types;
  const name = qualified(session.dialect, table);
  await session.run(`DROP TABLE IF EXISTS ${name}`);
  await session.run(
    `CREATE TABLE ${name} (scope ${text} NOT NULL CHECK (scope = ${literal(scope)}), kind smallint NOT NULL, id ${text} NOT NULL, words tsvector, length integer, signs smallint, times bigint[], embedding_id ${text}, embedding ${vectorType(table)}, PRIMARY KEY (kind, id))`,
  );
  for (const statement of policiesOf(name)) await session.run(statement);
  await session.run(`ALTER TABLE ${name} NO FORCE ROW LEVEL SECURITY`);
  const terms = termsOf(session.dialect, table);
  await session.run(`DROP TABLE IF EXISTS ${terms}`);
  await session.run(
    `CREATE TABLE ${terms} (scope ${text} NOT NULL CHECK (scope = ${literal(scope)}), term ${text} NOT NULL PRIMARY KEY, turns bigint NOT NULL)`,
  );
  for (const statement of policiesOf(terms)) await session.run(statement);
}

/** Counts the terms of a table that was filled before. */
export async function countTerms(session: SqlSession, scope: string, table: SearchTable): Promise<void> {
  const words = `SELECT words FROM ${qualified(session.dialect, table)} WHERE words IS NOT NULL`;
  const terms = termsOf(session.dialect, table);
  await session.run(`INSERT INTO ${terms} (scope, term, turns) SELECT ?, word, ndoc FROM ts_stat(?)`, [
    scope,
    words,
  ]);
  await session.run(`CREATE INDEX ON ${terms} (term) WHERE turns <= 0`);
  await session.run(`ANALYZE ${terms}`);
}

/** A text constant without a question mark, which would be a placeholder. */
function literal(text: string): string {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll("'", "''").replaceAll('?', '\\x3F');
  return `E'${escaped}'`;
}

/** The nearest neighbours of each kind have an index of their own, so that no condition is left to it. */
export async function createIndexes(session: SqlSession, table: SearchTable): Promise<void> {
  const name = qualified(session.dialect, table);
  await session.run(`CREATE INDEX ON ${name} USING gin (words)`);
  await session.run(`CREATE INDEX ON ${name} (embedding_id) WHERE embedding_id IS NOT NULL`);
  const operators = `${table.halfvec.slice(0, -'halfvec'.length)}halfvec_ip_ops`;
  for (const kind of Object.values(KIND_CODES))
    await session.run(`CREATE INDEX ON ${name} USING hnsw (embedding ${operators}) WHERE kind = ${kind}`);
  await session.run(`ANALYZE ${name}`);
}

export async function listTable(session: SqlSession, scope: string, table: SearchTable): Promise<void> {
  const { name, model, dimension, halfvec } = table;
  await session.run(
    `INSERT INTO ${tableIn(session.dialect, LARGE_SCOPES)} (scope, model, dimension, name, halfvec) VALUES (?, ?, ?, ?, ?)`,
    [scope, model, dimension, name, halfvec],
  );
}

/** Drops the table with an embedder's vectors, if there is one. */
export async function dropTable(session: SqlSession, scope: string, model: string): Promise<void> {
  const table = (await tablesOf(session, scope)).find((each) => each.model === model);
  if (table === undefined) return;
  await session.run(`DELETE FROM ${tableIn(session.dialect, LARGE_SCOPES)} WHERE scope = ? AND model = ?`, [
    scope,
    model,
  ]);
  await session.run(
    `DROP TABLE IF EXISTS ${qualified(session.dialect, table)}, ${termsOf(session.dialect, table)}`,
  );
}

/** The operator of the negative inner product, in the schema of the extension. */
export function innerProduct({ halfvec }: SearchTable): string {
  return `OPERATOR(${halfvec.slice(0, -'.halfvec'.length)}.<#>)`;
}

/** The type of a table's vectors. */
export function vectorType({ halfvec, dimension }: SearchTable): string {
  return `${halfvec}(${dimension})`;
}

/** The table of the terms of turns, with the number of turns that have each. */
export const termsOf = (dialect: SqlDialect, { name }: SearchTable): string =>
  tableIn(dialect, `${name}_terms`);

export const qualified = (dialect: SqlDialect, { name }: SearchTable): string => tableIn(dialect, name);
