/** Which embedder made a memory's vectors. Two embedders with equal fingerprints give interchangeable vectors. */
export interface EmbeddingFingerprint {
  readonly model: string;
  readonly dimension: number;
}
