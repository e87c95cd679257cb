import { END, START, StateGraph } from '@langchain/langgraph';
import { ingestionNodes, type StepsOf } from './nodes.ts';
import { IngestionState } from './state.ts';

/**
 * GAM's two states (§3.3). START → buffer → plan; where no unit is complete, the run ends in the buffering state.
 * Else the consolidation state: read → resolve → build → commit, batch by batch, until no complete unit is left. A
 * batch under which memory has changed is resolved anew.
 */
export function ingestionGraph(stepsOf: StepsOf) {
  const nodes = ingestionNodes(stepsOf);
  return new StateGraph(IngestionState)
    .addNode('buffer', nodes.buffer)
    .addNode('plan', nodes.plan)
    .addNode('read', nodes.read)
    .addNode('resolve', nodes.resolve)
    .addNode('build', nodes.build)
    .addNode('commit', nodes.commit)
    .addEdge(START, 'buffer')
    .addEdge('buffer', 'plan')
    .addConditionalEdges('plan', ({ units }) => (units.length > 0 ? 'read' : END), ['read', END])
    .addEdge('read', 'resolve')
    .addEdge('resolve', 'build')
    .addEdge('build', 'commit')
    .addConditionalEdges(
      'commit',
      ({ staleness, units }) => {
        if (staleness > 0) return 'resolve';
        return units.length > 0 ? 'read' : END;
      },
      ['resolve', 'read', END],
    )
    .compile();
}
