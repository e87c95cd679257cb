import type { EmbeddingFingerprint } from '../model/embedding-fingerprint.ts';

export const sameFingerprint = (a: EmbeddingFingerprint, b: EmbeddingFingerprint): boolean =>
  a.model === b.model && a.dimension === b.dimension;

/** How the rows of an embedder are marked (`Embedding.model`). */
export const embeddingModel = ({ model, dimension }: EmbeddingFingerprint): string => `${model}@${dimension}`;

export const describeFingerprint = ({ model, dimension }: EmbeddingFingerprint): string =>
  `${model} (${dimension} dimensions)`;
