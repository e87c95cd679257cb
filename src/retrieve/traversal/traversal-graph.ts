export const NODE_TYPES = ['object', 'thesis', 'episode'] as const;
/** What PersonalAI calls the nodes: an object is an entity, a thesis a proposition (docs/papers.md §4.1). */
export type NodeType = (typeof NODE_TYPES)[number];

/** One triplet of the graph, as it is walked: edges have no direction of their own and length 1. */
export interface TraversalEdge {
  readonly from: number;
  readonly to: number;
  /** Number of the relation fact that joins two objects; null where a thesis or an episode is an end. */
  readonly relation: number | null;
}

/** What the algorithms walk on. Nodes are whole numbers, and the lower one goes first where nothing else decides. */
export interface TraversalGraph {
  typeOf(node: number): NodeType;
  /** From this node, by the other end, then by relation: several where several facts join a pair. */
  edgesOf(node: number): readonly TraversalEdge[];
  /** 1 − inner product of the two nodes' unit vectors; 0 of a node with itself, 1 where one has no vector. */
  distance(a: number, b: number): number;
  /** Cosine of the question with the triplet's text: that of the relation, the thesis or the episode. */
  relevance(edge: TraversalEdge): number;
  /** Whether that text names an entity, by its name or an alias. */
  names(edge: TraversalEdge, entity: number): boolean;
}

/** Where an algorithm may go, and what ends it early. */
export interface Walk {
  readonly allowed: ReadonlySet<NodeType>;
  readonly limit: { check(): void };
}

/** The same for both directions. */
export function edgeKey({ from, to, relation }: TraversalEdge): string {
  const ends = from < to ? `${from} ${to}` : `${to} ${from}`;
  return relation === null ? ends : `${ends} ${relation}`;
}

/** Each triplet once, where it first comes. */
export function distinctEdges(edges: Iterable<TraversalEdge>): TraversalEdge[] {
  const known = new Map<string, TraversalEdge>();
  for (const edge of edges) {
    const key = edgeKey(edge);
    if (!known.has(key)) known.set(key, edge);
  }
  return [...known.values()];
}
