import { END, START, StateGraph } from '@langchain/langgraph';
import { afterCommit, afterPlan, ingestionNodes } from './nodes.ts';
import {
  ingestionContext,
  ingestionInput,
  ingestionOutput,
  ingestionState,
  type ProfileChoice,
} from './state.ts';
import type { StepsOf } from './steps.ts';

/** High enough that LangGraph's step limit never ends a run: each batch takes five steps. */
const MOST_STEPS = 1_000_000;

export interface IngestionGraphOptions {
  /** Profiles that the context may name. Default: `INGEST_PROFILES`. */
  readonly profiles?: readonly ProfileChoice[];
}

/**
 * GAM's two states (§3.3). START → buffer → plan; the run ends in the buffering state if no unit is complete.
 * Otherwise the consolidation state runs batch by batch (read → resolve → build → commit) and plans again, until no
 * complete unit remains. If memory changed during a batch, the batch is resolved again.
 */
export function ingestionGraph(stepsOf: StepsOf, { profiles }: IngestionGraphOptions = {}) {
  const context = ingestionContext(profiles);
  const nodes = ingestionNodes(stepsOf, context);
  return new StateGraph({ state: ingestionState, input: ingestionInput, output: ingestionOutput, context })
    .addNode('buffer', nodes.buffer)
    .addNode('plan', nodes.plan)
    .addNode('read', nodes.read)
    .addNode('resolve', nodes.resolve)
    .addNode('build', nodes.build)
    .addNode('commit', nodes.commit)
    .addEdge(START, 'buffer')
    .addEdge('buffer', 'plan')
    .addConditionalEdges('plan', afterPlan, { 'units are complete': 'read', 'nothing is complete': END })
    .addEdge('read', 'resolve')
    .addEdge('resolve', 'build')
    .addEdge('build', 'commit')
    .addConditionalEdges('commit', afterCommit, {
      'memory has changed': 'resolve',
      'units are left': 'read',
      'no unit is left': 'plan',
      'the work must stop': END,
    })
    .compile()
    .withConfig({ recursionLimit: MOST_STEPS });
}
