/** Cancels a call of `rerank`, which then throws CancelledError. */
export interface RerankOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Reads a query together with each document. Implementations pass `test/contract/reranker.ts`. */
export interface Reranker {
  readonly model: string;
  /**
   * How probably each document answers the query: numbers from 0 to 1, in the documents' order. A document's
   * number does not depend on the others.
   *
   * @throws CancelledError when the signal fires.
   */
  rerank(query: string, documents: readonly string[], options?: RerankOptions): Promise<number[]>;
}
