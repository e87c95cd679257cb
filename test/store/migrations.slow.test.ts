import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { KuzuDatabase } from '../../src/store/kuzu/kuzu-database.ts';
import { KuzuStore } from '../../src/store/kuzu/kuzu-store.ts';
import {
  correctionsAndTombstones,
  createTables,
  initial,
  migrate,
  trustAndFailures,
} from '../../src/store/kuzu/migrations.ts';
import { clearUnusedBytes } from '../../src/store/kuzu/unused-bytes.ts';
import { SCHEMA_VERSION } from '../../src/store/schema.ts';
import {
  category,
  edge,
  entity,
  episode,
  failure,
  hierarchy,
  scopeOf,
  segment,
} from '../contract/graph-rows.ts';
import { freshFolder } from '../fixtures/fresh-folder.ts';

const folder = freshFolder();
let count = 0;
const freshPath = () => join(folder, `${++count}.db`);
const A = scopeOf('a');
const ROWS = 300;
const NEVER = Number.MAX_SAFE_INTEGER;

const INSERT = [
  "CREATE (:Scope {name: 'a', sequence: 4, token: 77})",
  `UNWIND range(0, ${ROWS - 1}) AS i CREATE (:Episode {id: concat('e', CAST(i AS STRING)), scope: 'a', sequence: 1, \`key\`: concat('k', CAST(i AS STRING)), version: 1, session: 'main', \`index\`: i, content: concat('said ', CAST(i AS STRING)), speaker: 'Ann', role: 3, validAt: 1000, atText: '1', createdAt: 2000, expiredAt: ${NEVER}, source: 'api', sourceId: '\u0000n', contentHash: 'h', attachments: '[]', gate: 1, verified: 1, status: 1})`,
  `UNWIND range(0, ${ROWS - 1}) AS i CREATE (:Segment {id: concat('s', CAST(i AS STRING)), scope: 'a', sequence: 1, session: 'main', keywords: '["one","two"]', summary: 'summary', startAt: 1, endAt: 2, createdAt: 3, expiredAt: ${NEVER}})`,
  "MATCH (e:Episode), (s:Segment) WHERE e.`index` < 9 AND s.id = 's0' CREATE (e)-[:IN_SEGMENT {sequence: 1}]->(s)",
];

/** All tables of the given versions: until version 5 they were created with the file. */
async function withAllTables(
  database: KuzuDatabase,
  migrations: NonNullable<Parameters<typeof createTables>[2]>,
): Promise<void> {
  const statements = migrations.flatMap((migration) => migration.statements);
  const names = statements.flatMap((statement) => /TABLE `?(\w+)/.exec(statement)?.[1] ?? []);
  await database.write((session) => createTables(session, names, migrations));
}

/** As version 1 left it: with rows in the file, or only in its log. */
async function fileOfVersion1(checkpoint: boolean): Promise<string> {
  const path = freshPath();
  const database = await KuzuDatabase.open(path);
  expect(await migrate(database, [initial], 1)).toBe(1);
  await withAllTables(database, [initial]);
  await database.write(async (session) => {
    for (const statement of INSERT) await session.run(statement);
  });
  if (checkpoint) await database.checkpoint();
  const copied = copyFiles(path);
  await database.close();
  return copied;
}

/** The files as a killed process leaves them: no close, no lock. */
function copyFiles(path: string): string {
  const copy = freshPath();
  for (const end of ['', '.wal', '.seal']) if (existsSync(path + end)) copyFileSync(path + end, copy + end);
  return copy;
}

const episodeOf1 = (i: number) =>
  episode(`e${i}`, {
    key: `k${i}`,
    index: i,
    content: `said ${i}`,
    role: 'tool',
    validAt: 1000,
    atText: '1',
    createdAt: 2000,
    contentHash: 'h',
    gate: 'kept',
    verified: true,
    status: 'extracted',
    trust: 'normal',
  });
const ids = (letter: string) => Array.from({ length: ROWS }, (_, i) => `${letter}${i}`);

async function expectRowsOf1(store: KuzuStore, sequence: number): Promise<void> {
  expect(store.describe().schemaVersion).toBe(SCHEMA_VERSION);
  expect((await store.state(A)).sequence).toBe(sequence);
  expect(await store.get(A, 'episode', ids('e'))).toEqual(ids('e').map((_, i) => episodeOf1(i)));
  expect(await store.get(A, 'segment', ids('s'))).toEqual(ids('s').map((id) => segment(id, { profile: '' })));
  let edges = 0;
  for await (const batch of store.relationships(A, 'IN_SEGMENT')) edges += batch.length;
  expect(edges).toBe(9);
}

describe.each([
  ['in the file', true],
  ['in the log', false],
])('a file of version 1 with its rows %s', (_, checkpoint) => {
  it('is migrated to this version, and stays so after an immediate crash, after commits, and after a checkpoint', async () => {
    const store = await KuzuStore.open({ path: await fileOfVersion1(checkpoint) });
    await expectRowsOf1(store, 4);
    const crashed = await KuzuStore.open({ path: copyFiles(store.describe().path) });
    await store.close();
    await expectRowsOf1(crashed, 4);
    const bytes = { nodes: { episode: [episode('new', { trust: 'low' })], segment: [segment('news')] } };
    await crashed.commit(A, {
      nodes: { ...bytes.nodes, failure: [failure('x')], entity: [entity('n'), entity('m')] },
      relationships: [edge('FAILED_IN', 'e0', 'x'), edge('POSSIBLY_SAME', 'n', 'm', { confidence: 0.3 })],
      updates: [{ kind: 'failure', id: 'x', set: { expiredAt: 9 } }],
    });
    const again = copyFiles(crashed.describe().path);
    await crashed.close();
    for (const fold of [false, true, false]) {
      if (fold) {
        const database = await KuzuDatabase.open(again);
        await database.checkpoint();
        await database.close();
        expect(clearUnusedBytes(again)).toBe(true); // the defaults of added columns are in the catalogue
      }
      const last = await KuzuStore.open({ path: again });
      await expectRowsOf1(last, 5);
      expect(await last.get(A, 'episode', ['new'])).toEqual([episode('new', { trust: 'low' })]);
      expect(await last.get(A, 'segment', ['news'])).toEqual([segment('news')]);
      expect(await last.get(A, 'failure', ['x'])).toEqual([failure('x', { expiredAt: 9 })]);
      for await (const batch of last.relationships(A, 'FAILED_IN'))
        expect(batch).toEqual([edge('FAILED_IN', 'e0', 'x')]);
      for await (const batch of last.relationships(A, 'POSSIBLY_SAME'))
        expect(batch).toEqual([edge('POSSIBLY_SAME', 'n', 'm', { confidence: 0.3 })]);
      expect((await last.findEpisodes(A, [{ session: 'main', index: 8 }]))[0]).toBe('e8');
      await last.close();
    }
  });

  it('stays intact when the step fails half-way, and is migrated later', async () => {
    const path = await fileOfVersion1(checkpoint);
    const broken = {
      version: 2,
      statements: [...trustAndFailures.statements, 'ALTER TABLE Episode ADD nothing'],
    };
    const database = await KuzuDatabase.open(path);
    await expect(migrate(database, [initial, broken], 2)).rejects.toMatchObject({ code: 'store-write' });
    const tables = await database.read('CALL show_tables() RETURN name');
    expect(tables.map(({ name }) => name)).not.toContain('Failure');
    const columns = await database.read("CALL table_info('Episode') RETURN name");
    expect(columns.map(({ name }) => name)).not.toContain('trust');
    await database.close();
    const store = await KuzuStore.open({ path });
    await expectRowsOf1(store, 4);
    await store.close();
  });
});

/** As version 3 left it: with categories, though no Mnemis of then wrote any. */
async function fileOfVersion3(checkpoint: boolean): Promise<string> {
  const path = freshPath();
  const database = await KuzuDatabase.open(path);
  const migrations = [initial, trustAndFailures, correctionsAndTombstones];
  expect(await migrate(database, migrations, 3)).toBe(3);
  await withAllTables(database, migrations);
  await database.write(async (session) => {
    await session.run("CREATE (:Scope {name: 'a', sequence: 4, token: 77})");
    await session.run(
      `UNWIND range(0, ${ROWS - 1}) AS i CREATE (:Category {id: concat('c', CAST(i AS STRING)), scope: 'a', sequence: 1, layer: 1, createdAt: 1, expiredAt: ${NEVER}})`,
    );
    await session.run(
      `UNWIND range(0, ${ROWS - 1}) AS i CREATE (:Entity {id: concat('n', CAST(i AS STRING)), scope: 'a', sequence: 1, createdAt: 1})`,
    );
    await session.run(
      "MATCH (c:Category), (n:Entity) WHERE c.id = 'c0' AND n.id IN ['n0', 'n1'] CREATE (c)-[:CATEGORIZES {sequence: 1}]->(n)",
    );
  });
  if (checkpoint) await database.checkpoint();
  const copied = copyFiles(path);
  await database.close();
  return copied;
}

describe.each([
  ['in the file', true],
  ['in the log', false],
])('a file of version 3 with its rows %s', (_, checkpoint) => {
  it('opens: no category of it is stale, and a hierarchy can be written beside them', async () => {
    let path = await fileOfVersion3(checkpoint);
    const rows = ids('c').map((id) => category(id));
    for (const round of [1, 2, 3]) {
      const store = await KuzuStore.open({ path });
      expect(store.describe().schemaVersion).toBe(SCHEMA_VERSION);
      expect(await store.get(A, 'category', ids('c'))).toEqual(rows);
      expect((await store.count(A)).hierarchy).toBe(round === 1 ? 0 : 1);
      if (round === 1)
        await store.commit(A, {
          nodes: { hierarchy: [hierarchy('h')], category: [category('new', { layer: 2, staleSince: 8 })] },
          relationships: [edge('CATEGORIZES', 'new', 'c0', {}, ['category', 'category'])],
          updates: [{ kind: 'category', id: 'c1', set: { staleSince: 9 } }],
        });
      rows[1] = category('c1', { staleSince: 9 });
      expect(await store.get(A, 'hierarchy', ['h'])).toEqual([hierarchy('h')]);
      expect(await store.get(A, 'category', ['new', 'c1'])).toEqual([
        category('new', { layer: 2, staleSince: 8 }),
        rows[1],
      ]);
      const found = [];
      for await (const batch of store.relationships(A, 'CATEGORIZES')) found.push(...batch);
      expect(found.map(({ from, to }) => `${from} ${to}`).sort()).toEqual(['c0 n0', 'c0 n1', 'new c0']);
      // Once as a killed process leaves it, once after a close.
      if (round === 1) path = copyFiles(path);
      await store.close();
    }
  });
});

it('a file of a newer version is refused and not changed', async () => {
  const path = freshPath();
  await (await KuzuStore.open({ path })).close();
  const database = await KuzuDatabase.open(path);
  await expect(migrate(database, [initial, trustAndFailures], SCHEMA_VERSION - 1)).rejects.toMatchObject({
    code: 'schema-too-new',
  });
  await database.close();
});
