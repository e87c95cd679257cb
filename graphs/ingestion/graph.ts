import { compileGraph } from '../compile.ts';
import { END } from '../definition.ts';
import { afterCommit, ingestionNodes } from './nodes.ts';
import { ingestionContext, ingestionInput, ingestionOutput, ingestionState } from './state.ts';
import type { StepsOf } from './steps.ts';

export interface IngestionGraphOptions {
  /** Names of profiles that the context may give. Default: those of `INGEST_PROFILES`. */
  readonly profiles?: readonly string[];
}

/**
 * The ingestion graph for LangGraph: input is turns, output is what was written. GAM's two states (§3.3). START → buffer → plan; the run ends in the buffering state if no unit is complete.
 * Otherwise the consolidation state runs batch by batch (read → resolve → build → commit) and plans again, until no
 * complete unit remains. If memory changed during a batch, the batch is resolved again.
 */
export function ingestionGraph(stepsOf: StepsOf, { profiles }: IngestionGraphOptions = {}) {
  const context = ingestionContext(profiles);
  const nodes = ingestionNodes(stepsOf, context);
  return compileGraph({
    name: 'ingestion',
    state: ingestionState,
    input: ingestionInput,
    output: ingestionOutput,
    context,
    hidden: ['turns'],
    first: 'buffer',
    // High enough that LangGraph's step limit never ends a run: each batch takes five steps.
    steps: 1_000_000,
    nodes: {
      buffer: { run: nodes.buffer, next: 'plan' },
      plan: {
        run: nodes.plan,
        next: {
          by: ({ units }) => (units.length > 0 ? 'units are complete' : 'nothing is complete'),
          to: { 'units are complete': 'read', 'nothing is complete': END },
        },
      },
      read: { run: nodes.read, next: 'resolve' },
      resolve: { run: nodes.resolve, next: 'build' },
      build: { run: nodes.build, next: 'commit' },
      commit: {
        run: nodes.commit,
        next: {
          by: afterCommit,
          to: {
            'memory has changed': 'resolve',
            'units are left': 'read',
            'no unit is left': 'plan',
            'the work must stop': END,
          },
        },
      },
    },
  });
}
