import { ROUTE_NAMES, type RouteName } from '../../src/retrieve/recipes/recipe.ts';
import { compileGraph } from '../compile.ts';
import { END, type NodeDefinition, type SubgraphNode } from '../definition.ts';
import { retrievalContext } from './context.ts';
import { globalSelection } from './global-selection/definition.ts';
import { retrievalNodes } from './nodes.ts';
import { RetrievalState } from './state.ts';
import type { RetrievalStepsOf } from './steps.ts';

const Input = RetrievalState.pick({ question: true });
const Output = RetrievalState.pick({
  routes: true,
  evidence: true,
  reranked: true,
  composed: true,
  answer: true,
  usage: true,
});

/**
 * The retrieval graph for LangGraph: input is a question, output is evidence, the trace and an answer. START → read → the
 * planned routes side by side → fuse → rerank → compose → respond → END; a search without an answer ends after rerank.
 *
 * @param recipes Names that the context may give; default: those of the library.
 */
export function retrievalGraph(stepsOf: RetrievalStepsOf, recipes?: readonly string[]) {
  const context = retrievalContext(recipes);
  const nodes = retrievalNodes(stepsOf, context);
  type Node = NodeDefinition<typeof RetrievalState> | SubgraphNode<typeof RetrievalState>;
  const branch = (name: RouteName): Node =>
    name === 'system2'
      ? { graph: globalSelection(stepsOf), next: 'fuse' }
      : { run: nodes.route(name), next: 'fuse' };
  return compileGraph({
    name: 'retrieval',
    state: RetrievalState,
    input: Input,
    output: Output,
    context,
    first: 'read',
    steps: 100,
    nodes: {
      read: {
        run: nodes.read,
        next: {
          by: ({ planned }) => {
            const names = [...new Set(Object.values(planned))];
            return names.length === 0 ? 'no route runs' : names;
          },
          to: { ...Object.fromEntries(ROUTE_NAMES.map((name) => [name, name])), 'no route runs': 'fuse' },
        },
      },
      ...Object.fromEntries(ROUTE_NAMES.map((name) => [name, branch(name)])),
      fuse: { run: nodes.fuse, next: 'rerank' },
      rerank: {
        run: nodes.rerank,
        next: {
          by: ({ settings }) => (settings.answers === false ? 'evidence only' : 'an answer'),
          to: { 'evidence only': END, 'an answer': 'compose' },
        },
      },
      compose: { run: nodes.compose, next: 'respond' },
      respond: { run: nodes.respond, next: END },
    },
  });
}
