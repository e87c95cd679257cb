import { expect, it } from 'vitest';
import type { MoveContext } from '../../../src/files/reembed/move.ts';
import { type ReembedEvent, reembed } from '../../../src/files/reembed/reembed.ts';
import type { Embedding } from '../../../src/model/nodes.ts';
import { embeddingModel, type GraphStore } from '../../../src/store/graph-store.ts';
import { episode, profile, scopeOf } from '../../contract/graph-rows.ts';
import type { CountingEmbedder } from '../../engine/counting-embedder.ts';
import { fullAt } from '../../engine/failing-store.ts';
import { one, two } from './reembed-fixture.ts';

const A = scopeOf('a');
const TEXTS = 700 + 2 * 300;
let ids = 0;

/** A move without an engine: nobody else writes. */
async function move(store: GraphStore, embedder: CountingEmbedder): Promise<ReembedEvent[]> {
  const context: MoveContext = {
    store,
    embedder,
    newId: () => `new ${++ids}`,
    signal: undefined,
    room: async () => null,
  };
  const switchOver = async (complete: () => Promise<void>) => {
    await complete();
    await store.adoptNextFingerprint();
  };
  const events: ReembedEvent[] = [];
  for await (const event of reembed({ ...context, comparesVectors: true, switchOver })) events.push(event);
  return events;
}

async function vectors(store: GraphStore, model: string): Promise<Pick<Embedding, 'owner' | 'field'>[]> {
  const rows = [];
  for await (const batch of store.embeddings(A, model, ['owner', 'field'])) rows.push(...batch);
  return rows;
}

/** The first commit tells the memory, the others are the move's. */
it.each([2, 3, 4, 5, 6, 7].flatMap((commit) => [false, true].map((late) => ({ commit, late }))))(
  'continues after a full disk at commit $commit, whether or not the commit was stored ($late)',
  async ({ commit, late }) => {
    const store = fullAt(commit, { late });
    await store.setFingerprint(one().fingerprint);
    await store.commit(A, {
      nodes: {
        episode: Array.from({ length: 700 }, (_, i) => episode(`e${i}`)),
        profile: Array.from({ length: 300 }, (_, i) => profile(`p${i}`)),
      },
    });
    const embedder = two();
    await expect(move(store, embedder)).rejects.toMatchObject({ code: 'disk-full' });
    expect(store.describe()).toMatchObject({
      fingerprint: one().fingerprint,
      nextFingerprint: two().fingerprint,
    });
    const kept = await vectors(store, embeddingModel(two().fingerprint));
    const again = two();
    const events = await move(store, again);
    expect(again.passages).toHaveLength(TEXTS - kept.length);
    expect(events.at(-1)).toMatchObject({ type: 'done', texts: TEXTS });
    const rows = await vectors(store, embeddingModel(two().fingerprint));
    expect(new Set(rows.map(({ owner, field }) => `${owner} ${field}`)).size).toBe(TEXTS);
    expect(rows).toHaveLength(TEXTS);
    expect(store.describe()).toMatchObject({ fingerprint: two().fingerprint, nextFingerprint: null });
  },
);

it('removes vectors whose row was removed, and the second of two of one text', async () => {
  const store = fullAt(Number.POSITIVE_INFINITY);
  const vector = new Float32Array(64);
  const row = (id: string, owner: string) =>
    ({ id, owner, field: 'content', model: 'two@64', vector }) as Embedding;
  await store.setFingerprint(one().fingerprint);
  await store.commit(A, {
    nodes: {
      episode: [episode('e1'), episode('e2')],
      embedding: [row('v1', 'e1'), row('v2', 'e1'), row('v3', 'gone')],
    },
  });
  const events = await move(store, two());
  expect((await vectors(store, 'two@64')).map(({ owner }) => owner).sort()).toEqual(['e1', 'e2']);
  expect(events.at(-1)).toMatchObject({ texts: 2, embedded: 1 });
});
