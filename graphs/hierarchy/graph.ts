import { END, START, StateGraph } from '@langchain/langgraph';
import { hierarchyNodes, type StepsOf } from './nodes.ts';
import { HierarchyState } from './state.ts';

/**
 * Builds and updates the category hierarchy, layer by layer from the bottom (Mnemis §2.2). START → begin → plan;
 * categorize if the step has a request; commit; then plan again, until a rule stops further layers.
 */
export function hierarchyGraph(stepsOf: StepsOf) {
  const nodes = hierarchyNodes(stepsOf);
  return new StateGraph(HierarchyState)
    .addNode('begin', nodes.begin)
    .addNode('plan', nodes.plan)
    .addNode('categorize', nodes.categorize)
    .addNode('commit', nodes.commit)
    .addEdge(START, 'begin')
    .addEdge('begin', 'plan')
    .addConditionalEdges(
      'plan',
      ({ isDone, step }) => {
        if (isDone) return END;
        return step.request === null ? 'commit' : 'categorize';
      },
      ['categorize', 'commit', END],
    )
    .addEdge('categorize', 'commit')
    .addConditionalEdges('commit', ({ isDone }) => (isDone ? END : 'plan'), ['plan', END])
    .compile();
}
