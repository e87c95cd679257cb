import type { UpdateType } from '@langchain/langgraph/zod';
import type { z } from 'zod';
import type { RunConfig } from '../../run-context.ts';
import { summaryOf } from '../nodes.ts';
import type { RetrievalStepsOf, WalkSteps } from '../steps.ts';
import type { GlobalSelectionState, WalkState } from './state.ts';
import { begunWalk, collected, offered, selected } from './walk-down.ts';

type State = z.output<typeof GlobalSelectionState>;
type Update = UpdateType<typeof GlobalSelectionState>;

export function globalSelectionNodes(stepsOf: RetrievalStepsOf) {
  const walkOf = async (
    { question, scope, settings, ...state }: State,
    config: RunConfig,
  ): Promise<{ readonly walk: WalkState; readonly steps: WalkSteps }> => {
    const walk = state.walk ?? begunWalk(placeOfNextWalk(state)!);
    const all = await stepsOf({ question, scope: scope!, settings, begins: false }, config);
    return { walk, steps: all.walk(walk.place) };
  };
  return {
    /** The next list of nodes; the first one begins the walk. */
    async offer(state: State, config: RunConfig): Promise<Update> {
      const { walk, steps } = await walkOf(state, config);
      return { walk: offered(steps, walk) };
    },

    /** Asks the selector which nodes of the list may help with the question. */
    async select(state: State, config: RunConfig): Promise<Update> {
      const { walk, steps } = await walkOf(state, config);
      return { walk: await selected(steps, walk, config) };
    },

    async collect(state: State, config: RunConfig): Promise<Update> {
      const { walk, steps } = await walkOf(state, config);
      return { walk: null, routes: { [walk.place]: summaryOf(collected(steps, walk)) } };
    },
  };
}

/** The place in the recipe of the first planned walk that has not ended. */
export function placeOfNextWalk({
  planned,
  routes,
}: Omit<State, 'question' | 'scope' | 'settings' | 'walk'>) {
  const place = Object.keys(planned).find(
    (each) => planned[each] === 'system2' && routes[each] === undefined,
  );
  return place === undefined ? undefined : Number(place);
}
