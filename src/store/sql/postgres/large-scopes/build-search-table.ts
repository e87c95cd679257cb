import { EMBEDDED_FIELDS } from '../../../../model/nodes.ts';
import { breathe } from '../../../../util/breathe.ts';
import { decodeVector } from '../../../../util/rounded-vector.ts';
import type { ReadTurnWords, VectorKind } from '../../../scope-search.ts';
import { decodeNode } from '../../sql-codec.ts';
import { listed, type SqlRow, type SqlSession, tableIn } from '../../sql-database.ts';
import { NODE_SQL_TABLES, SCOPE_TABLE } from '../../sql-schema.ts';
import { NO_TEXT, type SearchRow, SearchRows, textColumns } from './search-rows.ts';
import {
  countTerms,
  createIndexes,
  createTable,
  dropTable,
  listTable,
  type SearchTable,
  tablesOf,
} from './search-tables.ts';
import { halfVector } from './vector-extension.ts';

const PAGE = 1_000;
/** What building an index of neighbours may take, where the server's setting is lower; it takes what it needs. */
const BUILD_MEMORY = '512MB';

const FIELDS: Readonly<Record<VectorKind, (typeof EMBEDDED_FIELDS)[number]>> = {
  episode: 'content',
  fact: 'statement',
};

interface Build {
  /** Encoded. */
  readonly scope: string;
  readonly table: SearchTable;
  readonly readWords: ReadTurnWords;
}

/**
 * Fills the table of a scope from its graph, in one transaction, for which other writers of the scope wait. Does nothing
 * where another process has done it.
 */
export async function buildSearchTable(session: SqlSession, build: Build): Promise<void> {
  const { scope, table } = build;
  const { dialect } = session;
  await session.all(`SELECT scope FROM ${tableIn(dialect, SCOPE_TABLE)} WHERE scope = ? FOR UPDATE`, [scope]);
  if ((await tablesOf(session, scope)).some(({ name }) => name === table.name)) return;
  await dropTable(session, scope, table.model);
  await createTable(session, scope, table);
  await session.run(
    `CREATE TEMPORARY TABLE mnemis_vectors ON COMMIT DROP AS SELECT owner, field, id FROM ${tableIn(dialect, 'embedding')} WHERE scope = ? AND model = ?`,
    [scope, table.model],
  );
  await session.run('CREATE INDEX ON mnemis_vectors (owner)');
  await session.run('ANALYZE mnemis_vectors');
  for (const kind of ['episode', 'fact'] as const) await copyRows(session, kind, build);
  await session.all(
    `SELECT set_config('maintenance_work_mem', '${BUILD_MEMORY}', true) WHERE pg_size_bytes(current_setting('maintenance_work_mem')) < pg_size_bytes('${BUILD_MEMORY}')`,
  );
  await createIndexes(session, table);
  await countTerms(session, scope, table);
  await listTable(session, scope, table);
}

const TURN_FIELDS = NODE_SQL_TABLES.episode.fields.filter(({ name }) =>
  ['content', 'attachments', 'validAt'].includes(name),
);

async function copyRows(session: SqlSession, kind: VectorKind, build: Build): Promise<void> {
  const { scope, table } = build;
  const texts = kind === 'episode' ? `, ${listed(TURN_FIELDS.flatMap(({ columns }) => columns))}` : '';
  const rows = new SearchRows(session, scope, table);
  const field = EMBEDDED_FIELDS.indexOf(FIELDS[kind]);
  const page = `SELECT "id"${texts} FROM ${tableIn(session.dialect, kind)} WHERE scope = ? AND expired_at IS NULL AND id > ? ORDER BY id LIMIT ${PAGE}`;
  const sql = `SELECT node.*, vectors.id AS embedding_id, embedding.vector FROM (${page}) AS node LEFT JOIN mnemis_vectors AS vectors ON vectors.owner = node.id AND vectors.field = ${field} LEFT JOIN ${tableIn(session.dialect, 'embedding')} AS embedding ON embedding.scope = ? AND embedding.id = vectors.id ORDER BY node.id`;
  for (let after = ''; ; ) {
    const found = await session.all(sql, [scope, after, scope]);
    if (found.length === 0) return;
    await rows.copy(distinct(found).map((row) => searchRow(kind, row, build)));
    await breathe();
    after = String(found.at(-1)!.id);
  }
}

/** A node may have two vectors of one embedder after a repair: one is enough. */
function distinct(rows: readonly SqlRow[]): readonly SqlRow[] {
  return rows.filter((row, place) => row.id !== rows[place + 1]?.id);
}

function searchRow(kind: VectorKind, row: SqlRow, { table, readWords }: Build): SearchRow {
  const vector = readVector(row.vector, table);
  const text = kind === 'episode' ? textColumns(readWords(decodeNode<'episode'>(TURN_FIELDS, row))) : NO_TEXT;
  const embeddingId = vector === '' ? '' : String(row.embedding_id);
  return { kind, id: String(row.id), ...text, embeddingId, vector };
}

function readVector(stored: SqlRow[string] | undefined, { dimension }: SearchTable): string {
  if (!(stored instanceof Uint8Array)) return '';
  const vector = decodeVector(stored);
  return (vector.length === dimension ? halfVector(vector) : null) ?? '';
}
