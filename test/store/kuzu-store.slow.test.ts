import { copyFileSync, existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { NODE_KINDS } from '../../src/model/nodes.ts';
import { KuzuSession } from '../../src/store/kuzu/kuzu-connection.ts';
import { KuzuDatabase } from '../../src/store/kuzu/kuzu-database.ts';
import { KuzuStore } from '../../src/store/kuzu/kuzu-store.ts';
import { nodeTable } from '../../src/store/kuzu/kuzu-tables.ts';
import { createTables } from '../../src/store/kuzu/migrations.ts';
import { databaseColumns } from '../../src/store/kuzu/row-codec.ts';
import { edge, embedding, entity, episode, fact, scopeOf } from '../contract/graph-rows.ts';
import { graphStoreContract } from '../contract/graph-store.ts';
import { freshFolder } from '../fixtures/fresh-folder.ts';

const folder = freshFolder();
let count = 0;
const freshPath = () => join(folder, `${++count}.db`);
const A = scopeOf('a');

let emptyFile: Promise<string> | undefined;

/** Opens a copy of an empty file, a third of the time that creating one takes. */
async function openEmpty(): Promise<KuzuStore> {
  emptyFile ??= createEmpty();
  const empty = await emptyFile;
  const path = freshPath();
  for (const ending of ['', '.wal', '.seal'])
    if (existsSync(empty + ending)) copyFileSync(empty + ending, path + ending);
  return KuzuStore.open({ path });
}

async function createEmpty(): Promise<string> {
  const path = freshPath();
  await (await KuzuStore.open({ path })).close();
  return path;
}

graphStoreContract('KuzuStore', openEmpty);

describe('KuzuStore', () => {
  it('creates the tables that the schema names', async () => {
    const path = freshPath();
    await (await KuzuStore.open({ path })).close();
    const database = await KuzuDatabase.open(path);
    const names = NODE_KINDS.map((kind) => nodeTable(kind));
    await database.write((session) => createTables(session, names));
    for (const kind of NODE_KINDS) {
      const rows = await database.read(`CALL table_info('${nodeTable(kind)}') RETURN name`);
      const wanted = ['scope', 'sequence', ...databaseColumns(kind)];
      expect(rows.map((row) => String(row.name)).sort()).toEqual(wanted.sort());
    }
    await database.close();
  });

  it('creates a table with its first row', async () => {
    const path = freshPath();
    const tables = async () => {
      const database = await KuzuDatabase.open(path);
      const rows = await database.read('CALL show_tables() RETURN name');
      await database.close();
      return rows.map(({ name }) => String(name)).sort();
    };
    await (await KuzuStore.open({ path })).close();
    expect(await tables()).toEqual(['Meta', 'Scope']);
    await useStore(path, (store) => store.commit(A, { nodes: { episode: [episode('a'), episode('b')] } }));
    expect(await tables()).toEqual(['Episode', 'Meta', 'Scope']);
    const linked = { nodes: { entity: [entity('n')] }, relationships: [edge('MENTIONS', 'a', 'n')] };
    await useStore(path, (store) => store.commit(A, linked));
    expect(await tables()).toEqual(['Entity', 'Episode', 'MENTIONS', 'Meta', 'Scope']);
    await useStore(path, async (store) => {
      expect(await store.get(A, 'entity', ['n'])).toEqual([entity('n')]);
      expect(await store.count(A)).toMatchObject({ episode: 2, entity: 1, fact: 0 });
    });
  });

  it('commits in the order of the calls while tables are created', async () => {
    await useStore(freshPath(), async (store) => {
      const facts = store.commit(A, { nodes: { fact: [fact('f')] } });
      const more = store.commit(A, { nodes: { fact: [fact('g')] } });
      const turns = store.commit(A, { nodes: { episode: [episode('e')] } });
      expect(await Promise.all([facts, more, turns])).toEqual([1, 2, 3]);
    });
  });

  it('keeps everything when closed and opened, through several checkpoints', async () => {
    const path = freshPath();
    const id = await useStore(path, async (store) => {
      await store.setFingerprint({ model: 'm', dimension: 2 });
      await store.setNextFingerprint({ model: 'n', dimension: 3 });
      return store.describe().databaseId;
    });
    for (let round = 0; round < 4; round += 1)
      await useStore(path, async (store) => {
        expect(store.describe()).toMatchObject({
          path,
          databaseId: id,
          fingerprint: { model: 'm', dimension: 2 },
          nextFingerprint: { model: 'n', dimension: 3 },
        });
        expect((await store.state(A)).sequence).toBe(round);
        const rows = Array.from({ length: 200 }, (_, i) =>
          episode(`${round}-${i}`, { content: 'x'.repeat(i * 20) }),
        );
        await store.commit(A, { nodes: { episode: rows, embedding: [embedding(`v${round}`)] } });
        expect((await store.count(A)).episode).toBe(200 * (round + 1));
        expect((await store.get(A, 'episode', ['0-199']))[0]?.content).toHaveLength(199 * 20);
      });
  });

  it('creates files that only their owner can read, at every step of a small memory', async () => {
    const path = freshPath();
    const expectPrivate = (step: string, ...ends: string[]) => {
      for (const end of ends) expect([step, existsSync(path + end)]).toEqual([step, true]);
      for (const name of readdirSync(folder).filter((file) => join(folder, file).startsWith(path)))
        expect([step, name, statSync(join(folder, name)).mode & 0o777]).toEqual([step, name, 0o600]);
    };
    for (const round of [1, 2, 3]) {
      const store = await KuzuStore.open({ path });
      expectPrivate(`${round} open`, '', '.wal', '.seal', '.owner.lock');
      await store.commit(A, { nodes: { entity: [entity(`n${round}`)] } });
      expectPrivate(`${round} commit`, '', '.wal', '.seal', '.owner.lock');
      await store.close();
      expectPrivate(`${round} close`, '', '.wal', '.seal');
    }
    const database = await KuzuDatabase.open(path);
    await database.write((session) => session.run("CREATE (:Scope {name: 'x', sequence: 1, token: 1})"));
    const run = KuzuSession.prototype.run;
    const spy = vi.spyOn(KuzuSession.prototype, 'run').mockImplementation(async function (
      this: KuzuSession,
      ...input
    ) {
      if (input[0] === 'CHECKPOINT') expectPrivate('before', '.shadow', '.before', '.before.wal');
      const rows = await run.apply(this, input);
      if (input[0] === 'CHECKPOINT') expectPrivate('after', '.before', '.before.wal');
      return rows;
    });
    await database.checkpoint().finally(() => spy.mockRestore());
    expectPrivate('checkpoint', '', '.wal', '.seal', '.owner.lock');
    await database.write((session) => session.run("CREATE (:Scope {name: 'y', sequence: 1, token: 1})"));
    expectPrivate('commit after', '', '.wal', '.seal', '.owner.lock');
    await database.close();
  });
});

async function useStore<T>(path: string, job: (store: KuzuStore) => Promise<T>): Promise<T> {
  const store = await KuzuStore.open({ path, leastFileBytes: 0 });
  try {
    return await job(store);
  } finally {
    await store.close();
  }
}
