import { withoutUndefined } from '../../../src/util/collections.ts';
import { zoneOffset } from '../../../src/util/time-zone.ts';
import { knowledgeHandlers as engineHandlers } from '../../client/handlers.ts';
import type { knowledgeMethods } from '../../contract/knowledge.ts';
import type { reviewMethods } from '../../contract/review.ts';
import type { AppContext } from '../app-context.ts';
import type { AppHandlers } from '../app-handlers.ts';
import { readPreferences } from '../store/read-preferences.ts';

/**
 * What memory knows, and what a person should look at. The engine answers; the app adds the user's name, and keeps what
 * was dismissed.
 */
export function knowledgeHandlers({
  engine,
  store,
  clock,
  config,
}: Pick<AppContext, 'engine' | 'store' | 'clock' | 'config'>): AppHandlers<
  keyof typeof knowledgeMethods | keyof typeof reviewMethods
> {
  const knowledge = (scope: string) => engine.scope(scope).knowledge;
  const { learned, session, recentChanges } = engineHandlers(engine);
  return {
    learned,
    session,
    recentChanges,
    portrait: async ({ scope, ...request }) =>
      knowledge(scope).portrait({ ...withoutUndefined(request), name: readPreferences(store).name }),
    reminders: async ({ scope }) =>
      knowledge(scope).reminders(readPreferences(store).name, zoneOffset(config.timeZone, clock())),
    review: async ({ scope }) => knowledge(scope).review(store.dismissals.of(scope)),
    reviewItems: async ({ scope, ...request }) =>
      knowledge(scope).reviewItems({ ...withoutUndefined(request), dismissed: store.dismissals.of(scope) }),
    dismissReview: async ({ scope, item, isDismissed = true }) => {
      if (isDismissed) store.dismissals.add({ scope, item, at: clock() });
      else store.dismissals.remove(scope, item);
      return { dismissed: store.dismissals.of(scope).size };
    },
  };
}
