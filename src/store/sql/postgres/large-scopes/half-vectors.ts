/** The greatest number of half precision. */
const GREATEST = 65_504;
/** Half precision has between three and four digits. */
const DIGITS = 5;

/** The longest vector that the index of pgvector takes in half precision. */
export const LONGEST_INDEXED = 4_000;

/** The text of a `halfvec`; null for a vector that half precision cannot hold. */
export function halfVector(vector: Float32Array): string | null {
  const numbers: string[] = [];
  for (const value of vector) {
    if (!(Math.abs(value) <= GREATEST)) return null;
    numbers.push(value === 0 ? '0' : value.toPrecision(DIGITS));
  }
  return `[${numbers.join(',')}]`;
}
