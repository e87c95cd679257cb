/** The settings of BM25 (Robertson and Zaragoza, 2009). */
export interface Bm25 {
  /** How soon repetitions of a term stop counting; at least 0. */
  readonly k1: number;
  /** How much the length of a text counts against it, from 0 to 1. */
  readonly b: number;
}

/** Facts, profiles, segments and stored items. */
export const BM25_OF_DOCUMENTS: Bm25 = { k1: 1.2, b: 0.75 };

/** Turns; each session also counts as one document, with a `b` of its own. */
export const BM25_OF_TURNS: Bm25 & { readonly sessionB: number } = { k1: 1.2, b: 0.4, sessionB: 0.5 };

/**
 * How much a term tells: ln(1 + (N − n + 0.5) / (n + 0.5)), never negative.
 *
 * @param frequency n, the texts that have the term.
 * @param total N, all texts.
 */
export function inverseDocumentFrequency(frequency: number, total: number): number {
  return Math.log(1 + (total - frequency + 0.5) / (frequency + 0.5));
}
