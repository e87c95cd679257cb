import type { Mnemis } from '../../src/engine.ts';
import { given } from '../../src/util/collections.ts';
import type { AppHandlers } from '../assistant/app-handlers.ts';
import type { knowledgeMethods } from '../contract/knowledge.ts';
import type { reviewMethods } from '../contract/review.ts';

type Served = Exclude<keyof typeof knowledgeMethods | keyof typeof reviewMethods, 'dismissReview'>;

/** Methods of the assistant that need only the engine, for a memory without an assistant. */
export function scopeHandlers(engine: Mnemis): AppHandlers<Served> {
  const knowledge = (scope: string) => engine.scope(scope).knowledge;
  return {
    learned: async ({ scope, episodes }) => knowledge(scope).learned(episodes),
    portrait: async ({ scope, ...request }) => knowledge(scope).portrait(given(request)),
    session: async ({ scope, ...request }) => knowledge(scope).session(given(request)),
    recentChanges: async ({ scope, ...page }) => knowledge(scope).recentChanges(given(page)),
    review: async ({ scope }) => knowledge(scope).review(),
    reviewItems: async ({ scope, ...request }) => knowledge(scope).reviewItems(given(request)),
  };
}
