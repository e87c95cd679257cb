import type { Steps } from '../util/breathe.ts';
import type { GraphView } from './graph-view.ts';

const ROWS_PER_STEP = 2_048;

interface Counted {
  /** Whether the edges of a row count. */
  isCounted(row: number): boolean;
  /** Number of nodes that edges may end at. */
  readonly ends: number;
}

/** How many edges of the rows that count end at each node. Linear in the edges. */
export function* countEnds(graph: GraphView, { isCounted, ends }: Counted): Steps<Uint32Array> {
  const { offsets, others } = graph.adjacency('out');
  const counts = new Uint32Array(ends);
  for (let row = 0; row + 1 < offsets.length; row++) {
    if (row % ROWS_PER_STEP === 0) yield;
    if (offsets[row] === offsets[row + 1] || !isCounted(row)) continue;
    for (let edge = offsets[row]!; edge < offsets[row + 1]!; edge++)
      if (others[edge]! < ends) counts[others[edge]!]!++;
  }
  return counts;
}
