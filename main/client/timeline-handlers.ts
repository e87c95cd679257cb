import type { Mnemis } from '../../src/engine.ts';
import { DEFAULT_RECIPE } from '../../src/retrieve/recipes/recipes.ts';
import { given } from '../../src/util/collections.ts';
import type { timelineMethods } from '../contract/timeline.ts';
import { recipeEntries } from '../papers.ts';
import type { Handlers } from './handlers.ts';

/** The methods on what was learned when, by an engine in this process. */
export function timelineHandlers(engine: Mnemis) {
  const knowledge = (scope: string) => engine.scope(scope).knowledge;
  return {
    timeline: async ({ scope, ...request }) => knowledge(scope).timeline(given(request)),
    supersessions: async ({ scope, ...request }) => knowledge(scope).supersessions(given(request)),
    recipes: async () => ({ items: await recipeEntries(), usual: DEFAULT_RECIPE }),
  } satisfies Pick<Handlers, keyof typeof timelineMethods>;
}
