import type { Usage, WordContexts } from './word-contexts.ts';

/** The most commonly used words, in alphabetical order: often mentioned, often tagged, no names. */
export function chooseVocabulary({ usage }: WordContexts, size: number): string[] {
  return [...usage]
    .map(([word, use]) => ({ word, score: commonness(word, use) }))
    .sort((a, b) => b.score - a.score || compare(a.word, b.word))
    .slice(0, size)
    .map(({ word }) => word)
    .sort(compare);
}

/**
 * How likely people are to use a word. Names count half; frequent words are short (Zipf 1935), which decides if WordNet
 * has little other evidence.
 */
function commonness(word: string, { synsets, tagged, isOrdinary }: Usage): number {
  return (isOrdinary ? synsets + 2.5 : synsets / 2) + 2 * tagged - word.length / 5;
}

/** Inverse frequency from 0 to 1: rare words are more informative. */
export function inverseFrequencies(words: readonly string[], { usage }: WordContexts): Float64Array {
  const counts = words.map((word) => usage.get(word)!.inGlosses + usage.get(word)!.tagged + 1);
  const all = counts.reduce((sum, count) => sum + count, 0);
  const weights = Float64Array.from(counts, (count) => Math.log(1 + all / 10 / (count + 1)));
  const highest = weights.reduce((most, weight) => Math.max(most, weight), 0);
  return weights.map((weight) => weight / highest);
}

/** Compares by code units: the same order in every locale. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
