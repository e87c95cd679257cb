import type { Embedder } from '../inference/embedder.ts';
import type { Scope } from '../model/ids.ts';
import type { ScopeSource } from '../search/scope-index.ts';
import { embeddingModel, type GraphStore } from '../store/graph-store.ts';

interface IndexedEmbedding {
  readonly embedder: Pick<Embedder, 'fingerprint'>;
  /** False while the stored vectors come from another embedder: the index gets none then. */
  readonly comparesVectors: boolean;
}

/** The rows of a scope that its index is filled from. */
export function graphSource(store: GraphStore, scope: Scope, embedding: IndexedEmbedding): ScopeSource {
  const model = embeddingModel(embedding.embedder.fingerprint);
  return {
    rows: (kind, fields) => store.scan(scope, kind, fields),
    embeddings: (fields) => (embedding.comparesVectors ? store.embeddings(scope, model, fields) : nothing()),
    relationships: (kind) => store.relationships(scope, kind),
  };
}

async function* nothing(): AsyncGenerator<never> {}
