import { analyze } from '../../search/analyzer.ts';

/** Found turns are compared with at least so many others, so that the best of them is among a few. */
const LEAST = 10;

interface FoundTurn {
  readonly id: string;
  readonly content: string;
}

/** A memory whose turns can be searched, as `MemoryScope.search` does. */
export interface SearchedTurns {
  search(
    query: string,
    options: { readonly k: number },
  ): Promise<{ readonly episodes: readonly FoundTurn[] }>;
}

/**
 * The turns to forget for some words, the best first: those that say most of the words themselves, in the order of the
 * search. A search also finds neighbours and turns of a similar meaning; they are taken only if no turn says any of the
 * words.
 */
export async function turnsSaying(
  query: string,
  limit: number,
  memory: SearchedTurns,
): Promise<readonly string[]> {
  const words = new Set(analyze(query));
  const { episodes } = await memory.search(query, { k: Math.max(limit, LEAST) });
  const found = episodes.map(({ id, content }) => {
    const said = new Set(analyze(content));
    return { id, words: [...words].filter((word) => said.has(word)).length };
  });
  const saying = found.filter((turn) => turn.words > 0);
  return (saying.length > 0 ? saying : found)
    .toSorted((a, b) => b.words - a.words)
    .slice(0, limit)
    .map(({ id }) => id);
}
