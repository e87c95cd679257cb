import { Embeddings, type EmbeddingsParams } from '@langchain/core/embeddings';
import type { Embedder } from '../inference/embedder.ts';

/** LangChain's own settings, and the embedder that does the work. */
export interface MnemisEmbeddingsOptions extends EmbeddingsParams {
  /** Stays the caller's: it is not closed. */
  readonly embedder: Embedder;
}

/**
 * An embedder of ours as LangChain's `Embeddings`, for vector stores and the like: documents are embedded as passages,
 * questions as questions. Vectors have unit length, or are all zero for a text without features.
 */
export class MnemisEmbeddings extends Embeddings {
  readonly #embedder: Embedder;

  constructor({ embedder, ...params }: MnemisEmbeddingsOptions) {
    super(params);
    this.#embedder = embedder;
  }

  override async embedDocuments(documents: readonly string[]): Promise<number[][]> {
    const vectors = await this.#embedder.embed(documents, { as: 'passage' });
    return vectors.map((vector) => Array.from(vector));
  }

  override async embedQuery(question: string): Promise<number[]> {
    const [vector] = await this.#embedder.embed([question], { as: 'query' });
    return Array.from(vector!);
  }
}
