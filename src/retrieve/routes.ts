import { runPagerank } from './pagerank/run-pagerank.ts';
import type { Route } from './recipes/recipe.ts';
import type { RouteInput, RouteResult } from './route.ts';
import { runSystem1 } from './system1/system1.ts';
import { runSystem2 } from './system2/system2.ts';
import { runTopics } from './topics/topics.ts';
import { runTraversal } from './traversal/traversal.ts';

/** Runs a route of any kind. */
export function runRoute(input: RouteInput, route: Route): RouteResult | Promise<RouteResult> {
  switch (route.route) {
    case 'pagerank':
      return runPagerank(input, route);
    case 'system1':
      return runSystem1(input, route);
    case 'system2':
      return runSystem2(input, route);
    case 'topics':
      return runTopics(input, route);
    case 'traversal':
      return runTraversal(input, route);
  }
}
