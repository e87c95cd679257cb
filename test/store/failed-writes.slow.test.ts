import fs, { copyFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sqlite from 'node-sqlite3-wasm';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { DiskFullError, StoreReadError, StoreWriteError } from '../../src/errors/index.ts';
import type { GraphStore } from '../../src/store/graph-store.ts';
import { Seal } from '../../src/store/kuzu/file-set.ts';
import { KuzuConnection, KuzuSession } from '../../src/store/kuzu/kuzu-connection.ts';
import { KuzuDatabase } from '../../src/store/kuzu/kuzu-database.ts';
import { KuzuStore } from '../../src/store/kuzu/kuzu-store.ts';
import { item, scopeOf } from '../contract/graph-rows.ts';
import { freshFolder } from '../fixtures/fresh-folder.ts';
import { FILE_STORES, openFileStore } from './file-stores.ts';

const folder = freshFolder();
afterEach(() => vi.restoreAllMocks());
let count = 0;
const freshPath = (ending = '.db') => join(folder, `${++count}${ending}`);
const A = scopeOf('a');
const items = (round: number, length = 200) =>
  Array.from({ length }, (_, i) => item(`i${round}-${i}`, { value: 'v'.repeat(900) }));
const full = () => new Error('IO exception: Cannot write to file. No space left on device');

/** Has a statement fail, as on a full disk, whenever `fails` says so. */
function failAt(statement: string, fails: () => boolean, before: (session: KuzuSession) => unknown): void {
  const run = KuzuSession.prototype.run;
  vi.spyOn(KuzuSession.prototype, 'run').mockImplementation(async function (this: KuzuSession, ...input) {
    if (input[0] !== statement || !fails()) return run.apply(this, input);
    await before(this);
    throw full();
  });
}

const rollBack = (session: KuzuSession) => session.run('ROLLBACK');

/** Has commits fail, as on a full disk, whenever `fails` says so. */
function failCommits(ending: string, fails: () => boolean): void {
  if (ending === '.db') {
    failAt('COMMIT', fails, rollBack);
    return;
  }
  const exec = sqlite.Database.prototype.exec;
  vi.spyOn(sqlite.Database.prototype, 'exec').mockImplementation(function (this: object, sql) {
    if (sql === 'COMMIT' && fails()) throw new Error('database or disk is full');
    return exec.call(this, sql);
  });
}

describe.each(FILE_STORES)('$name: a COMMIT that fails', ({ ending }) => {
  it('while rows are read does not end the process: the reads continue, or fail with a reason (defect 9)', async () => {
    const store = await openFileStore(freshPath(ending));
    let commits = 0;
    failCommits(ending, () => ++commits > 5 && commits % 4 === 0);
    const acknowledged: string[] = [];
    let writing = true;
    let batches = 0;
    const reader = async () => {
      while (writing)
        try {
          for await (const rows of store.scan(A, 'item')) batches += rows.length;
          await store.get(A, 'item', acknowledged.slice(-60));
        } catch (error) {
          expect(error).toSatisfy(StoreReadError.isInstance);
        }
    };
    const readers = [reader(), reader()];
    let failures = 0;
    for (let round = 0; round < 40; round += 1)
      try {
        await store.commit(A, { nodes: { item: items(round) } });
        acknowledged.push(...items(round).map(({ id }) => id));
      } catch (error) {
        expect(error).toSatisfy(DiskFullError.isInstance);
        failures += 1;
      }
    writing = false;
    await Promise.all(readers);
    expect(failures).toBeGreaterThan(5);
    expect(batches).toBeGreaterThan(0);
    expect((await store.count(A)).item).toBe(acknowledged.length);
    await store.close();
  });

  it('leaves nothing of it, and later commits are kept', async () => {
    const path = freshPath(ending);
    const store = await openFileStore(path);
    await store.commit(A, { nodes: { item: items(0) } });
    failCommits(ending, () => true);
    await expect(store.commit(A, { nodes: { item: items(1) } })).rejects.toSatisfy(DiskFullError.isInstance);
    vi.restoreAllMocks();
    expect([(await store.state(A)).sequence, (await store.count(A)).item]).toEqual([1, 200]);
    expect(await store.commit(A, { nodes: { item: items(1) } })).toBe(2);
    await store.close();
    const again = await openFileStore(path);
    expect((await again.count(A)).item).toBe(400);
    await again.close();
  });
});

describe('a COMMIT of Kùzu that fails', () => {
  it('ends a scan that is half read with a typed error', async () => {
    const store = await KuzuStore.open({ path: freshPath() });
    await store.commit(A, { nodes: { item: items(0, 3000) } });
    const scan = store.scan(A, 'item')[Symbol.asyncIterator]();
    expect((await scan.next()).value?.length).toBe(1000);
    failAt('COMMIT', () => true, rollBack);
    await expect(store.commit(A, {})).rejects.toSatisfy(DiskFullError.isInstance);
    await expect(scan.next()).rejects.toSatisfy(StoreReadError.isInstance);
    expect(await store.state(A)).toMatchObject({ sequence: 1 });
    await store.close();
  });

  it('leaves nothing open when the reserve cannot be restored, and is repaired later', async () => {
    const path = freshPath();
    const store = await KuzuStore.open({ path });
    await store.commit(A, { nodes: { item: items(0) } });
    failAt('COMMIT', () => true, rollBack);
    const release = vi.spyOn(Seal.prototype, 'release').mockImplementation(() => {
      throw full();
    });
    const close = vi.spyOn(KuzuConnection.prototype, 'close');
    await expect(store.commit(A, {})).rejects.toSatisfy(DiskFullError.isInstance);
    expect(release).toHaveBeenCalledOnce();
    expect(close).toHaveBeenCalledOnce();
    vi.restoreAllMocks();
    expect((await store.count(A)).item).toBe(200);
    expect(await store.commit(A, {})).toBe(2);
    await store.close();
    const again = await KuzuStore.open({ path });
    expect((await again.state(A)).sequence).toBe(2);
    await again.close();
  });
});

it('a commit whose seal cannot be written fails and is not visible', async () => {
  const path = freshPath();
  const store = await KuzuStore.open({ path });
  await store.commit(A, { nodes: { item: items(0) } });
  vi.spyOn(Seal.prototype, 'write').mockImplementationOnce(() => {
    throw full();
  });
  await expect(store.commit(A, { nodes: { item: items(1) } })).rejects.toSatisfy(DiskFullError.isInstance);
  expect([(await store.state(A)).sequence, (await store.count(A)).item]).toEqual([1, 200]);
  expect(await store.commit(A, { nodes: { item: items(1) } })).toBe(2);
  await store.close();
  const again = await KuzuStore.open({ path });
  expect((await again.count(A)).item).toBe(400);
  await again.close();
});

describe('a checkpoint that fails', () => {
  /** As Kùzu would: half of the file is written over, and the log is gone. */
  const spoil = (path: string) => () => {
    writeFileSync(path, Buffer.alloc(statSync(path).size, 9));
    writeFileSync(`${path}.wal`, '');
  };

  it('is rolled back, also when the first attempt at that fails', async () => {
    const path = freshPath();
    const store = await KuzuStore.open({ path });
    await store.commit(A, { nodes: { item: items(0) } });
    await store.close();
    const database = await KuzuDatabase.open(path);
    await database.write((session) => session.run("CREATE (:Scope {name: 'x', sequence: 1, token: 1})"));
    failAt('CHECKPOINT', () => true, spoil(path));
    const open = vi.spyOn(KuzuConnection, 'open').mockRejectedValueOnce(full());
    const release = vi.spyOn(Seal.prototype, 'release').mockImplementationOnce(() => {
      throw full();
    });
    await expect(database.checkpoint()).rejects.toSatisfy(DiskFullError.isInstance);
    expect(JSON.parse(readFileSync(`${path}.seal`, 'utf8')).state).toBe('unsettled');
    expect(release).toHaveBeenCalledOnce();
    await expect(database.read('MATCH (s:Scope) RETURN s.name AS name')).rejects.toSatisfy(
      DiskFullError.isInstance,
    ); // the open that fails
    expect(open).toHaveBeenCalledOnce();
    expect(await database.read('MATCH (s:Scope) RETURN s.name AS name ORDER BY name')).toHaveLength(2);
    expect(await database.read('MATCH (i:Item) RETURN count(*) AS n')).toEqual([{ n: 200 }]);
    expect(JSON.parse(readFileSync(`${path}.seal`, 'utf8')).state).toBe('settled');
    vi.restoreAllMocks();
    await database.checkpoint();
    await database.close();
    expect(readdirSync(folder).filter((name) => name.startsWith(`${count}.db.before`))).toEqual([]);
    const again = await KuzuStore.open({ path });
    expect((await again.count(A)).item).toBe(200);
    await again.close();
  });

  it('is rolled back by the next open when the file was closed before', async () => {
    const path = freshPath();
    const store = await KuzuStore.open({ path, leastFileBytes: 0 });
    await store.commit(A, { nodes: { item: items(0) } });
    failAt('CHECKPOINT', () => true, spoil(path));
    vi.spyOn(Seal.prototype, 'release').mockImplementation(() => {
      throw full();
    });
    await store.close(); // folds the log in, which fails, and so does putting it right
    vi.restoreAllMocks();
    expect(existsSync(`${path}.before`)).toBe(true);
    const again = await KuzuStore.open({ path });
    expect((await again.count(A)).item).toBe(200);
    await again.close();
  });

  it('is reported as overdue until one succeeds', async () => {
    const store = await KuzuStore.open({ path: freshPath(), checkpointBytes: 1000 });
    expect(store.describe().checkpointOverdue).toBe(false);
    let fails = true;
    failAt(
      'CHECKPOINT',
      () => fails,
      () => {},
    );
    await store.commit(A, { nodes: { item: items(0) } });
    await expect.poll(() => store.describe().checkpointOverdue).toBe(true);
    fails = false;
    await store.commit(A, { nodes: { item: items(1) } });
    await expect.poll(() => store.describe().checkpointOverdue).toBe(false);
    expect((await store.count(A)).item).toBe(400);
    await store.close();
  });
});

/** Calls of the file system by which SQLite writes. */
const WRITES = ['writeSync', 'fsyncSync', 'ftruncateSync'] as const;

/** Has the nth such call and all later ones fail, until the mocks are restored. Returns how many calls there were. */
function failWrites(call: (typeof WRITES)[number], nth: number): () => number {
  let calls = 0;
  const original = fs[call] as (...input: unknown[]) => unknown;
  vi.spyOn(fs, call).mockImplementation(((...input: unknown[]) => {
    if (++calls >= nth) throw new Error('EIO: i/o error');
    return original.call(fs, ...input);
  }) as never);
  return () => calls;
}

describe.each(WRITES)('SQLite with a failing %s', (call) => {
  const removals = items(0, 100).map(({ id }) => ({ kind: 'item', id }) as const);
  const jobs: Readonly<Record<string, (store: GraphStore) => Promise<unknown>>> = {
    'a commit': (store) => store.commit(A, { nodes: { item: items(1, 40) } }),
    'a removal': (store) => store.commit(A, { removals }),
    'a compaction': (store) => store.files()!.compact(),
  };

  it.each(Object.keys(jobs))('keeps all or nothing of %s, wherever it fails', async (name) => {
    const seen = new Set<string>();
    for (let nth = 1, made = 1; nth <= made; nth = Math.ceil(nth * 1.6)) {
      const path = freshPath('.sqlite');
      const store = await openFileStore(path);
      await store.commit(A, { nodes: { item: items(0) } });
      const before = await contentOf(store);
      const callsOf = failWrites(call, nth);
      const outcome = await jobs[name]!(store).then(
        () => 'done',
        (error: unknown) => {
          expect(error).toSatisfy(StoreWriteError.isInstance);
          return 'failed';
        },
      );
      made = callsOf();
      vi.restoreAllMocks();
      // As a kill at this moment leaves the files.
      const copy = freshPath('.sqlite');
      for (const end of ['', '-wal']) copyFileSync(path + end, copy + end);
      const after = await contentOf(store);
      expect(after === before || name !== 'a compaction').toBe(true);
      expect(await store.commit(A, { nodes: { item: items(2, 1) } })).toBe(after === before ? 2 : 3);
      const last = await contentOf(store);
      await store.close();
      const killed = await openFileStore(copy);
      // A commit that is not acknowledged may be there after a kill, whole.
      if (outcome === 'done') expect(await contentOf(killed)).toBe(after);
      else expect([200, 240, 100]).toContain((await killed.count(A)).item);
      await killed.close();
      const again = await openFileStore(path);
      expect(await contentOf(again)).toBe(last);
      await again.close();
      seen.add(outcome);
    }
    if (call !== 'ftruncateSync') expect(seen).toContain('failed');
  });
});

async function contentOf(store: GraphStore): Promise<string> {
  const rows: string[] = [];
  for await (const batch of store.scan(A, 'item')) rows.push(...batch.map((row) => JSON.stringify(row)));
  return [(await store.state(A)).sequence, ...rows.sort()].join('\n');
}
