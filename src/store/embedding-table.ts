import type { EmbeddingFingerprint } from '../model/embedding-fingerprint.ts';
import type { Scope } from '../model/ids.ts';
import type { Embedding } from '../model/nodes.ts';

/**
 * The part of the graph of record that is derived: vectors, each marked with the embedder that made it
 * (`embeddingModel`). Rows of several embedders may stand side by side while a memory is moved from one to another
 * (docs/decisions/2026-11-21-reembedding.md); only those of the fingerprint in use are ever compared.
 */
export interface EmbeddingTable {
  /**
   * Records which embedder the vectors come from, when the first memory is written. Another one is accepted
   * only while the store holds no embedding, and ends a move that was begun.
   *
   * @throws EmbeddingMismatchError otherwise.
   */
  setFingerprint(fingerprint: EmbeddingFingerprint): Promise<void>;

  /** Records where the vectors are being moved to, for whoever opens the store after a crash; null ends it. */
  setNextFingerprint(fingerprint: EmbeddingFingerprint | null): Promise<void>;

  /**
   * Makes the next fingerprint the one in use, in one transaction. It stays the next one too, as a sign that rows
   * of the former embedder may be left, until `setNextFingerprint(null)`.
   *
   * @throws InvalidChangeError when no next fingerprint is set.
   */
  adoptNextFingerprint(): Promise<void>;

  /** The rows that one embedder made, in batches, as `scan` gives them. */
  embeddings<F extends keyof Embedding>(
    scope: Scope,
    model: string,
    fields: readonly F[],
  ): AsyncIterable<readonly Pick<Embedding, F>[]>;

  /** How many rows of the scope each embedder made; those that made none are left out. */
  countEmbeddings(scope: Scope): Promise<ReadonlyMap<string, number>>;

  /**
   * Removes some rows that one embedder made, at most `limit`, in one transaction that counts as a commit, and
   * returns how many; 0, and no commit, when there was none.
   */
  removeEmbeddings(scope: Scope, model: string, limit: number): Promise<number>;
}
