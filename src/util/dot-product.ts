/** Of two vectors of one dimension; of unit vectors it is the cosine. */
export function dotProduct(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let place = 0; place < a.length; place++) sum += a[place]! * b[place]!;
  return sum;
}
