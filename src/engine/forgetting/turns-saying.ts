import { analyze } from '../../search/analyzer.ts';

/** Found turns are compared with at least so many others, so that the best of them is among a few. */
const LEAST = 10;

interface FoundTurn {
  readonly id: string;
  readonly content: string;
}

/**
 * The turns to forget for some words, the best first: those that say most of the words themselves, in the order of the
 * search. A search also finds neighbours and turns of a similar meaning; they are taken only if no turn says any of the
 * words.
 */
export async function turnsSaying(
  query: string,
  limit: number,
  search: (k: number) => Promise<readonly FoundTurn[]>,
): Promise<readonly string[]> {
  const words = new Set(analyze(query));
  const found = (await search(Math.max(limit, LEAST))).map(({ id, content }) => {
    const said = new Set(analyze(content));
    return { id, words: [...words].filter((word) => said.has(word)).length };
  });
  const saying = found.filter((turn) => turn.words > 0);
  return (saying.length > 0 ? saying : found)
    .toSorted((a, b) => b.words - a.words)
    .slice(0, limit)
    .map(({ id }) => id);
}
