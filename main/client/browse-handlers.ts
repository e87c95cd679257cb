import type { Mnemis } from '../../src/engine.ts';
import { given } from '../../src/util/collections.ts';
import type { browseMethods } from '../contract/browse.ts';
import type { Handlers } from './handlers.ts';

/** The methods on what memory holds, by an engine in this process. */
export function browseHandlers(engine: Mnemis) {
  const knowledge = (scope: string) => engine.scope(scope).knowledge;
  return {
    facts: async ({ scope, ...request }) => knowledge(scope).facts(given(request)),
    turns: async ({ scope, ...request }) => knowledge(scope).turns(given(request)),
    names: async ({ scope, ...request }) => knowledge(scope).names(given(request)),
    entities: async ({ scope, ...request }) => knowledge(scope).entities(given(request)),
    graph: async ({ scope, ...request }) => knowledge(scope).graph(given(request)),
    entityPage: async ({ scope, entity }) => knowledge(scope).entityPage(entity),
    categoryPage: async ({ scope, ...request }) => knowledge(scope).categoryPage(given(request)),
  } satisfies Pick<Handlers, keyof typeof browseMethods>;
}
