import type { GraphChanges } from '../../model/graph-changes.ts';
import type { Embedding } from '../../model/nodes.ts';
import { embeddingModel, type GraphStore } from '../../store/graph-store.ts';
import { graphDifference } from './graph-difference.ts';
import { matchRows } from './match-rows.ts';
import { type ReplayOptions, replay } from './replay.ts';
import { readScopeRows } from './scope-rows.ts';

export interface RederiveOptions extends Omit<ReplayOptions, 'vectors'> {
  readonly store: GraphStore;
}

/**
 * What brings the base graph of a scope to what ingesting its turns gives (DESIGN §8.1, local tier): they are ingested
 * once more, beside the scope, at the times and in the batches in which it was done before, and what comes out is set
 * beside what is there. Rows that both have keep their ids. Nothing is written.
 *
 * @throws CancelledError
 */
export async function rederive(options: RederiveOptions): Promise<GraphChanges> {
  const { store, scope, embedder } = options;
  const old = await readScopeRows(store, scope);
  const model = embeddingModel(embedder.fingerprint);
  const vectorsIn = async (graph: GraphStore) =>
    (await collect(graph.embeddings(scope, model, VECTOR_FIELDS))) as Embedding[];
  const shadow = await replay(old, { ...options, vectors: () => vectorsIn(store) });
  const fresh = await readScopeRows(shadow.store, scope);
  const same = matchRows(fresh, old);
  const vectors = await vectorsIn(shadow.store);
  const owners = await collect(store.scan(scope, 'embedding', ['id', 'owner']));
  return graphDifference(fresh, old, { same, vectors, owners });
}

const VECTOR_FIELDS = ['id', 'owner', 'field', 'model', 'vector'] as const;

async function collect<Row>(batches: AsyncIterable<readonly Row[]>): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const batch of batches) for (const row of batch) rows.push(row);
  return rows;
}
