import { compileGraph } from '../compile.ts';
import { type IngestionGraphOptions, ingestionDefinition } from './definition.ts';
import type { StepsOf } from './steps.ts';

export type { IngestionGraphOptions } from './definition.ts';

/** The ingestion graph for LangGraph: input is turns, output is what was written. */
export function ingestionGraph(stepsOf: StepsOf, options: IngestionGraphOptions = {}) {
  return compileGraph(ingestionDefinition(stepsOf, options));
}
