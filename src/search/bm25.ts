/** The settings of BM25 (Robertson and Zaragoza, 2009). */
export interface Bm25 {
  /** Saturation: how soon repetitions of a term stop counting; at least 0. */
  readonly k1: number;
  /** Length normalization, from 0 to 1. */
  readonly b: number;
}

/** Facts, profiles, segments and stored items. */
export const BM25_OF_DOCUMENTS: Bm25 = { k1: 1.2, b: 0.75 };

/** Turns; each session also counts as one document, with its own `b`. */
export const BM25_OF_TURNS: Bm25 & { readonly sessionB: number } = { k1: 1.2, b: 0.4, sessionB: 0.5 };

/**
 * The weight of a term: ln(1 + (N − n + 0.5) / (n + 0.5)), never negative.
 *
 * @param frequency n, the number of texts with the term.
 * @param total N, the number of all texts.
 */
export function inverseDocumentFrequency(frequency: number, total: number): number {
  return Math.log(1 + (total - frequency + 0.5) / (frequency + 0.5));
}
