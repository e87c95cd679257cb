import { SYSTEM2 } from '../categories/defaults.ts';
import { PAGERANK } from '../pagerank/defaults.ts';
import { SYSTEM1 } from '../similarity/defaults.ts';
import { TOPICS } from '../topics/defaults.ts';
import { TRAVERSAL } from '../traversal/defaults.ts';
import { type Recipe, recipe } from './recipe.ts';

/** What asks for several things is spread over a memory: ten sessions may lie behind more than a hundred turns. */
const WIDE = 200;

/**
 * Routes of several papers together. Weights are of reciprocal ranks, calibrated on LoCoMo's development split by type
 * of question: docs/results.md has the curves.
 */
export const MIXED_RECIPES: readonly Recipe[] = [
  recipe(
    'auto',
    'system1; for all of something also system2 and WaterCircles, where memory holds what they need',
    {
      routes: [
        SYSTEM1,
        { ...SYSTEM2, when: { asks: 'all', holds: { categories: 1 } } },
        {
          ...TRAVERSAL,
          algorithms: ['water-circles'],
          weight: 0.3,
          when: { asks: 'all', holds: { entities: 1 } },
        },
      ],
      depth: WIDE,
      rerank: 50,
    },
  ),
  recipe('everything', 'every route, system1 counting most', {
    routes: [
      SYSTEM1,
      SYSTEM2,
      { ...PAGERANK, turns: 'all', weight: 0.05 },
      { ...TOPICS, weight: 0.05 },
      { ...TRAVERSAL, weight: 0.05 },
    ],
    depth: WIDE,
    rerank: 50,
  }),
];
