import { HeldTally, type TextHolder } from '../../edit/proof/text-holder.ts';
import { Breather } from '../../util/breathe.ts';
import { stringsIn } from '../../util/collections.ts';
import { parseJson } from '../../util/parse-json.ts';
import type { SqliteFile, SqlRow, SqlValue } from './sqlite-file.ts';

const TABLES = ['checkpoint', 'checkpoint_write'] as const;

/** The checkpoints as a holder of user text: conversations, evidence, answers, and names of threads. */
export function checkpointHolder(file: SqliteFile): TextHolder {
  return {
    name: 'checkpoints',
    async holds(texts, { signal } = {}) {
      const tally = new HeldTally();
      const breather = new Breather();
      for (const table of TABLES)
        for (const row of rowsOf(file, table)) {
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
  for (const table of TABLES)
    for (const row of rowsOf(file, table)) {
      const tally = new HeldTally();
      for (const string of textsOf(row)) tally.addFoundIn(string, texts, table);
      if (tally.all().length > 0) threads.add(String(row.thread));
    }
  return [...threads];
}

function* rowsOf(file: SqliteFile, table: (typeof TABLES)[number]): Iterable<SqlRow> {
  for (const { id } of file.all(`SELECT id FROM ${table}`))
    yield* file.all(`SELECT * FROM ${table} WHERE id = ?`, [id!]);
}

/** Values are JSON or bytes; bytes of another serializer are searched as text. */
function* textsOf(row: SqlRow): Iterable<string> {
  for (const value of Object.values(row)) {
    if (typeof value === 'string') yield value;
    if (value instanceof Uint8Array) yield* stringsIn(decoded(value));
  }
}

function decoded(value: SqlValue & Uint8Array): unknown {
  const text = Buffer.from(value).toString('utf8');
  const read = parseJson(text);
  return read.ok ? read.value : text;
}
