import { addFeature } from './feature-hash.ts';

/** Weight of all character n-grams of a word beside the word itself. */
const GRAM_WEIGHT = 0.5;
const GRAM_SIZES = [3, 4, 5];

/** Adds a word by its spelling: itself and its character 3- to 5-grams, each in its hashed place. */
export function addHashedTerm(vector: Float32Array, term: string, weight: number): void {
  addFeature(vector, `w:${term}`, weight);
  const grams = characterGrams(`^${term}$`);
  for (const gram of grams) addFeature(vector, `g:${gram}`, (GRAM_WEIGHT * weight) / Math.sqrt(grams.length));
}

function characterGrams(word: string): string[] {
  const grams: string[] = [];
  for (const size of GRAM_SIZES)
    if (size < word.length)
      for (let start = 0; start + size <= word.length; start++) grams.push(word.slice(start, start + size));
  return grams;
}
