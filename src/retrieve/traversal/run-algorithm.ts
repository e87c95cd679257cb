import { aStarAll, type Leg } from './a-star.ts';
import { beamSearchAll } from './beam-search.ts';
import type { Algorithm, TraversalRoute } from './settings.ts';
import type { TraversalEdge, TraversalGraph, Walk } from './traversal-graph.ts';
import { waterCircles } from './water-circles.ts';

export interface Start {
  readonly graph: TraversalGraph;
  /** The entities of the question. */
  readonly entities: readonly number[];
  readonly walk: Walk;
  /** Where A* heads for from a question's only entity. */
  readonly goalsOf: (entity: number) => readonly number[];
}

/** The triplets that one algorithm walks, in its order, each once. */
export function runAlgorithm(
  algorithm: Algorithm,
  { graph, entities, walk, goalsOf }: Start,
  { aStar, waterCircles: circles, beamSearch }: TraversalRoute,
): readonly TraversalEdge[] {
  switch (algorithm) {
    case 'a-star':
      return aStarAll(graph, legsBetween(entities, goalsOf), { settings: aStar, walk });
    case 'water-circles':
      return waterCircles(graph, entities, { settings: circles, walk }).edges;
    case 'beam-search':
      return beamSearchAll(graph, entities, { settings: beamSearch, walk });
  }
}

/** Every unordered pair (PAPERS §4.3). */
function legsBetween(entities: readonly number[], goalsOf: Start['goalsOf']): Leg[] {
  const [only, ...others] = entities;
  if (only !== undefined && others.length === 0) return goalsOf(only).map((goal) => ({ start: only, goal }));
  return entities.flatMap((start, place) => entities.slice(place + 1).map((goal) => ({ start, goal })));
}
