import { join } from 'node:path';
import { AIMessage, HumanMessage } from '@langchain/core/messages';
import {
  type Checkpoint,
  type CheckpointTuple,
  emptyCheckpoint,
  MemorySaver,
  type SerializerProtocol,
  uuid6,
} from '@langchain/langgraph-checkpoint';
import sqlite from 'node-sqlite3-wasm';
import { beforeEach, describe, expect, it } from 'vitest';
import { fileHolder } from '../../src/edit/proof/file-holder.ts';
import { SqliteCheckpointer } from '../../src/langgraph/checkpoints/sqlite-checkpointer.ts';
import { SqliteFile } from '../../src/langgraph/checkpoints/sqlite-file.ts';
import { freshFolder } from '../fixtures/fresh-folder.ts';

const folder = freshFolder();

/** As version 1 created them. */
const TABLES = [
  `CREATE TABLE checkpoint (
    id INTEGER PRIMARY KEY,
    thread TEXT NOT NULL,
    namespace TEXT NOT NULL,
    checkpoint TEXT NOT NULL,
    parent TEXT,
    type TEXT NOT NULL,
    value BLOB NOT NULL,
    metadata_type TEXT NOT NULL,
    metadata BLOB NOT NULL,
    UNIQUE (thread, namespace, checkpoint)
  )`,
  `CREATE TABLE checkpoint_write (
    id INTEGER PRIMARY KEY,
    thread TEXT NOT NULL,
    namespace TEXT NOT NULL,
    checkpoint TEXT NOT NULL,
    task TEXT NOT NULL,
    position INTEGER NOT NULL,
    channel TEXT NOT NULL,
    type TEXT NOT NULL,
    value BLOB NOT NULL,
    UNIQUE (thread, namespace, checkpoint, task, position)
  )`,
  'CREATE TABLE checkpoint_schema (version INTEGER NOT NULL)',
  'INSERT INTO checkpoint_schema VALUES (1)',
];

/** Bytes that are no JSON. */
const reversing: SerializerProtocol = {
  async dumpsTyped(data) {
    return ['json', Buffer.from(JSON.stringify(data)).reverse()];
  },
  async loadsTyped(_type, data) {
    return JSON.parse(
      Buffer.from(data as Uint8Array)
        .reverse()
        .toString(),
    );
  },
};

describe('a file of version 1', () => {
  let path = '';
  let files = 0;
  beforeEach(() => {
    path = join(folder, `${++files}.sqlite`);
  });

  /** A talk of 60 checkpoints in thread `t`, one in `u`; returns what was stored, the newest first. */
  async function write(serde: SerializerProtocol = new MemorySaver().serde) {
    const isOwn = serde === reversing;
    const database = new sqlite.Database(path);
    for (const setting of ['locking_mode = EXCLUSIVE', 'journal_mode = WAL', 'secure_delete = ON'])
      database.all(`PRAGMA ${setting}`);
    for (const table of TABLES) database.exec(table);
    database.exec('CREATE TABLE conversation (title TEXT)');
    database.run('INSERT INTO conversation VALUES (?)', ['one']);
    const tuples: CheckpointTuple[] = [];
    const messages: unknown[] = [];
    let parent: string | null = null;
    for (let turn = 0; turn < 61; turn++) {
      const thread = turn === 60 ? 'u' : 't';
      messages.push(
        isOwn ? `turn ${turn} ${'x'.repeat(500)}` : new HumanMessage(`turn ${turn} ${'x'.repeat(500)}`),
        isOwn
          ? { answer: turn }
          : new AIMessage({ content: [{ type: 'text', text: `"${turn}"\n` }], id: `${turn}` }),
      );
      const checkpoint: Checkpoint = {
        ...{ ...emptyCheckpoint(), id: uuid6(turn) },
        channel_values: {
          messages: [...messages],
          turn,
          ...(isOwn ? {} : { none: undefined, bytes: new Uint8Array([1]) }),
        },
        channel_versions: { messages: turn + 1, turn: turn + 1 },
      };
      const metadata = { source: 'loop' as const, step: turn, parents: turn % 2 ? { '': uuid6(0) } : {} };
      const [[type, value], [metadataType, metadataValue]] = await Promise.all([
        serde.dumpsTyped(checkpoint),
        serde.dumpsTyped(metadata),
      ]);
      database.run(
        `INSERT INTO checkpoint (thread, namespace, checkpoint, parent, type, value, metadata_type, metadata)
         VALUES (?, '', ?, ?, ?, ?, ?, ?)`,
        [thread, checkpoint.id, turn === 60 ? null : parent, type, value, metadataType, metadataValue],
      );
      const writes: [string, string, unknown][] = [
        ['task', 'messages', messages.slice(-2)],
        ['task', '__interrupt__', { turn }],
        ['another', 'turn', turn],
      ];
      for (const [position, [task, channel, written]] of writes.entries()) {
        const [writeType, writeValue] = await serde.dumpsTyped(written);
        database.run(
          `INSERT INTO checkpoint_write (thread, namespace, checkpoint, task, position, channel, type, value)
           VALUES (?, '', ?, ?, ?, ?, ?, ?)`,
          [
            thread,
            checkpoint.id,
            task,
            channel === '__interrupt__' ? -3 : position,
            channel,
            writeType,
            writeValue,
          ],
        );
      }
      const at = (id: string) => ({
        configurable: { thread_id: thread, checkpoint_ns: '', checkpoint_id: id },
      });
      tuples.unshift({
        config: at(checkpoint.id),
        checkpoint,
        metadata,
        pendingWrites: writes,
        ...(turn === 60 || parent === null ? {} : { parentConfig: at(parent) }),
      });
      parent = checkpoint.id;
    }
    database.close();
    return tuples;
  }
  async function all(saver: SqliteCheckpointer) {
    const tuples: CheckpointTuple[] = [];
    for await (const tuple of saver.list({})) tuples.push(tuple);
    return tuples;
  }
  const sizeOf = (saver: SqliteCheckpointer) =>
    4096 * Number(saver.file.all('PRAGMA page_count')[0]!.page_count);

  it('is converted, with each value once, and other tables stay', async () => {
    const written = await write();
    const saver = await SqliteCheckpointer.open(path);
    expect(await all(saver)).toEqual(written);
    expect(saver.file.all('SELECT version FROM checkpoint_schema')).toEqual([{ version: 2 }]);
    expect(saver.file.all('SELECT title FROM conversation')).toEqual([{ title: 'one' }]);
    expect(saver.file.all('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
    // 1.1 MB of text that was stored 30 times over.
    expect(sizeOf(saver)).toBeLessThan(400_000);
    await saver.close();
    const again = await SqliteCheckpointer.open(path);
    expect(await all(again)).toEqual(written);
    expect(await again.prune({ keep: 1 })).toBe(59);
    await again.deleteThread('t');
    expect(await fileHolder(() => again.file.files()).holds(['turn 7 xxx'])).not.toEqual([]);
    await again.deleteThread('u');
    expect(await fileHolder(() => again.file.files()).holds(['turn 7 xxx'])).toEqual([]);
    expect(sizeOf(again)).toBeLessThan(60_000);
    await again.close();
  });

  it('shares values with checkpoints that are stored later', async () => {
    const [, newest] = await write();
    const saver = await SqliteCheckpointer.open(path);
    const blobs = () => saver.file.all('SELECT id FROM checkpoint_blob WHERE type IS NOT NULL').length;
    const before = blobs();
    const { messages } = newest!.checkpoint.channel_values as { messages: unknown[] };
    const next = { ...newest!.checkpoint, id: uuid6(99), channel_values: { messages: [...messages, 'new'] } };
    await saver.put(newest!.config, next, newest!.metadata!);
    expect(blobs()).toBe(before + 1);
    expect((await saver.getTuple({ configurable: { thread_id: 't' } }))?.checkpoint).toEqual(next);
    await saver.close();
  });

  it('is converted where another serializer wrote it, whose values stay whole', async () => {
    const written = await write(reversing);
    const saver = await SqliteCheckpointer.open(path, { serde: reversing });
    expect(await all(saver)).toEqual(written);
    await saver.close();
  });

  it('keeps values that cannot be read as they are', async () => {
    const written = await write(reversing);
    const saver = await SqliteCheckpointer.open(path);
    await expect(all(saver)).rejects.toThrow();
    await saver.close();
    const right = await SqliteCheckpointer.open(path, { serde: reversing });
    expect(await all(right)).toEqual(written);
    await right.close();
  });

  it('stays as it is when the conversion fails', async () => {
    const written = await write();
    const file = await SqliteFile.open(path);
    file.run('CREATE TABLE checkpoint_blob (taken TEXT)');
    await file.close();
    await expect(SqliteCheckpointer.open(path)).rejects.toMatchObject({ code: 'checkpoint-file' });
    const unchanged = await SqliteFile.open(path);
    expect(unchanged.all('SELECT version FROM checkpoint_schema')).toEqual([{ version: 1 }]);
    expect(unchanged.all('SELECT count(*) AS n FROM checkpoint')).toEqual([{ n: 61 }]);
    unchanged.run('DROP TABLE checkpoint_blob');
    await unchanged.close();
    const saver = await SqliteCheckpointer.open(path);
    expect(await all(saver)).toEqual(written);
    await saver.close();
  });
});
