import type { Embedder } from '../inference/embedder.ts';
import type { Scope } from '../model/ids.ts';
import type { Embedding } from '../model/nodes.ts';
import type { ScopeSource } from '../search/scope-index.ts';
import { embeddingModel, type GraphStore } from '../store/graph-store.ts';

interface IndexedEmbedding {
  readonly embedder: Pick<Embedder, 'fingerprint'>;
  /** Whether the stored vectors are of this embedder; if not, the index loads none. */
  readonly comparesVectors: boolean;
}

interface WantedEmbeddings {
  readonly scope: Scope;
  readonly model: string;
  readonly isWanted: (embedding: Pick<Embedding, 'owner' | 'field'>) => boolean;
}

/** The rows of a scope that its index is built from. */
export function graphSource(store: GraphStore, scope: Scope, embedding: IndexedEmbedding): ScopeSource {
  const model = embeddingModel(embedding.embedder.fingerprint);
  return {
    rows: (kind, fields) => store.scan(scope, kind, fields),
    embeddings: (fields, isWanted) => {
      if (!embedding.comparesVectors) return nothing();
      if (isWanted === undefined) return store.embeddings(scope, model, fields);
      return someEmbeddings(store, { scope, model, isWanted });
    },
    relationships: (kind) => store.relationships(scope, kind),
  };
}

/** Reads the vectors that are wanted alone: most are not. */
async function* someEmbeddings(
  store: GraphStore,
  { scope, model, isWanted }: WantedEmbeddings,
): AsyncGenerator<readonly Embedding[]> {
  for await (const batch of store.embeddings(scope, model, ['id', 'owner', 'field'])) {
    const wanted = batch.filter(isWanted).map(({ id }) => id);
    if (wanted.length > 0) yield await store.get(scope, 'embedding', wanted);
  }
}

async function* nothing(): AsyncGenerator<never> {}
