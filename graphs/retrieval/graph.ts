import { compileGraph } from '../compile.ts';
import { retrievalDefinition } from './definition.ts';
import type { RetrievalStepsOf } from './steps.ts';

/** The retrieval graph for LangGraph: input is a question, output is evidence, the trace and an answer. */
export function retrievalGraph(stepsOf: RetrievalStepsOf, recipes?: readonly string[]) {
  return compileGraph(retrievalDefinition(stepsOf, recipes));
}
