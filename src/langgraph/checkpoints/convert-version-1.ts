import type { Checkpoint, CheckpointMetadata } from '@langchain/langgraph-checkpoint';
import { parseJson } from '../../util/parse-json.ts';
import { CheckpointBlobs, type Dumped, type Leaf } from './checkpoint-blobs.ts';
import { Leaning, leaningOf, parentsColumn } from './checkpoint-row.ts';
import type { SqliteFile, SqlRow, SqlValue } from './sqlite-file.ts';

const TABLES = ['checkpoint', 'checkpoint_write'];

interface ConvertOptions {
  readonly isJson: boolean;
  readonly createTables: () => void;
}

/**
 * Version 1 had each checkpoint in one value. Within a transaction.
 *
 * Values of another serializer cannot be divided here: their checkpoints stay whole, and are taken to need all of
 * their ancestors.
 */
export function convertVersion1(file: SqliteFile, { isJson, createTables }: ConvertOptions): void {
  for (const table of TABLES) file.run(`ALTER TABLE ${table} RENAME TO ${table}_1`);
  createTables();
  file.run(
    `INSERT INTO checkpoint_thread (name)
     SELECT thread FROM checkpoint_1 UNION SELECT thread FROM checkpoint_write_1`,
  );
  const blobs = new CheckpointBlobs(file);
  const threads = new Map(
    file.all('SELECT id, name FROM checkpoint_thread').map(({ id, name }) => [name, Number(id)]),
  );
  for (const row of rowsOf(file, 'checkpoint_1')) {
    const thread = threads.get(row.thread!)!;
    const { channels, value, leans, parents } = (isJson ? divided(row) : null) ?? wholeOf(row);
    const references = blobs.store(thread, channels?.map(({ dumped }) => dumped) ?? []);
    const column = channels?.map(({ name, version }, at) => [name, references[at], version]);
    file.run(
      `INSERT INTO checkpoint (thread, namespace, checkpoint, parent, leans, parents, channels, type, value,
         metadata_type, metadata)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [
        ...[thread, row.namespace!, row.checkpoint!, row.parent!, leans, parents],
        ...[column === undefined ? null : JSON.stringify(column), row.type!, value],
        ...[row.metadata_type!, row.metadata!],
      ],
    );
  }
  for (const row of rowsOf(file, 'checkpoint_write_1')) {
    const thread = threads.get(row.thread!)!;
    const leaf = leafOf(row.type!, row.value!);
    const read = isJson ? parsed(leaf) : null;
    const [reference] = blobs.store(thread, [read?.ok ? dumpedJson(read.value) : leaf]);
    file.run(
      `INSERT INTO checkpoint_write (thread, namespace, checkpoint, task, position, place, channel, value)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      [
        ...[thread, row.namespace!, row.checkpoint!, row.task!, row.position!, row.id!],
        ...[row.channel!, reference!],
      ],
    );
  }
  for (const table of TABLES) file.run(`DROP TABLE ${table}_1`);
}

/** One by one, so that a long history is never in memory at once. */
function* rowsOf(file: SqliteFile, table: string): Iterable<SqlRow> {
  for (const { id } of file.all(`SELECT id FROM ${table} ORDER BY id`))
    yield* file.all(`SELECT * FROM ${table} WHERE id = ?`, [id!]);
}

function wholeOf({ value }: SqlRow) {
  return { channels: null, value: value!, leans: Leaning.onAncestors, parents: null };
}

/** Null if a value cannot be read. */
function divided(row: SqlRow) {
  const readCheckpoint = parsed(leafOf(row.type!, row.value!));
  const readMetadata = parsed(leafOf(row.metadata_type!, row.metadata!));
  if (!readCheckpoint?.ok || !readMetadata?.ok) return null;
  const checkpoint = readCheckpoint.value as Checkpoint;
  const metadata = readMetadata.value as CheckpointMetadata;
  const { channel_values = {}, channel_versions = {} } = checkpoint;
  return {
    channels: Object.entries(channel_values).map(([name, value]) => ({
      name,
      dumped: dumpedJson(value),
      version: Object.hasOwn(channel_versions, name) ? channel_versions[name] : null,
    })),
    value: jsonBytes({ ...checkpoint, channel_values: {} }),
    leans: leaningOf(checkpoint, metadata),
    parents: parentsColumn(metadata.parents),
  };
}

/** What LangGraph's serializer makes of a value is what it makes of its parts, put together. */
function dumpedJson(value: unknown): Dumped {
  return Array.isArray(value) ? value.map(jsonLeaf) : jsonLeaf(value);
}

function jsonLeaf(value: unknown): Leaf {
  return { type: 'json', bytes: jsonBytes(value) };
}

function jsonBytes(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}

/** Null for bytes. */
function parsed({ type, bytes }: Leaf) {
  return type === 'json' ? parseJson(Buffer.from(bytes).toString('utf8')) : null;
}

function leafOf(type: SqlValue, value: SqlValue): Leaf {
  return { type: String(type), bytes: value as Uint8Array };
}
