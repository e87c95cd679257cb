import type { EmbeddingFingerprint } from '../model/embedding-fingerprint.ts';

export const sameFingerprint = (a: EmbeddingFingerprint, b: EmbeddingFingerprint): boolean =>
  a.model === b.model && a.dimension === b.dimension;

export const describeFingerprint = ({ model, dimension }: EmbeddingFingerprint): string =>
  `${model} (${dimension} dimensions)`;
