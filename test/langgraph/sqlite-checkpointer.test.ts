import { spawn } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { emptyCheckpoint, MemorySaver } from '@langchain/langgraph-checkpoint';
import { describe, expect, it } from 'vitest';
import { fileHolder } from '../../src/edit/proof/file-holder.ts';
import { Mnemis } from '../../src/engine.ts';
import { checkpointHolder, threadsHolding } from '../../src/langgraph/checkpoints/checkpoint-holder.ts';
import { SqliteCheckpointer } from '../../src/langgraph/checkpoints/sqlite-checkpointer.ts';
import { CheckpointFileError, SqliteFile } from '../../src/langgraph/checkpoints/sqlite-file.ts';
import { listen, programArguments } from '../child-program.ts';
import { checkpointerContract } from '../contract/checkpointer.ts';
import { freshFolder } from '../fixtures/fresh-folder.ts';
import { inTier } from '../tier.ts';

const folder = freshFolder();
let files = 0;
const newPath = () => join(folder, 'deep', `${++files}.sqlite`);
const at = (thread: string) => ({ configurable: { thread_id: thread, checkpoint_ns: '' } });

async function say(saver: SqliteCheckpointer, thread: string, text: string): Promise<void> {
  const checkpoint = { ...emptyCheckpoint(), channel_values: { said: { text } } };
  const config = await saver.put(at(thread), checkpoint, { source: 'loop', step: 0, parents: {} });
  await saver.putWrites(config, [['reply', `re: ${text}`]], 'task');
}

checkpointerContract('MemorySaver', async () => ({ saver: new MemorySaver(), close: async () => {} }));
checkpointerContract('SqliteCheckpointer', async () => {
  const saver = await SqliteCheckpointer.open(newPath());
  return { saver, close: () => saver.close() };
});

describe('SqliteCheckpointer', () => {
  it('finds its checkpoints again', async () => {
    const path = newPath();
    const before = await SqliteCheckpointer.open(path);
    await say(before, 't', 'hello');
    await before.close();
    expect(existsSync(`${path}.owner.lock`)).toBe(false);
    const after = await SqliteCheckpointer.open(path);
    expect((await after.getTuple(at('t')))?.checkpoint.channel_values).toEqual({ said: { text: 'hello' } });
    await after.close();
  });

  it('creates files readable by their owner only', async () => {
    const path = newPath();
    writeFileSync(path, '', { mode: 0o644 });
    const saver = await SqliteCheckpointer.open(path);
    await say(saver, 't', 'hello');
    for (const file of [path, `${path}-wal`]) expect(statSync(file).mode & 0o777).toBe(0o600);
    await saver.close();
  });

  it('shares its file with other tables', async () => {
    const path = newPath();
    const file = await SqliteFile.open(path);
    file.run('CREATE TABLE conversation (title TEXT)');
    const saver = new SqliteCheckpointer(file);
    await say(saver, 't', 'hello');
    file.run('INSERT INTO conversation VALUES (?)', ['one']);
    expect(file.all('SELECT title FROM conversation')).toEqual([{ title: 'one' }]);
    await file.close();
    await expect(saver.getTuple(at('t'))).rejects.toMatchObject({ code: 'store-closed' });
  });

  it('rolls back an interrupted transaction', async () => {
    const file = await SqliteFile.open(newPath());
    file.run('CREATE TABLE a (b TEXT NOT NULL)');
    const half = () => {
      file.run('INSERT INTO a VALUES (1)');
      file.run('INSERT INTO a VALUES (NULL)');
    };
    expect(() => file.transaction(half)).toThrow(CheckpointFileError);
    expect(file.all('SELECT * FROM a')).toEqual([]);
    await file.close();
  });

  it('rejects files of a newer version and files that are no database, and does not change them', async () => {
    const newer = newPath();
    const file = await SqliteFile.open(newer);
    new SqliteCheckpointer(file);
    file.run('UPDATE checkpoint_schema SET version = 99');
    await file.close();
    await expect(SqliteCheckpointer.open(newer)).rejects.toMatchObject({ code: 'schema-too-new' });
    const other = newPath();
    writeFileSync(other, 'a letter to my aunt '.repeat(300));
    await expect(SqliteCheckpointer.open(other)).rejects.toMatchObject({ code: 'checkpoint-file' });
    expect(readFileSync(other, 'utf8')).toMatch(/^a letter to my aunt /);
    expect(existsSync(`${other}.owner.lock`)).toBe(false);
  });

  it('says who has it open: this process, or another', async () => {
    const path = newPath();
    const saver = await SqliteCheckpointer.open(path);
    const here = { code: 'database-locked', message: expect.stringContaining(`pid ${process.pid}`) };
    await expect(SqliteCheckpointer.open(path)).rejects.toMatchObject(here);
    await saver.close();
    const child = start(path);
    await child.acknowledged(1);
    const there = { code: 'database-locked', message: expect.stringContaining(`pid ${child.pid}`) };
    await expect(SqliteCheckpointer.open(path)).rejects.toMatchObject(there);
    await child.kill();
    await (await SqliteCheckpointer.open(path)).close();
  });

  it('keeps acknowledged checkpoints when its process is killed repeatedly', async () => {
    const path = newPath();
    let last = 0;
    /** Those in the midst of which the process was killed: their writes are whole or not there. */
    const broken = new Set<unknown>();
    for (let trial = 0; trial < inTier({ fast: 2, slow: 6 }); trial++) {
      const child = start(path);
      await child.acknowledged(last + 2);
      await wait(Math.random() * 200);
      const acknowledged = await child.kill();
      const saver = await SqliteCheckpointer.open(path);
      const tuples = [];
      for await (const tuple of saver.list(at('t'))) tuples.push(tuple);
      last = tuples.length;
      expect([acknowledged, acknowledged + 1]).toContain(last);
      expect(tuples.map(({ checkpoint }) => checkpoint.channel_values.number)).toEqual(
        Array.from({ length: last }, (_, place) => last - place),
      );
      if (last > acknowledged) broken.add(last);
      for (const { pendingWrites = [], metadata } of tuples) {
        const values = pendingWrites.map(([, , value]) => value);
        if (!broken.has(metadata?.step) || values.length > 0)
          expect(values).toEqual([metadata?.step, metadata?.step]);
      }
      expect(saver.file.all('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
      await saver.close();
    }
  });
});

describe('text in checkpoints', () => {
  const SECRET = 'the key lies under the blue stone';

  it('is found with its thread', async () => {
    const saver = await SqliteCheckpointer.open(newPath());
    await say(saver, 'a', `so: "${SECRET}"\nright?`);
    await say(saver, 'b', 'nothing');
    expect(await checkpointHolder(saver.file).holds([SECRET, 'unsaid'])).toEqual([
      { text: 0, where: 'checkpoint_blob', count: 2 },
    ]);
    expect(threadsHolding(saver.file, [SECRET])).toEqual(['a']);
    await saver.close();
  });

  it('is found in an element of a list, names of threads and channels, and metadata', async () => {
    const saver = await SqliteCheckpointer.open(newPath());
    const about = { source: 'loop' as const, step: 0, parents: {} };
    const list = Array.from({ length: 300 }, (_, place) => (place === 200 ? { deep: [SECRET] } : `${place}`));
    await saver.put(at('list'), { ...emptyCheckpoint(), channel_values: { list } }, about);
    await saver.put(at(`of ${SECRET}`), emptyCheckpoint(), about);
    const channel = `a "${SECRET}"`;
    await saver.put(at('channel'), { ...emptyCheckpoint(), channel_values: { [channel]: 1 } }, about);
    const noted = { ...about, note: SECRET } as typeof about;
    const config = await saver.put(at('metadata'), emptyCheckpoint(), noted);
    await saver.putWrites(config, [[channel, 1]], SECRET);
    await say(saver, 'none', 'nothing');
    expect(await checkpointHolder(saver.file).holds([SECRET])).toEqual([
      { text: 0, where: 'checkpoint_blob', count: 1 },
      { text: 0, where: 'checkpoint_thread', count: 1 },
      { text: 0, where: 'checkpoint', count: 2 },
      { text: 0, where: 'checkpoint_write', count: 2 },
    ]);
    expect(threadsHolding(saver.file, [SECRET])).toEqual(['list', `of ${SECRET}`, 'channel', 'metadata']);
    await saver.close();
  });

  it('is reported by the proof of forgetting until its thread is deleted', async () => {
    const saver = await SqliteCheckpointer.open(newPath());
    await say(saver, 'a', SECRET);
    const textHolders = [checkpointHolder(saver.file)];
    const engine = await Mnemis.open({ path: ':memory:', textHolders });
    const memory = engine.scope('a');
    const turn = { content: SECRET, session: 's', at: '2024-01-01' };
    await memory.add(turn);
    expect((await memory.forget({ session: 's' })).proof).toMatchObject({
      clean: false,
      findings: [{ holder: 'checkpoints', where: 'checkpoint_blob', texts: 1 }],
    });
    await saver.deleteThread('a');
    await memory.add({ ...turn, session: 't' });
    expect((await memory.forget({ session: 't' })).proof).toMatchObject({ clean: true });
    await engine.close();
    await saver.close();
  });

  it('is erased with its thread, from the file and its log', async () => {
    const saver = await SqliteCheckpointer.open(newPath());
    const disk = fileHolder(() => saver.file.files());
    for (let turn = 0; turn < 30; turn++) await say(saver, 'a', `${SECRET} ${'x'.repeat(turn * 400)}`);
    await say(saver, 'b', 'the other thread');
    expect(await disk.holds([SECRET])).not.toEqual([]);
    await saver.deleteThread('a');
    expect(await disk.holds([SECRET])).toEqual([]);
    expect(await checkpointHolder(saver.file).holds([SECRET])).toEqual([]);
    expect(await disk.holds(['the other thread'])).not.toEqual([]);
    expect(saver.file.all('PRAGMA freelist_count')).toEqual([{ freelist_count: 0 }]);
    await saver.close();
  });
});

function start(path: string) {
  const script = join(import.meta.dirname, 'commit-checkpoints.ts');
  const child = spawn(process.execPath, [...programArguments(script), path]);
  const heard = listen(child);
  const ended = new Promise((done) => child.on('close', done));
  const last = () => Number(heard.lines().at(-1) ?? 0);
  return {
    pid: child.pid,
    async acknowledged(number: number) {
      while (last() < number && child.exitCode === null) await wait(5);
      expect(heard.errors()).toBe('');
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
      expect(heard.errors()).toBe('');
      return last();
    },
  };
}
