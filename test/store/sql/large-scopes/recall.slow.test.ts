import { expect, it } from 'vitest';
import { randomNumbers } from '../../../../bench/synthetic-turns.ts';
import type { EpisodeId } from '../../../../src/model/ids.ts';
import { readWordsOf } from '../../../../src/search/turn-text.ts';
import { VectorIndex } from '../../../../src/search/vector-index.ts';
import { embeddingModel } from '../../../../src/store/graph-store.ts';
import { openPostgresStore } from '../../../../src/store/sql/postgres/postgres-store.ts';
import { embedding, episode, scopeOf } from '../../../contract/graph-rows.ts';
import { PgliteServer } from '../../../fixtures/pglite-server.ts';

const VECTORS = 20_000;
const DIMENSION = 128;
const CLUSTERS = 300;
const QUERIES = 100;

it('finds nearly all of the nearest of 20,000 vectors, with their exact scores', async () => {
  await using server = await PgliteServer.start();
  const store = await openPostgresStore(
    { url: server.url, connections: 1, searchInDatabaseAbove: 1_000 },
    { readWords: readWordsOf },
  );
  const scope = scopeOf('many');
  const fingerprint = { model: 'random', dimension: DIMENSION };
  const random = randomNumbers(7);
  const centres = Array.from({ length: CLUSTERS }, () => spread(random));
  const vectorNear = () => {
    const centre = centres[Math.floor(random() * CLUSTERS)]!;
    const noise = spread(random);
    return unit(centre.map((value, place) => value + 0.8 * noise[place]!));
  };
  const exact = new VectorIndex(DIMENSION);
  for (let start = 0; start < VECTORS; start += 2_000) {
    const ids = Array.from({ length: 2_000 }, (_, at) => `turn ${start + at}`);
    await store.commit(scope, {
      nodes: {
        episode: ids.map((id) => episode(id, { content: 'x' })),
        embedding: ids.map((id, at) => {
          const vector = vectorNear();
          exact.set(start + at, vector);
          const model = embeddingModel(fingerprint);
          return embedding(`vector of ${id}`, { owner: id as EpisodeId, model, vector });
        }),
      },
    });
  }
  const { search } = await store.openSearch(scope, fingerprint);
  let [found, wanted] = [0, 0];
  for (let query = 0; query < QUERIES; query++) {
    const asked = vectorNear();
    const nearest = await search!.nearest('episode', asked, { most: 100, exact: 100, among: null });
    const rescored = new VectorIndex(DIMENSION);
    for (const { id, vector } of nearest) rescored.set(Number(id.slice('turn '.length)), vector!);
    const best = exact.top(asked, 10);
    const places = new Map(rescored.top(asked, 10).map(({ ordinal, score }) => [ordinal, score]));
    wanted += best.length;
    for (const { ordinal, score } of best) {
      if (places.has(ordinal)) found++;
      if (places.has(ordinal)) expect(places.get(ordinal)).toBe(score);
    }
  }
  await store.close();
  expect(found / wanted).toBeGreaterThan(0.97);
});

function spread(random: () => number): Float32Array {
  return Float32Array.from({ length: DIMENSION }, () => random() + random() + random() - 1.5);
}

function unit(vector: Float32Array): Float32Array {
  const norm = Math.hypot(...vector);
  return vector.map((value) => value / norm);
}
