import { leftSingularVectors, withoutPrincipalDirections } from './singular-vectors.ts';
import { positiveMutualInformation, sparseMatrix } from './sparse-matrix.ts';
import { chooseVocabulary, inverseFrequencies } from './vocabulary.ts';
import { type WordContexts, wordContexts } from './word-contexts.ts';
import type { Synset } from './wordnet.ts';

/**
 * Removes the common component of all words, which carries no information (Mu and Viswanath 2018; Arora et al. 2017).
 */
const COMMON_DIRECTIONS = 3;

export interface WordVectors {
  readonly words: readonly string[];
  /** From 0 to 1, by word. */
  readonly weights: Float64Array;
  /** Unit vectors, row by row, `dimension` numbers each. */
  readonly rows: Float64Array;
}

/** Vectors that are near for words that WordNet's synsets use together. */
export function wordVectors(
  synsets: readonly Synset[],
  analyze: (text: string) => readonly string[],
  { size, dimension }: { size: number; dimension: number },
): WordVectors {
  const found = wordContexts(synsets, analyze);
  const words = chooseVocabulary(found, size);
  const counts = sparseMatrix(
    words.map((word) => found.contexts.get(word)!),
    synsets.length,
  );
  const vectors = unitRows(leftSingularVectors(positiveMutualInformation(counts), dimension), dimension);
  const rows = withoutPrincipalDirections(vectors, dimension, {
    weights: shareOfUse(words, found),
    count: COMMON_DIRECTIONS,
  });
  return { words, weights: inverseFrequencies(words, found), rows: unitRows(rows, dimension) };
}

/** Square root of a word's frequency, so that common directions of frequent words come first. */
function shareOfUse(words: readonly string[], { usage }: WordContexts): Float64Array {
  const counts = Float64Array.from(words, (word) => {
    const { inGlosses, tagged } = usage.get(word)!;
    return inGlosses + tagged + 1;
  });
  const all = counts.reduce((sum, count) => sum + count, 0);
  return counts.map((count) => Math.sqrt(count / all));
}

function unitRows(rows: Float64Array, width: number): Float64Array {
  const result = rows.slice();
  for (let row = 0; row < rows.length; row += width) {
    let squares = 0;
    for (let place = 0; place < width; place++) squares += rows[row + place]! ** 2;
    const scale = squares > 0 ? 1 / Math.sqrt(squares) : 0;
    for (let place = 0; place < width; place++) result[row + place]! *= scale;
  }
  return result;
}
