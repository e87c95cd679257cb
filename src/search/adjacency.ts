/** Directed edges in parallel arrays, in no particular order. */
export interface EdgeColumns {
  readonly froms: Uint32Array;
  readonly tos: Uint32Array;
  readonly weights: Float32Array;
  readonly types: Uint8Array;
}

/**
 * Compressed sparse rows: the edges of node n are those from `offsets[n]` up to `offsets[n + 1]`, in the order in
 * which they were added.
 */
export interface Adjacency {
  readonly offsets: Uint32Array;
  /** The node at the other end of each edge. */
  readonly others: Uint32Array;
  readonly weights: Float32Array;
  readonly types: Uint8Array;
}

/** Sorts edges by one of their ends, by counting: linear in nodes and edges. */
export function buildAdjacency(nodes: number, by: 'from' | 'to', edges: EdgeColumns): Adjacency {
  const keys = by === 'from' ? edges.froms : edges.tos;
  const values = by === 'from' ? edges.tos : edges.froms;
  const offsets = new Uint32Array(nodes + 1);
  for (const key of keys) offsets[key + 1]!++;
  for (let node = 0; node < nodes; node++) offsets[node + 1]! += offsets[node]!;
  const next = offsets.slice();
  const others = new Uint32Array(keys.length);
  const weights = new Float32Array(keys.length);
  const types = new Uint8Array(keys.length);
  for (let edge = 0; edge < keys.length; edge++) {
    const at = next[keys[edge]!]!++;
    others[at] = values[edge]!;
    weights[at] = edges.weights[edge]!;
    types[at] = edges.types[edge]!;
  }
  return { offsets, others, weights, types };
}
