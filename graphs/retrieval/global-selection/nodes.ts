import type { UpdateType } from '@langchain/langgraph/zod';
import type { z } from 'zod';
import type { OfferedNode, Pick } from '../../../src/hierarchy/traverse/selector.ts';
import { plusUsage } from '../../../src/inference/language-model/tokens/plus-usage.ts';
import { NO_USAGE } from '../../../src/model/retrieved-item.ts';
import type { RunConfig } from '../../run-context.ts';
import { summaryOf } from '../route-summary.ts';
import type { RetrievalStepsOf, WalkSteps } from '../steps.ts';
import type { GlobalSelectionState, WalkState } from './state.ts';

type State = z.output<typeof GlobalSelectionState>;
type Update = UpdateType<typeof GlobalSelectionState>;

/** Names of one list in the state. */
const NAMES = 8;
const LONGEST_NAME = 60;

export function globalSelectionNodes(stepsOf: RetrievalStepsOf) {
  const walkOf = async (
    { question, scope, settings, ...state }: State,
    config: RunConfig,
  ): Promise<{ readonly walk: WalkState; readonly steps: WalkSteps }> => {
    const walk = state.walk ?? begun(placeOfNextWalk(state)!);
    const all = await stepsOf({ question, scope: scope!, settings, begins: false }, config);
    return { walk, steps: all.walk(walk.place) };
  };
  return {
    /** The next list of nodes; the first one begins the walk. */
    async offer(state: State, config: RunConfig): Promise<Update> {
      const { walk, steps } = await walkOf(state, config);
      if (steps.obstacle !== null) return { walk: { ...walk, end: steps.obstacle } };
      const took = clock(walk);
      const next = steps.after(picksOf(walk));
      const shown = shownIn(next.offer());
      const offered = { layer: next.layer, nodes: shown.length, names: namesOf(shown) };
      return { walk: { ...walk, offered, end: shown.length === 0 ? 'complete' : null, ...took() } };
    },

    /** Asks the selector, a model or rules, which nodes of the list may help with the question. */
    async select(state: State, config: RunConfig): Promise<Update> {
      const { walk, steps } = await walkOf(state, config);
      const took = clock(walk);
      try {
        const current = steps.after(picksOf(walk));
        const [shown, { layer }] = [shownIn(current.offer()), current];
        const used = walk.milliseconds;
        const { picks, notes, usage } = await steps.select(current, { signal: config.signal, used });
        const list = {
          ...{ layer, offered: shown.length, names: namesOf(shown) },
          picks: picks.map(({ id, all, score }) => ({ id, all, score })),
          picked: pickedNames(picks, shown),
          notes: [...notes],
        };
        const end = picks.length === 0 ? 'no-picks' : null;
        return {
          walk: {
            ...walk,
            ...{ lists: [...walk.lists, list], end, usage: plusUsage(walk.usage, usage) },
            ...took(),
          },
        };
      } catch (error) {
        const { usage, ...failed } = steps.failureOf(error);
        return { walk: { ...walk, ...failed, usage: plusUsage(walk.usage, usage), ...took() } };
      }
    },

    /** Ranks the turns, facts and entities of the selected nodes: the lists of the route. */
    async collect(state: State, config: RunConfig): Promise<Update> {
      const { walk, steps } = await walkOf(state, config);
      const { end, failure, milliseconds, usage } = walk;
      const ended = { end: end ?? 'complete', failure, milliseconds, usage };
      const outcome = steps.end(picksOf(walk), ended);
      return { walk: null, routes: { [walk.place]: summaryOf(outcome) } };
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

function begun(place: number): WalkState {
  return { place, offered: null, lists: [], end: null, failure: null, milliseconds: 0, usage: NO_USAGE };
}

function picksOf({ lists }: WalkState): readonly (readonly Pick[])[] {
  return lists.map(({ picks }) => picks);
}

/** Adds the time since this call to that of a walk. */
function clock({ milliseconds }: WalkState): () => { milliseconds: number } {
  const started = performance.now();
  return () => ({ milliseconds: milliseconds + performance.now() - started });
}

function shownIn(nodes: readonly OfferedNode[]): readonly OfferedNode[] {
  return nodes.flatMap((node) => [node, ...(node.children ?? [])]);
}

function namesOf(nodes: readonly OfferedNode[]): string[] {
  return nodes.slice(0, NAMES).map(({ name }) => name.slice(0, LONGEST_NAME));
}

function pickedNames(picks: readonly Pick[], shown: readonly OfferedNode[]): string[] {
  const first = picks.slice(0, NAMES);
  const nameOf = new Map(shown.map(({ id, name }) => [id, name.slice(0, LONGEST_NAME)]));
  return first.map(({ id, all }) => `${nameOf.get(id) ?? ''}${all ? '*' : ''}`);
}
