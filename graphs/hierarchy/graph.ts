import { compileGraph } from '../compile.ts';
import { hierarchyDefinition } from './definition.ts';
import type { StepsOf } from './nodes.ts';

/** The hierarchy graph for LangGraph: input is how to update, output is what changed. */
export function hierarchyGraph(stepsOf: StepsOf) {
  return compileGraph(hierarchyDefinition(stepsOf));
}
