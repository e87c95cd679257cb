export const NODE_TYPES = ['object', 'thesis', 'episode'] as const;
/** PersonalAI's node types: an object is an entity, a thesis a proposition (docs/papers.md §4.1). */
export type NodeType = (typeof NODE_TYPES)[number];

/** A triplet as traversed: edges have no direction of their own and length 1. */
export interface TraversalEdge {
  readonly from: number;
  readonly to: number;
  /** Ordinal of the relation fact that joins two objects; null if an end is a thesis or an episode. */
  readonly relation: number | null;
}

/** The graph that the algorithms traverse. Nodes are integers; ties go to the lower number. */
export interface TraversalGraph {
  typeOf(node: number): NodeType;
  /** Edges of a node, ordered by the other end, then by relation: several if several facts join a pair. */
  edgesOf(node: number): readonly TraversalEdge[];
  /** 1 − inner product of the two nodes' unit vectors; 0 for equal nodes, 1 if one has no vector. */
  distance(a: number, b: number): number;
  /** Cosine of the question with the triplet's text: that of the relation, the thesis or the episode. */
  relevance(edge: TraversalEdge): number;
  /** Whether that text contains an entity's name or an alias. */
  names(edge: TraversalEdge, entity: number): boolean;
}

/** The node types that a traversal may enter, and its time limit. */
export interface Walk {
  readonly allowed: ReadonlySet<NodeType>;
  readonly limit: { check(): void };
}

/** Equal for both directions. */
export function edgeKey({ from, to, relation }: TraversalEdge): string {
  const ends = from < to ? `${from} ${to}` : `${to} ${from}`;
  return relation === null ? ends : `${ends} ${relation}`;
}

/** Removes duplicate triplets; keeps the first. */
export function distinctEdges(edges: Iterable<TraversalEdge>): TraversalEdge[] {
  const known = new Map<string, TraversalEdge>();
  for (const edge of edges) {
    const key = edgeKey(edge);
    if (!known.has(key)) known.set(key, edge);
  }
  return [...known.values()];
}
