import { END, START, StateGraph } from '@langchain/langgraph';
import { hasRequest } from '../../src/hierarchy/maintain/layer-step.ts';
import { withRecursionLimit } from '../recursion-limit.ts';
import { hierarchyNodes, type StepsOf } from './nodes.ts';
import {
  type HierarchyState,
  hierarchyContextSchema,
  hierarchyInput,
  hierarchyOutput,
  hierarchyState,
} from './state.ts';

/** Three for each batch of nodes: more than any memory needs, so that LangGraph's limit never ends a run. */
const MOST_STEPS = 1_000_000;

/**
 * Builds and updates the category hierarchy, layer by layer from the bottom (Mnemis §2.2). START → begin → plan;
 * categorize if the step has a request; commit; then plan again, until a rule stops further layers.
 */
export function hierarchyGraph(stepsOf: StepsOf) {
  const nodes = hierarchyNodes(stepsOf);
  const graph = new StateGraph({
    state: hierarchyState,
    input: hierarchyInput,
    output: hierarchyOutput,
    context: hierarchyContextSchema,
  })
    .addNode('begin', nodes.begin)
    .addNode('plan', nodes.plan)
    .addNode('categorize', nodes.categorize)
    .addNode('commit', nodes.commit)
    .addEdge(START, 'begin')
    .addEdge('begin', 'plan')
    .addConditionalEdges('plan', afterPlan, {
      'ask the categorizer': 'categorize',
      'close the layer': 'commit',
      'too little has changed for another layer': END,
    })
    .addEdge('categorize', 'commit')
    .addConditionalEdges('commit', afterCommit, {
      'next step': 'plan',
      'a rule stops further layers': END,
    })
    .compile();
  return withRecursionLimit(graph, MOST_STEPS);
}

function afterPlan({ step }: HierarchyState) {
  if (step === null || step.kind === 'skip') return 'too little has changed for another layer';
  return hasRequest(step) ? 'ask the categorizer' : 'close the layer';
}

function afterCommit({ stoppedBy }: HierarchyState) {
  return stoppedBy === null ? 'next step' : 'a rule stops further layers';
}
