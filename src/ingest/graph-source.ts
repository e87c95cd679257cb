import type { Embedder } from '../inference/embedder.ts';
import type { Scope } from '../model/ids.ts';
import type { ScopeSource } from '../search/scope-index.ts';
import { embeddingModel, type GraphStore } from '../store/graph-store.ts';

interface IndexedEmbedding {
  readonly embedder: Pick<Embedder, 'fingerprint'>;
  /** Whether the stored vectors are of this embedder; if not, the index loads none. */
  readonly comparesVectors: boolean;
}

/** The rows of a scope from which its index is built. */
export function graphSource(store: GraphStore, scope: Scope, embedding: IndexedEmbedding): ScopeSource {
  const model = embeddingModel(embedding.embedder.fingerprint);
  return {
    rows: (kind, fields) => store.scan(scope, kind, fields),
    embeddings: (fields) => (embedding.comparesVectors ? store.embeddings(scope, model, fields) : nothing()),
    relationships: (kind) => store.relationships(scope, kind),
  };
}

async function* nothing(): AsyncGenerator<never> {}
