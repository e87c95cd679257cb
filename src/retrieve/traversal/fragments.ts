import type { TraversalEdge, TraversalGraph } from './traversal-graph.ts';

interface Fragment {
  readonly edge: TraversalEdge;
  /** Entities of the question that it is linked to or names, but for one that led to it: n_e of the paper. */
  readonly others: number;
  readonly relevance: number;
}

/**
 * Theses or episodes around the entities of a question: those that tell of most of them first, then by cosine (PAPERS
 * §4.4).
 *
 * @param edges From an entity to a fragment. Each fragment comes back once, with its first edge.
 */
export function rankFragments(
  graph: TraversalGraph,
  edges: readonly TraversalEdge[],
  options: {
    readonly asked: ReadonlySet<number>;
    /** Leaves out fragments that tell of one entity only, unless all do. */
    readonly strict: boolean;
    readonly limit: { check(): void };
  },
): TraversalEdge[] {
  const { asked, strict, limit } = options;
  const linked = new Map<number, { readonly edge: TraversalEdge; readonly from: Set<number> }>();
  for (const edge of edges) {
    const known = linked.get(edge.to);
    if (known === undefined) linked.set(edge.to, { edge, from: new Set([edge.from]) });
    else known.from.add(edge.from);
  }
  const fragments = [...linked.values()].map(({ edge, from }): Fragment => {
    limit.check();
    const told = [...asked].filter((entity) => from.has(entity) || graph.names(edge, entity));
    return { edge, others: told.length - 1, relevance: graph.relevance(edge) };
  });
  const joining = fragments.filter(({ others }) => others > 0);
  return (strict && joining.length > 0 ? joining : fragments)
    .sort((a, b) => b.others - a.others || b.relevance - a.relevance || a.edge.to - b.edge.to)
    .map(({ edge }) => edge);
}
