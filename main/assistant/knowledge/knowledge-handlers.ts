import { given } from '../../../src/util/collections.ts';
import type { knowledgeMethods } from '../../contract/knowledge.ts';
import type { AppContext } from '../app-context.ts';
import type { AppHandlers } from '../app-handlers.ts';
import { readPreferences } from '../store/read-preferences.ts';

/** What memory knows, as windows show it. The engine answers; the app adds the user's name. */
export function knowledgeHandlers(
  context: Pick<AppContext, 'engine' | 'store'>,
): AppHandlers<keyof typeof knowledgeMethods> {
  const { engine, store } = context;
  const knowledge = (scope: string) => engine.scope(scope).knowledge;
  return {
    learned: async ({ scope, episodes }) => knowledge(scope).learned(episodes),
    portrait: async ({ scope, ...request }) =>
      knowledge(scope).portrait({ ...given(request), name: readPreferences(store).name }),
    session: async ({ scope, ...request }) => knowledge(scope).session(given(request)),
    recentChanges: async ({ scope, ...page }) => knowledge(scope).recentChanges(given(page)),
  };
}
