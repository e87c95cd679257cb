import type { Mnemis } from '../../src/engine.ts';
import { withoutUndefined } from '../../src/util/collections.ts';
import type { browseMethods } from '../contract/browse.ts';
import type { knowledgeMethods } from '../contract/knowledge.ts';
import type { reviewMethods } from '../contract/review.ts';
import type { timelineMethods } from '../contract/timeline.ts';
import type { Handlers } from './handlers.ts';

type OnMemory = typeof browseMethods &
  typeof timelineMethods &
  typeof knowledgeMethods &
  typeof reviewMethods;

/** The methods on what memory holds and learned, by an engine in this process. */
export function knowledgeHandlers(engine: Mnemis) {
  const knowledge = (scope: string) => engine.scope(scope).knowledge;
  return {
    facts: async ({ scope, ...request }) => knowledge(scope).facts(withoutUndefined(request)),
    turns: async ({ scope, ...request }) => knowledge(scope).turns(withoutUndefined(request)),
    names: async ({ scope, ...request }) => knowledge(scope).names(withoutUndefined(request)),
    entities: async ({ scope, ...request }) => knowledge(scope).entities(withoutUndefined(request)),
    graph: async ({ scope, ...request }) => knowledge(scope).graph(withoutUndefined(request)),
    entityPage: async ({ scope, entity }) => knowledge(scope).entityPage(entity),
    categoryPage: async ({ scope, ...request }) => knowledge(scope).categoryPage(withoutUndefined(request)),
    timeline: async ({ scope, ...request }) => knowledge(scope).timeline(withoutUndefined(request)),
    supersessions: async ({ scope, ...request }) => knowledge(scope).supersessions(withoutUndefined(request)),
    learned: async ({ scope, episodes }) => knowledge(scope).learned(episodes),
    portrait: async ({ scope, ...request }) => knowledge(scope).portrait(withoutUndefined(request)),
    session: async ({ scope, ...request }) => knowledge(scope).session(withoutUndefined(request)),
    recentChanges: async ({ scope, ...page }) => knowledge(scope).recentChanges(withoutUndefined(page)),
    review: async ({ scope }) => knowledge(scope).review(),
    reviewItems: async ({ scope, ...request }) => knowledge(scope).reviewItems(withoutUndefined(request)),
  } satisfies Pick<Handlers, Exclude<keyof OnMemory, 'recipes' | 'dismissReview'>>;
}
