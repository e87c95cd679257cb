/** Covers, for lengths computed in float64 from at most 65,536 float32 values, the rounding of the computation. */
const UPWARDS = 1 + 1e-9;

/** Longer vectors could overflow float32 inner products. */
const MAXIMUM_NORM = 1e18;

/** Smaller numbers are not rounded but dropped: dividing by them could overflow. */
const SMALLEST_ROUNDED = 1e-30;

export interface Rounding {
  /** What one step of the whole numbers stands for. */
  readonly scale: number;
  /** An upper bound of the length of (vector − scale × whole numbers). */
  readonly error: number;
}

/** An upper bound of a vector's length, tight to 1e-9; null for NaN, an infinity or a length beyond 1e18. */
export function vectorNorm(vector: Float32Array): number | null {
  let squares = 0;
  for (let place = 0; place < vector.length; place++) squares += vector[place]! * vector[place]!;
  const norm = Math.sqrt(squares) * UPWARDS;
  return norm <= MAXIMUM_NORM ? norm : null;
}

/** Writes the vector to `out` in whole numbers from −127 to 127. */
export function roundToInt8(vector: Float32Array, out: Int8Array): Rounding {
  return roundTo(127, vector, out);
}

/**
 * Writes the query to `out` in whole numbers so small that no int32 sum of products with `out.length` int8 values
 * can overflow.
 */
export function roundToInt16(query: Float32Array, out: Int16Array): Rounding {
  const limit = Math.min(32_767, Math.floor((2 ** 31 - 1) / (127 * out.length)));
  return roundTo(limit, query, out);
}

function roundTo(limit: number, vector: Float32Array, out: Int8Array | Int16Array): Rounding {
  let largest = 0;
  for (let place = 0; place < vector.length; place++) {
    const size = Math.abs(vector[place]!);
    if (size > largest) largest = size;
  }
  const scale = largest > SMALLEST_ROUNDED ? largest / limit : 0;
  const inverse = scale === 0 ? 0 : limit / largest;
  let squares = 0;
  for (let place = 0; place < vector.length; place++) {
    const rounded = Math.round(vector[place]! * inverse);
    out[place] = rounded;
    const error = vector[place]! - scale * rounded;
    squares += error * error;
  }
  return { scale, error: Math.sqrt(squares) * UPWARDS };
}
