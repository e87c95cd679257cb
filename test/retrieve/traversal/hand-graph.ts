import type {
  NodeType,
  TraversalEdge,
  TraversalGraph,
  Walk,
} from '../../../src/retrieve/traversal/traversal-graph.ts';

interface HandEdge {
  readonly between: readonly [number, number];
  /** The number of a relation fact; none for an edge to a thesis or an episode. */
  readonly relation?: number;
  /** Cosine of the triplet's text with the question. Default 0.5. */
  readonly cosine?: number;
  /** Entities that the text names. */
  readonly names?: readonly number[];
}

interface HandGraph {
  /** Types of nodes that are not objects. */
  readonly types?: Readonly<Record<number, NodeType>>;
  readonly edges: readonly HandEdge[];
  /** By "a b", the lower number first. Default 1. */
  readonly distances?: Readonly<Record<string, number>>;
}

/** A graph defined by hand. */
export function handGraph({ types = {}, edges, distances = {} }: HandGraph): TraversalGraph {
  const of = (edge: TraversalEdge) =>
    edges.find(
      ({ between, relation = null }) =>
        relation === edge.relation && between.includes(edge.from) && between.includes(edge.to),
    )!;
  return {
    typeOf: (node) => types[node] ?? 'object',
    edgesOf: (node) =>
      edges
        .filter(({ between }) => between.includes(node))
        .map(({ between: [a, b], relation = null }) => ({ from: node, to: a === node ? b : a, relation }))
        .sort((a, b) => a.to - b.to || (a.relation ?? -1) - (b.relation ?? -1)),
    distance: (a, b) => (a === b ? 0 : (distances[`${Math.min(a, b)} ${Math.max(a, b)}`] ?? 1)),
    relevance: (edge) => of(edge).cosine ?? 0.5,
    names: (edge, entity) => of(edge).names?.includes(entity) ?? false,
  };
}

export function walkOver(...allowed: readonly NodeType[]): Walk {
  return {
    allowed: new Set(allowed.length === 0 ? ['object', 'thesis', 'episode'] : allowed),
    limit: { check() {} },
  };
}

/** A walk that must stop after this many checks. */
export function walkThatStops(checks: number): Walk {
  let left = checks;
  return {
    ...walkOver(),
    limit: {
      check() {
        if (left-- === 0) throw new Error('stopped');
      },
    },
  };
}
