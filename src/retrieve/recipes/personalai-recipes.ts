import { SYSTEM1 } from '../similarity/defaults.ts';
import {
  ALGORITHMS,
  type Algorithm,
  type Heuristic,
  TRAVERSAL,
  type TraversalRoute,
} from '../traversal/defaults.ts';
import type { NodeType } from '../traversal/traversal-graph.ts';
import { type Recipe, recipe } from './recipe.ts';

const traversal = (algorithms: readonly Algorithm[], more: Partial<TraversalRoute> = {}): TraversalRoute => ({
  ...TRAVERSAL,
  algorithms,
  ...more,
});
const aStar = (heuristic: Heuristic) => traversal(['a-star'], { aStar: { ...TRAVERSAL.aStar, heuristic } });
const without = (type: NodeType): TraversalRoute =>
  traversal(ALGORITHMS, { allowed: TRAVERSAL.allowed.filter((each) => each !== type) });

/** The graph traversals of PersonalAI ("Retrieve Algorithms", Appendix F), alone, together and restricted. */
export const PERSONALAI_RECIPES: readonly Recipe[] = [
  recipe('personalai-astar', 'A* between the entities of the question, by inner product', {
    routes: [aStar('ip')],
  }),
  recipe('personalai-astar-weighted', 'A*, the inner product times the hops that are left', {
    routes: [aStar('weighted')],
  }),
  recipe('personalai-astar-averaged', 'A*, the mean distance along the path times the hops that are left', {
    routes: [aStar('averaged-weighted')],
  }),
  recipe('personalai-water-circles', 'what lies around the entities of the question, and where that meets', {
    routes: [traversal(['water-circles'])],
  }),
  recipe('personalai-beam', 'paths from the entities of the question whose triplets are near to it', {
    routes: [traversal(['beam-search'])],
  }),
  recipe('personalai-water-circles-and-beam', 'WaterCircles and BeamSearch together', {
    routes: [traversal(['water-circles', 'beam-search'])],
  }),
  recipe('personalai-astar-and-water-circles', 'A* and WaterCircles together', {
    routes: [traversal(['a-star', 'water-circles'])],
  }),
  recipe('personalai-astar-and-beam', 'A* and BeamSearch together', {
    routes: [traversal(['a-star', 'beam-search'])],
  }),
  recipe('personalai-all', 'A*, WaterCircles and BeamSearch together', {
    routes: [traversal(ALGORITHMS)],
  }),
  recipe('personalai-without-episodes', 'personalai-all that enters no episode', {
    routes: [without('episode')],
  }),
  recipe('personalai-without-theses', 'personalai-all that enters no proposition', {
    routes: [without('thesis')],
  }),
  recipe('personalai-without-objects', 'personalai-all that enters no entity but the question’s', {
    routes: [without('object')],
  }),
  recipe('personalai-mixture', 'system1, and A* and BeamSearch by words and vectors, with equal weights', {
    routes: [SYSTEM1, traversal(['a-star', 'beam-search'], { similarity: 'words-and-cosine' })],
  }),
];
