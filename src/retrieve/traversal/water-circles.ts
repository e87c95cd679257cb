import type { WaterCirclesSettings } from './defaults.ts';
import { distinctEdges, type TraversalEdge, type TraversalGraph, type Walk } from './traversal-graph.ts';

/** Relation facts around the entities of a question, by how they join them (docs/papers.md §4.4). */
interface Circles {
  /** Triplets that touch two or more other entities of the question; most touched first. */
  readonly several: readonly TraversalEdge[];
  /** Triplets that touch one. */
  readonly one: readonly TraversalEdge[];
  /** Both edges of chains from two entities to a common node. */
  readonly chains: readonly TraversalEdge[];
  /** All visited triplets. */
  readonly walked: readonly TraversalEdge[];
}

interface WaterCirclesFound extends Circles {
  readonly primary: readonly TraversalEdge[];
  readonly secondary: readonly TraversalEdge[];
  readonly theses: readonly TraversalEdge[];
  readonly episodes: readonly TraversalEdge[];
  /** The four lists, concatenated. */
  readonly edges: readonly TraversalEdge[];
}

/**
 * WaterCircles (PersonalAI, "Retrieve Algorithms"): one ring around each entity of the question. Triplets where rings
 * of several entities touch come first, then the others by similarity to the question, then theses and episodes
 * around them, those that name most entities first.
 */
export function waterCircles(
  graph: TraversalGraph,
  entities: readonly number[],
  { settings, walk }: { readonly settings: WaterCirclesSettings; readonly walk: Walk },
): WaterCirclesFound {
  const asked = new Set(entities);
  const mayEnter = (node: number) => asked.has(node) || walk.allowed.has(graph.typeOf(node));
  const ring: TraversalEdge[] = [];
  for (const entity of entities) {
    walk.limit.check();
    for (const edge of graph.edgesOf(entity)) if (mayEnter(edge.to)) ring.push(edge);
  }
  const circles = readCircles(graph, ring, asked);
  const { several, one, chains, walked } = circles;
  const strict = settings.strictFilter && several.length > 0 ? several : [...several, ...one, ...chains];
  const primary = distinctEdges(strict);
  const others = without(walked, primary).sort(byRelevance(graph));
  const fragments = (type: 'thesis' | 'episode', most: number) =>
    rankFragments(
      graph,
      ring.filter(({ to }) => graph.typeOf(to) === type),
      { asked, strict: settings.strictFilter, limit: walk.limit },
    ).slice(0, most);
  const found = {
    primary: primary.slice(0, settings.chainTriplets),
    secondary: others.slice(0, settings.otherTriplets),
    theses: fragments('thesis', settings.hyper),
    episodes: fragments('episode', settings.episodic),
  };
  return { ...circles, ...found, edges: distinctEdges(Object.values(found).flat()) };
}

function readCircles(
  graph: TraversalGraph,
  ring: readonly TraversalEdge[],
  asked: ReadonlySet<number>,
): Circles {
  const walked = distinctEdges(ring.filter(({ relation }) => relation !== null));
  const touches = new Map(walked.map((edge) => [edge, touch(graph, edge, asked)]));
  const touching = (test: (count: number) => boolean) =>
    walked.filter((edge) => test(touches.get(edge)!)).sort((a, b) => touches.get(b)! - touches.get(a)!);
  return {
    several: touching((count) => count >= 2),
    one: touching((count) => count === 1),
    chains: meetings(walked, asked),
    walked,
  };
}

/** Number of entities of the question that a triplet touches besides its start: at its end or in its text. */
function touch(graph: TraversalGraph, edge: TraversalEdge, asked: ReadonlySet<number>): number {
  let count = 0;
  for (const entity of asked)
    if (entity !== edge.from && (entity === edge.to || graph.names(edge, entity))) count++;
  return count;
}

/** Edges whose far end is also reached from another entity of the question. */
function meetings(walked: readonly TraversalEdge[], asked: ReadonlySet<number>): TraversalEdge[] {
  const origins = new Map<number, Set<number>>();
  for (const { from, to } of walked)
    if (!asked.has(to)) origins.set(to, (origins.get(to) ?? new Set()).add(from));
  return walked.filter(({ to }) => (origins.get(to)?.size ?? 0) >= 2);
}

function without(edges: readonly TraversalEdge[], taken: readonly TraversalEdge[]): TraversalEdge[] {
  const excluded = new Set(taken);
  return edges.filter((edge) => !excluded.has(edge));
}

function byRelevance(graph: TraversalGraph): (a: TraversalEdge, b: TraversalEdge) => number {
  return (a, b) => graph.relevance(b) - graph.relevance(a) || a.to - b.to || a.from - b.from;
}

interface Fragment {
  readonly edge: TraversalEdge;
  /**
   * Number of entities of the question that it is linked to or names, without the one that led to it: n_e of the
   * paper.
   */
  readonly others: number;
  readonly relevance: number;
}

/**
 * Theses or episodes around the entities of a question: those that name most of them first, ties by cosine
 * (docs/papers.md §4.4).
 *
 * @param edges From an entity to a fragment. Each fragment is returned once, with its first edge.
 */
function rankFragments(
  graph: TraversalGraph,
  edges: readonly TraversalEdge[],
  options: {
    readonly asked: ReadonlySet<number>;
    /** Drops fragments about one entity only, unless all are. */
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
    const touched = [...asked].filter((entity) => from.has(entity) || graph.names(edge, entity));
    return { edge, others: touched.length - 1, relevance: graph.relevance(edge) };
  });
  const joining = fragments.filter(({ others }) => others > 0);
  return (strict && joining.length > 0 ? joining : fragments)
    .sort((a, b) => b.others - a.others || b.relevance - a.relevance || a.edge.to - b.edge.to)
    .map(({ edge }) => edge);
}
