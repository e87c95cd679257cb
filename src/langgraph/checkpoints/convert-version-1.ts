import type { Checkpoint, CheckpointMetadata } from '@langchain/langgraph-checkpoint';
import { parseJson } from '../../util/parse-json.ts';
import { CheckpointBlobs, type Dumped, type Leaf } from './checkpoint-blobs.ts';
import { Leaning, leaningOf, parentsColumn } from './checkpoint-row.ts';
import type { SqliteFile, SqlRow } from './sqlite-file.ts';

interface ConvertOptions {
  readonly isJson: boolean;
  readonly createTables: () => void;
}

/**
 * Version 1 had whole checkpoints in one value. Within a transaction.
 *
 * Another serializer's bytes cannot be divided here, so its checkpoints stay whole, and may need all of their
 * ancestors.
 */
export function convertVersion1(file: SqliteFile, { isJson, createTables }: ConvertOptions): void {
  const old = ['checkpoint', 'checkpoint_write'];
  for (const table of old) file.run(`ALTER TABLE ${table} RENAME TO ${table}_1`);
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
    const { channels, value, leans, parents } = isJson ? divided(row) : wholeOf(row);
    const references = blobs.store(
      thread,
      channels.map(({ dumped }) => dumped),
    );
    const column = channels.map(({ name, version }, at) => [name, references[at], version ?? null]);
    file.run(
      `INSERT INTO checkpoint (thread, namespace, checkpoint, parent, leans, parents, channels, type, value, metadata_type, metadata)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [
        ...[thread, row.namespace!, row.checkpoint!, row.parent!, leans, parents],
        ...[isJson ? JSON.stringify(column) : null, row.type!, value, row.metadata_type!, row.metadata!],
      ],
    );
  }
  for (const row of rowsOf(file, 'checkpoint_write_1')) {
    const thread = threads.get(row.thread!)!;
    const leaf = { type: String(row.type), bytes: row.value as Uint8Array };
    const [reference] = blobs.store(thread, [
      isJson && leaf.type === 'json' ? dumpedJson(parsed(leaf)) : leaf,
    ]);
    file.run('INSERT INTO checkpoint_write VALUES (?, ?, ?, ?, ?, ?, ?, ?)', [
      ...[thread, row.namespace!, row.checkpoint!, row.task!, row.position!, row.id!],
      ...[row.channel!, reference!],
    ]);
  }
  for (const table of old) file.run(`DROP TABLE ${table}_1`);
}

/** One by one, so that a long history is never in memory at once. */
function* rowsOf(file: SqliteFile, table: string): Iterable<SqlRow> {
  for (const { id } of file.all(`SELECT id FROM ${table} ORDER BY id`))
    yield* file.all(`SELECT * FROM ${table} WHERE id = ?`, [id!]);
}

function wholeOf({ value }: SqlRow) {
  return { channels: [], value: value!, leans: Leaning.onAncestors, parents: null };
}

function divided(row: SqlRow) {
  const checkpoint = parsed({ bytes: row.value as Uint8Array }) as Checkpoint;
  const metadata = parsed({ bytes: row.metadata as Uint8Array }) as CheckpointMetadata;
  const { channel_values = {}, channel_versions = {} } = checkpoint;
  return {
    channels: Object.entries(channel_values).map(([name, value]) => ({
      name,
      dumped: dumpedJson(value),
      version: channel_versions[name],
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

function parsed({ bytes }: Pick<Leaf, 'bytes'>): unknown {
  const read = parseJson(Buffer.from(bytes).toString('utf8'));
  if (!read.ok) throw new TypeError('unreachable');
  return read.value;
}
