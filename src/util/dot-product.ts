/** The inner product of two vectors of equal dimension; for unit vectors, their cosine. */
export function dotProduct(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let place = 0; place < a.length; place++) sum += a[place]! * b[place]!;
  return sum;
}

/** The cosine of two vectors of any length, from −1 to 1; null if one of them is zero. */
export function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number | null {
  const lengths = Math.sqrt(dotProduct(a, a)) * Math.sqrt(dotProduct(b, b));
  return lengths > 0 ? Math.min(1, Math.max(-1, dotProduct(a, b) / lengths)) : null;
}
