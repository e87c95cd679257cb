import { hasRequest } from '../../src/hierarchy/maintain/layer-step.ts';
import { compileGraph } from '../compile.ts';
import { END } from '../definition.ts';
import { hierarchyNodes, type StepsOf } from './nodes.ts';
import { hierarchyContextSchema, hierarchyInput, hierarchyOutput, hierarchyState } from './state.ts';

/**
 * The hierarchy graph for LangGraph: input is how to update, output is what changed. Builds and updates the category hierarchy, layer by layer from the bottom (Mnemis §2.2). START → begin → plan;
 * categorize if the step has a request; commit; then plan again, until a rule stops further layers.
 */
export function hierarchyGraph(stepsOf: StepsOf) {
  const nodes = hierarchyNodes(stepsOf);
  return compileGraph({
    name: 'hierarchy',
    state: hierarchyState,
    input: hierarchyInput,
    output: hierarchyOutput,
    context: hierarchyContextSchema,
    first: 'begin',
    // Three for each batch of nodes: more than any memory needs, so that LangGraph's limit never ends a run.
    steps: 1_000_000,
    nodes: {
      begin: { run: nodes.begin, next: 'plan' },
      plan: {
        run: nodes.plan,
        next: {
          by: ({ step }) => {
            if (step === null || step.kind === 'skip') return 'too little has changed for another layer';
            return hasRequest(step) ? 'ask the categorizer' : 'close the layer';
          },
          to: {
            'ask the categorizer': 'categorize',
            'close the layer': 'commit',
            'too little has changed for another layer': END,
          },
        },
      },
      categorize: { run: nodes.categorize, next: 'commit' },
      commit: {
        run: nodes.commit,
        next: {
          by: ({ stoppedBy }) => (stoppedBy === null ? 'next step' : 'a rule stops further layers'),
          to: { 'next step': 'plan', 'a rule stops further layers': END },
        },
      },
    },
  });
}
