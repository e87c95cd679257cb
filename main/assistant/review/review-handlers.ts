import { given } from '../../../src/util/collections.ts';
import type { reviewMethods } from '../../contract/review.ts';
import type { AppContext } from '../app-context.ts';
import type { AppHandlers } from '../app-handlers.ts';

/** What a person should look at. The engine finds it; the app's file keeps what was dismissed. */
export function reviewHandlers({
  engine,
  store,
  clock,
}: Pick<AppContext, 'engine' | 'store' | 'clock'>): AppHandlers<keyof typeof reviewMethods> {
  const knowledge = (scope: string) => engine.scope(scope).knowledge;
  return {
    review: async ({ scope }) => knowledge(scope).review(store.dismissals.of(scope)),
    reviewItems: async ({ scope, ...request }) =>
      knowledge(scope).reviewItems({ ...given(request), dismissed: store.dismissals.of(scope) }),
    dismissReview: async ({ scope, item, isDismissed = true }) => {
      if (isDismissed) store.dismissals.add({ scope, item, at: clock() });
      else store.dismissals.remove(scope, item);
      return { dismissed: store.dismissals.of(scope).size };
    },
  };
}
