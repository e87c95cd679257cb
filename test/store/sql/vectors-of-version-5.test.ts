import { expect, it } from 'vitest';
import { openSqliteStore } from '../../../src/store/sql/sqlite/sqlite-store.ts';
import { roundedVector } from '../../../src/util/rounded-vector.ts';
import { openSqlite, readPragma } from '../../../src/util/sqlite-file.ts';
import { embedding, scopeOf } from '../../contract/graph-rows.ts';
import { freshPath } from '../../engine/memory-fixture.ts';
import { randomVector, seededRandom } from '../../search/random.ts';

const A = scopeOf('a');
const COUNT = 1_500;

/** A file whose rows are those that version 5 wrote: vectors of float32 numbers, which are not rounded. */
async function fileOfVersion5() {
  const path = freshPath('.sqlite');
  const random = seededRandom(9);
  const rows = Array.from({ length: COUNT }, (_, at) =>
    embedding(`v${at}`, { owner: `e${at}`, vector: randomVector(random, 64) }),
  );
  const store = await openSqliteStore(path);
  await store.commit(A, { nodes: { embedding: rows } });
  await store.close();
  const connection = openSqlite(path, () => undefined);
  connection.exec("UPDATE meta SET value = '5' WHERE name = 'schema'");
  connection.exec('PRAGMA user_version = 5');
  connection.close();
  return { path, rows };
}

it('vectors of a file of version 5 are read as they are, also after a compaction, beside rounded ones', async () => {
  const { path, rows } = await fileOfVersion5();
  const ids = rows.map(({ id }) => id);
  const store = await openSqliteStore(path);
  expect(store.describe().schemaVersion).toBe(6);
  expect(await store.get(A, 'embedding', ids)).toEqual(rows);
  const added = embedding('new', { owner: 'e', vector: roundedVector(Float32Array.of(0.6, 0.8)) });
  await store.commit(A, { nodes: { embedding: [added] } });
  await store.close();

  const again = await openSqliteStore(path);
  await again.files()!.compact();
  expect(await again.get(A, 'embedding', [...ids, 'new'])).toEqual([...rows, added]);
  await again.close();
  const connection = openSqlite(path, () => undefined);
  expect(readPragma(connection, 'user_version')).toBe(6);
  connection.close();
});
