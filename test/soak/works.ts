import { HashingEmbedder } from '../../src/inference/embedder/hashing-embedder.ts';
import { analyze } from '../../src/search/analyzer.ts';

export const WORKS = [
  'add',
  'flush',
  'forget',
  'correct',
  'compact',
  'backup',
  'reembed',
  'hierarchy',
  'close',
] as const;
export type Work = (typeof WORKS)[number];

/** A move that a kill broke off makes the next open warn. */
export const silent = { warn: () => undefined };

export const embedderOf = (dimension: number) => new HashingEmbedder({ analyze, dimension });
