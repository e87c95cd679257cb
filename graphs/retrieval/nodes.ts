import type { RetrievedItem, SearchResult } from '../../src/model/retrieved-item.ts';

/** What the graph needs of the engine; a closure over it is handed in, since Studio builds graphs itself. */
export type SearchMemory = (
  scope: string,
  question: string,
  recipe: string | undefined,
) => Promise<SearchResult>;

/** The `search` node: a thin wrapper over one search of the scope. */
export function searchNode(search: SearchMemory) {
  return async (state: { question: string; scope: string; recipe?: string | undefined }) => {
    const { episodes, facts, entities } = await search(state.scope, state.question, state.recipe);
    return { evidence: [...episodes, ...facts, ...entities].map(toEvidence) };
  };
}

function toEvidence(item: RetrievedItem) {
  const { id, kind, rank, score } = item;
  return { id, kind, rank, score, text: textOf(item) };
}

function textOf(item: RetrievedItem): string {
  if (item.kind === 'episode') return `${item.speaker}: ${item.content}`;
  return item.kind === 'fact' ? item.statement : `${item.name}: ${item.summary}`;
}
