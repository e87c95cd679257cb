/** Rows that run together, each filled up to `length` tokens. */
export interface Batch {
  /** Positions in the list that was planned. */
  readonly rows: readonly number[];
  readonly length: number;
}

/**
 * Puts rows of similar length together, the longest first (so that a batch that does not fit into memory fails at
 * once), and at most `tokens` tokens in a batch, fillers counted; a row that is longer goes alone.
 */
export function planBatches(lengths: readonly number[], tokens: number): Batch[] {
  const order = lengths.map((_, row) => row).sort((a, b) => lengths[b]! - lengths[a]! || a - b);
  const batches: Batch[] = [];
  for (let start = 0; start < order.length; ) {
    const length = Math.max(1, lengths[order[start]!]!);
    const rows = order.slice(start, start + Math.max(1, Math.floor(tokens / length)));
    batches.push({ rows, length });
    start += rows.length;
  }
  return batches;
}
