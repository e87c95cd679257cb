import { END, START, StateGraph } from '@langchain/langgraph';
import { type SearchMemory, searchNode } from './nodes.ts';
import { RetrievalState } from './state.ts';

/** START → search → END; fusion of routes, reranking and answering will stand between (DESIGN §3). */
export function retrievalGraph(search: SearchMemory) {
  return new StateGraph(RetrievalState)
    .addNode('search', searchNode(search))
    .addEdge(START, 'search')
    .addEdge('search', END)
    .compile();
}
