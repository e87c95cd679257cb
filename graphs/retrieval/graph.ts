import { END, START, StateGraph } from '@langchain/langgraph';
import { ROUTE_NAMES } from '../../src/retrieve/recipes/recipe.ts';
import { type BeginSearch, retrievalNodes } from './nodes.ts';
import { RetrievalState } from './state.ts';

/**
 * START → plan → one parallel branch per kind of route in the recipe → fuse → respond → END. A late or failing route
 * loses only its own results; cancelling ends the run.
 */
export function retrievalGraph(begin: BeginSearch) {
  const nodes = retrievalNodes(begin);
  const [first, ...others] = ROUTE_NAMES.map((name) => [name, nodes.route(name)] as const);
  const graph = new StateGraph(RetrievalState).addNode('plan', nodes.plan).addNode('fuse', nodes.fuse);
  const branched = [first!, ...others].reduce(
    (built, [name, branch]) => built.addNode(name, branch).addEdge(name as 'fuse', 'fuse') as typeof graph,
    graph,
  );
  return branched
    .addNode('respond', nodes.respond)
    .addEdge(START, 'plan')
    .addConditionalEdges('plan', ({ planned }) => [...new Set(planned)] as never[], [
      ...ROUTE_NAMES,
    ] as never[])
    .addConditionalEdges('fuse', ({ answers }) => (answers ? 'respond' : END), ['respond', END])
    .addEdge('respond', END)
    .compile();
}
