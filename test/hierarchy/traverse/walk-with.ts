import { walkThrough } from '../../../graphs/retrieval/global-selection/walk-through.ts';
import type { HierarchyView } from '../../../src/hierarchy/traverse/hierarchy-view.ts';
import type { Selector } from '../../../src/hierarchy/traverse/selector.ts';
import { HierarchyWalk, type WalkOptions } from '../../../src/hierarchy/traverse/walk.ts';
import type { ModelCallOptions } from '../../../src/inference/language-model.ts';

/** Runs Global Selection over a view, with a selector of the test. */
export async function walkWith(
  view: HierarchyView,
  question: string,
  { selector, calls = {}, ...options }: WalkOptions & { selector: Selector; calls?: ModelCallOptions },
) {
  const walk = new HierarchyWalk(view, options);
  const steps: Parameters<typeof walkThrough>[0] = {
    obstacle: view.top.length === 0 ? 'no-hierarchy' : null,
    after: () => walk,
    select: async () => {
      const { layer } = walk;
      const { usage, ...reply } = await selector.select({ question, layer, nodes: walk.offer() }, calls);
      const taken = walk.take(reply);
      selector.follow?.(taken.picks);
      return { ...taken, usage };
    },
  };
  const { end, failure } = await walkThrough(steps, { signal: calls.signal });
  return { end, failure, selected: end === 'failed' ? [] : walk.selected(), steps: walk.report() };
}
