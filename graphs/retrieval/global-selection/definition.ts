import type { z } from 'zod';
import { END, type GraphDefinition } from '../../definition.ts';
import type { RetrievalStepsOf } from '../steps.ts';
import { globalSelectionNodes, placeOfNextWalk } from './nodes.ts';
import { GlobalSelectionState } from './state.ts';

const Input = GlobalSelectionState.omit({ walk: true });
const Output = GlobalSelectionState.pick({ routes: true, walk: true });

/**
 * Global Selection (Mnemis §2.3), layer by layer: offer → select, until nothing is picked or the bottom is reached; then
 * collect ranks the rows of the selected nodes. A recipe with several such routes walks once for each.
 */
export function globalSelection(
  stepsOf: RetrievalStepsOf,
): GraphDefinition<typeof GlobalSelectionState, typeof Input, typeof Output> {
  const nodes = globalSelectionNodes(stepsOf);
  return {
    name: 'global-selection',
    state: GlobalSelectionState,
    input: Input,
    output: Output,
    first: 'offer',
    // Layers are few, and each takes two steps.
    steps: 1_000,
    nodes: {
      offer: {
        run: nodes.offer,
        next: {
          by: ({ walk }) => (isOpen(walk) ? 'a list' : 'nothing to offer'),
          to: { 'a list': 'select', 'nothing to offer': 'collect' },
        },
      },
      select: {
        run: nodes.select,
        next: {
          by: ({ walk }) => (isOpen(walk) ? 'open the picks' : 'the walk ends'),
          to: { 'open the picks': 'offer', 'the walk ends': 'collect' },
        },
      },
      collect: {
        run: nodes.collect,
        next: {
          by: (state) => (placeOfNextWalk(state) === undefined ? 'done' : 'another walk'),
          to: { done: END, 'another walk': 'offer' },
        },
      },
    },
  };
}

function isOpen(walk: z.output<typeof GlobalSelectionState>['walk']): boolean {
  return walk?.end == null;
}
