import { HeldTally, type TextHolder } from '../../edit/proof/text-holder.ts';
import { Breather } from '../../util/breathe.ts';
import { inBatches, stringsIn } from '../../util/collections.ts';
import { parseJson } from '../../util/parse-json.ts';
import type { SqliteFile, SqlRow } from './sqlite-file.ts';

/** The columns that can have text. Blobs without a type only have references. */
const TABLES = {
  checkpoint: 'namespace, checkpoint, parent, parents, channels, value, metadata',
  checkpoint_blob: 'CASE WHEN type IS NULL THEN NULL ELSE value END AS value',
} as const;
const JSON_COLUMNS: ReadonlySet<string> = new Set(['parents', 'channels']);
/** Rows in memory at once. */
const BATCH = 16;

interface Place {
  readonly table: string;
  readonly thread: string;
  readonly row: SqlRow;
}

/** The checkpoints as a holder of user text: conversations, evidence, answers, and names of threads. */
export function checkpointHolder(file: SqliteFile): TextHolder {
  return {
    name: 'checkpoints',
    async holds(texts, { signal } = {}) {
      const tally = new HeldTally();
      const breather = new Breather();
      for (const { table, row } of placesOf(file)) {
        signal?.throwIfAborted();
        await breather.breathe();
        for (const string of textsOf(row)) tally.addFoundIn(string, texts, table);
      }
      return tally.all();
    },
  };
}

/** Threads whose checkpoints hold one of the texts: delete these threads to forget the texts there. */
export function threadsHolding(file: SqliteFile, texts: readonly string[]): readonly string[] {
  const threads = new Set<string>();
  for (const { table, thread, row } of placesOf(file)) {
    if (threads.has(thread)) continue;
    const tally = new HeldTally();
    for (const string of textsOf(row)) tally.addFoundIn(string, texts, table);
    if (tally.all().length > 0) threads.add(thread);
  }
  return [...threads];
}

function* placesOf(file: SqliteFile): Iterable<Place> {
  for (const { id, name } of file.all('SELECT id, name FROM checkpoint_thread')) {
    const thread = String(name);
    yield { table: 'checkpoint_thread', thread, row: { name: thread } };
    const writes = file.all(
      'SELECT DISTINCT namespace, checkpoint, task, channel FROM checkpoint_write WHERE thread = ?',
      [id!],
    );
    for (const row of writes) yield { table: 'checkpoint_write', thread, row };
    for (const [table, columns] of Object.entries(TABLES)) {
      const ids = file.all(`SELECT id FROM ${table} WHERE thread = ?`, [id!]).map((row) => row.id!);
      for (const batch of inBatches(ids, BATCH)) {
        const marks = batch.map(() => '?').join();
        for (const row of file.all(`SELECT ${columns} FROM ${table} WHERE id IN (${marks})`, batch))
          yield { table, thread, row };
      }
    }
  }
}

/** Values are JSON or bytes; bytes of another serializer are searched as text. */
function* textsOf(row: SqlRow): Iterable<string> {
  for (const [column, value] of Object.entries(row)) {
    if (value instanceof Uint8Array) yield* stringsIn(decoded(Buffer.from(value).toString('utf8')));
    if (typeof value === 'string') yield* stringsIn(JSON_COLUMNS.has(column) ? decoded(value) : value);
  }
}

function decoded(text: string): unknown {
  const read = parseJson(text);
  return read.ok ? read.value : text;
}
