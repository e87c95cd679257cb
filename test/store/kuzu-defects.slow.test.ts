import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { InvalidInputError, StoreClosedError } from '../../src/errors/index.ts';
import { holdsText } from '../../src/model/columns.ts';
import { NODE_KINDS } from '../../src/model/nodes.ts';
import { columnsByName } from '../../src/model/rows.ts';
import { checkParameters, KuzuConnection } from '../../src/store/kuzu/kuzu-connection.ts';
import { DATABASE_DEFAULTS, KuzuDatabase } from '../../src/store/kuzu/kuzu-database.ts';
import { KuzuStore } from '../../src/store/kuzu/kuzu-store.ts';
import * as statements from '../../src/store/kuzu/statements.ts';
import { edge, entity, episode, fact, item, scopeOf, segment } from '../contract/graph-rows.ts';
import { freshFolder } from '../fixtures/fresh-folder.ts';

/**
 * The numbers are those of docs/kuzu-defects.md; 10 to 12 are in bad-files.slow.test.ts, and 14 was found here. Each
 * shows that the wrapper keeps the defect away.
 */

const folder = freshFolder();
let count = 0;
const freshPath = () => join(folder, `${++count}.db`);
const A = scopeOf('a');

describe('parameters', () => {
  let database: KuzuDatabase;
  beforeEach(async () => {
    database = await KuzuDatabase.open(freshPath());
  });
  afterEach(() => database.close());

  const refused = async (statement: string, parameters: object) =>
    expect(database.read(statement, parameters as never)).rejects.toSatisfy(InvalidInputError.isInstance);

  it('1: a list of numbers that begins with a whole one is not read as raw bits', async () => {
    await refused('UNWIND $list AS x RETURN x', { list: [0, 0.2, 0.3] });
    await refused('UNWIND $list AS x RETURN x', { list: [[1, 2], [3]] });
    const rows = await database.read('UNWIND $list AS x RETURN CAST(x AS DOUBLE) AS x', {
      list: ['0', '0.2', '1e-7'],
    });
    expect(rows.map((row) => row.x)).toEqual([0, 0.2, 1e-7]);
  });

  it('2: keys of objects are put into one order, mixed columns rejected', async () => {
    const rows = await database.read('UNWIND $rows AS r RETURN r.a AS a, r.b AS b', {
      rows: [
        { a: 1, b: 'x' },
        { b: 'y', a: 2 },
      ],
    });
    expect(rows).toEqual([
      { a: 1, b: 'x' },
      { a: 2, b: 'y' },
    ]);
    await refused('UNWIND $rows AS r RETURN r.a', { rows: [{ a: 1 }, { a: 2.5 }] });
    await refused('UNWIND $rows AS r RETURN r.a', { rows: [{ a: 1 }, { a: 'x' }] });
    await refused('UNWIND $rows AS r RETURN r.a', { rows: [{ a: 1 }, { b: 1 }] });
    await refused('UNWIND $rows AS r RETURN r.a', { rows: [{ a: 1 }, { a: 1, b: 1 }] });
    await refused('UNWIND $rows AS r RETURN r.a', { rows: [{ a: 1 }, 1] });
  });

  it('3: an empty or missing list does not reach the database', async () => {
    await refused('MATCH (s:Scope) WHERE s.name IN $ids RETURN s.name', { ids: [] });
    await refused('MATCH (s:Scope) WHERE s.name IN $ids RETURN s.name', { ids: null });
    await refused('MATCH (s:Scope) WHERE s.name IN $ids RETURN s.name', { ids: [null] });
  });

  it('4: a parameter left out is refused, not taken from the call before; so is one too many', async () => {
    expect(await database.read('RETURN $x AS x', { x: 'before' })).toEqual([{ x: 'before' }]);
    await refused('RETURN $x AS x', {});
    await refused('RETURN $x AS x', { x: undefined });
    await refused('RETURN $x AS x', { x: 'a', y: 'b' });
    expect(await database.read('RETURN $x AS x', { x: 'after' })).toEqual([{ x: 'after' }]);
  });

  it('5: a Date is rejected, as is anything that is neither text nor a whole number', async () => {
    for (const value of [
      new Date(),
      Number.NaN,
      0.5,
      2 ** 53,
      1n,
      true,
      null,
      Symbol('x'),
      () => 1,
      new Map(),
      {},
    ])
      await refused('RETURN $x AS x', { x: value });
    expect(checkParameters(new Set(['x']), { x: -(2 ** 53) + 1 })).toEqual({ x: -(2 ** 53) + 1 });
  });
});

describe('full-text search and text', () => {
  it('6 and 7: no statement and no table uses an index besides primary keys', async () => {
    const path = freshPath();
    await (await KuzuStore.open({ path })).close();
    const database = await KuzuDatabase.open(path);
    expect(await database.read('CALL show_indexes() RETURN *')).toEqual([]);
    await database.close();
    expect(JSON.stringify(Object.values(statements).map(String))).not.toMatch(/FTS|VECTOR_INDEX|MERGE/);
  });

  it('6: many rows of one statement keep their own texts', async () => {
    const store = await KuzuStore.open({ path: freshPath() });
    const rows = Array.from({ length: 500 }, (_, i) => fact(`f${i}`, { statement: `statement ${i}` }));
    await store.commit(A, { nodes: { fact: rows } });
    await store.commit(A, { removals: rows.slice(0, 250).map(({ id }) => ({ kind: 'fact', id }) as const) });
    const left = await store.get(
      A,
      'fact',
      rows.map((row) => row.id),
    );
    expect(left).toEqual(rows.slice(250));
    await store.close();
  });

  it('8: no text column can change, and many updates with checkpoints do not grow the file', async () => {
    const columns = NODE_KINDS.flatMap((kind) => Object.values(columnsByName(kind)));
    expect(columns.filter((column) => column.isMutable && holdsText(column))).toEqual([]);
    const path = freshPath();
    const database = await openWithRows(path, 3000);
    await database.checkpoint(); // so few rows stay in the log at close
    const size = statSync(path).size;
    for (let round = 1; round <= 15; round += 1) {
      await database.write(async (session) => {
        await session.run('MATCH (i:Item) SET i.expiredAt = $round', { round });
      });
      await database.checkpoint();
    }
    expect(statSync(path).size).toBeLessThan(size * 1.5);
    await database.close();
  });
});

describe('closing', () => {
  it('9: with reads in flight and results half read it waits and ends them', async () => {
    const path = freshPath();
    const store = await KuzuStore.open({ path });
    const rows = Array.from({ length: 5000 }, (_, i) => entity(`n${i}`));
    await store.commit(A, { nodes: { entity: rows } });
    const scan = store.scan(A, 'entity')[Symbol.asyncIterator]();
    expect((await scan.next()).value?.length).toBe(1000);
    const reads = [store.get(A, 'entity', ['n1']), store.count(A), store.commit(A, {})];
    const settled = Promise.allSettled(reads);
    await store.close();
    for (const one of await settled)
      if (one.status === 'rejected') expect(one.reason).toSatisfy(StoreClosedError.isInstance);
    expect(await reads[2]).toBe(2);
    await expect(scan.next()).rejects.toSatisfy(StoreClosedError.isInstance);
    const again = await KuzuStore.open({ path });
    expect((await again.count(A)).entity).toBe(5000);
    await again.close();
  });

  it('9: with a bare connection and an open result', async () => {
    const connection = await KuzuConnection.open(freshPath(), DATABASE_DEFAULTS);
    const cursor = await connection.reader.open('UNWIND range(1, 100) AS x RETURN x');
    expect(cursor.next(2)).toEqual([{ x: 1 }, { x: 2 }]);
    await connection.close();
    expect(cursor.closed).toBe(true);
    cursor.close();
  });
});

describe('files', () => {
  it('13: a removed text is unreachable; its bytes may stay until the rows are copied to a new file', async () => {
    const path = freshPath();
    const store = await KuzuStore.open({ path });
    const secret = 'the-secret-text '.repeat(200);
    await store.commit(A, {
      nodes: { item: [item('i', { value: secret })], episode: [episode('e'), episode('g')] },
    });
    await store.commit(A, { relationships: [edge('NEXT', 'e', 'g')], removals: [{ kind: 'item', id: 'i' }] });
    const copy = await KuzuStore.open({ path: freshPath() });
    for await (const rows of store.scan(A, 'episode')) await copy.commit(A, { nodes: { episode: rows } });
    for await (const rows of store.relationships(A, 'NEXT')) await copy.commit(A, { relationships: rows });
    expect((await copy.count(A)).episode).toBe(2);
    const copied = copy.describe().path;
    await store.close();
    await copy.close();
    for (const name of readdirSync(folder).filter((file) => join(folder, file).startsWith(copied)))
      expect(readFileSync(join(folder, name)).includes('the-secret-text')).toBe(false);
    const again = await KuzuStore.open({ path });
    expect(await again.get(A, 'item', ['i'])).toEqual([]);
    const database = await rawOf(again, path);
    expect(await database.read('MATCH (p:Piece) RETURN count(*) AS n')).toEqual([{ n: 0 }]);
    await database.close();
  });

  it.each([
    ['turns and their segment', ['e2', 'e3'], ['s2']],
    ['a segment alone', [], ['s2']],
    ['turns alone', ['e2', 'e3'], []],
    ['a turn of each', ['e1', 'e3'], []],
  ])(
    '15: the edges of other nodes survive when %s are removed and the log is replayed',
    async (_, turns, segments) => {
      const path = freshPath();
      let store = await KuzuStore.open({ path });
      await store.commit(A, {
        nodes: {
          episode: [episode('e0'), episode('e1'), episode('e2'), episode('e3')],
          segment: [segment('s1'), segment('s2')],
        },
        relationships: [
          edge('IN_SEGMENT', 'e0', 's1'),
          edge('IN_SEGMENT', 'e1', 's1'),
          edge('IN_SEGMENT', 'e2', 's2'),
          edge('IN_SEGMENT', 'e3', 's2'),
        ],
      });
      await store.close(); // its checkpoint puts the edges into the file
      store = await KuzuStore.open({ path });
      const removals = [
        ...turns.map((id) => ({ kind: 'episode' as const, id })),
        ...segments.map((id) => ({ kind: 'segment' as const, id })),
      ];
      await store.commit(A, { removals });
      await store.close();
      store = await KuzuStore.open({ path });
      const left = (['e0', 'e1', 'e2', 'e3'] as const)
        .map((id, at) => ({ from: id, to: at < 2 ? 's1' : 's2' }))
        .filter(({ from, to }) => !turns.includes(from) && !segments.includes(to));
      for (const filter of [undefined, { from: ['e0', 'e1', 'e2', 'e3'] }, { to: ['s1', 's2'] }]) {
        const found: object[] = [];
        for await (const edges of store.relationships(A, 'IN_SEGMENT', filter))
          for (const { from, to } of edges) found.push({ from, to });
        expect(found.sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)))).toEqual(left);
      }
      await store.close();
    },
  );

  it('14: copies precede a checkpoint, and are deleted when it has ended', async () => {
    const path = freshPath();
    const database = await openWithRows(path, 100);
    const seen: string[][] = [];
    await database.write((session) => session.run("CREATE (:Scope {name: 'later', sequence: 1, token: 1})"));
    const done = database.checkpoint();
    let ended = false;
    done.finally(() => {
      ended = true;
    });
    while (!ended) {
      seen.push(
        readdirSync(folder)
          .filter((name) => name.startsWith(`${count}.db.before`))
          .sort(),
      );
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(seen).toContainEqual([`${count}.db.before`, `${count}.db.before.wal`]);
    expect(readdirSync(folder).filter((name) => name.startsWith(`${count}.db.before`))).toEqual([]);
    await database.close();
  });
});

async function openWithRows(path: string, number: number): Promise<KuzuDatabase> {
  const store = await KuzuStore.open({ path });
  const rows = Array.from({ length: number }, (_, i) => item(`i${i}`, { value: `value ${i} `.repeat(30) }));
  await store.commit(A, { nodes: { item: rows } });
  await store.close();
  return KuzuDatabase.open(path);
}

async function rawOf(store: KuzuStore, path: string): Promise<KuzuDatabase> {
  await store.close();
  return KuzuDatabase.open(path);
}
