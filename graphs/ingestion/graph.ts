import { END, START, StateGraph } from '@langchain/langgraph';
import { ingestionNodes, type StepsOf } from './nodes.ts';
import { IngestionState } from './state.ts';

/**
 * GAM's two states (§3.3). START → buffer → plan; the run ends in the buffering state if no unit is complete.
 * Otherwise the consolidation state runs batch by batch until no complete unit remains: read → resolve → build →
 * commit. If memory changed during a batch, the batch is resolved again.
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
