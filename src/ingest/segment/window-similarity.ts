import { cosine } from '../../util/dot-product.ts';

/** Below this a difference between two cosines is rounding, not a change of topic. */
const STEPS = 1e6;

/**
 * The cosine between the windows on both sides of every boundary: of the last `size` turns up to turn i and the
 * first `size` turns from i + 1, fewer at the ends (PAPERS §3.1). One number per boundary, from −1 to 1; null
 * where a window holds only turns without features, which says nothing about the topic.
 *
 * A window's vector is the sum of its turns'. Cosines are rounded to six digits, so that equal windows are equal.
 */
export function windowSimilarities(vectors: readonly Float32Array[], size: number): (number | null)[] {
  const similarities: (number | null)[] = [];
  for (let boundary = 0; boundary + 1 < vectors.length; boundary++) {
    const before = vectors.slice(Math.max(0, boundary + 1 - size), boundary + 1);
    const after = vectors.slice(boundary + 1, boundary + 1 + size);
    const similarity = cosine(sumOf(before), sumOf(after));
    similarities.push(similarity === null ? null : Math.round(similarity * STEPS) / STEPS);
  }
  return similarities;
}

function sumOf(vectors: readonly Float32Array[]): Float64Array {
  const sum = new Float64Array(vectors[0]!.length);
  for (const vector of vectors)
    for (let place = 0; place < sum.length; place++) sum[place]! += vector[place]!;
  return sum;
}
