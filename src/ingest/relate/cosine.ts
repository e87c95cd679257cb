/** Of the angle between two vectors of one dimension, from −1 to 1; null when one has no direction. */
export function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number | null {
  let [product, lengthA, lengthB] = [0, 0, 0];
  for (let place = 0; place < a.length; place++) {
    product += a[place]! * b[place]!;
    lengthA += a[place]! * a[place]!;
    lengthB += b[place]! * b[place]!;
  }
  const lengths = Math.sqrt(lengthA) * Math.sqrt(lengthB);
  return lengths > 0 ? Math.min(1, Math.max(-1, product / lengths)) : null;
}
