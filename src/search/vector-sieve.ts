import { roundToInt16 } from './rounding.ts';
import { TopHits } from './top-k.ts';
import { CHUNK_ROWS, type VectorRows } from './vector-rows.ts';

/** When more than this part of the rows stays in, scoring every row is cheaper. */
const WORTHWHILE = 1 / 8;

/**
 * Every ordinal that may be among the k best, and few others, found by the int8 rows, which are a quarter of the
 * memory; null when too many stay in. `norm` is the length of the query; `eligible` holds 1 for each row that may be
 * among them.
 *
 * With a row x = s·X + e (X int8) and the query q = t·Q + f (Q int16), |q·x − s·t·(Q·X)| ≤ |q||e| + |f||sX| and
 * |sX| ≤ |x| + |e|. The float32 score differs from q·x by at most γ|q||x|, where γ counts its additions, and by
 * what underflows. So each row's score lies within estimate ± slack. The k-th best lower bound seen is at most the
 * k-th best score: a row whose upper bound lies below it is out, and one that ties is in.
 */
export function sieve(
  rows: VectorRows,
  query: Float32Array,
  { norm, k, eligible }: { norm: number; k: number; eligible: Uint8Array },
): number[] | null {
  rows.roundAll();
  const { scale, error } = roundToInt16(query, rows.roundedQuery());
  const perError = norm + error;
  const perNorm = error + (rows.stride / 16 + 8) * 2 ** -24 * 1.01 * norm;
  const underflow = rows.stride * 1e-44;
  const { scales, errors, norms } = rows;
  const lowerBounds = new TopHits(k);
  let threshold = lowerBounds.threshold;
  const ordinals: number[] = [];
  const upperBounds: number[] = [];
  for (let first = 0; first < rows.count; first += CHUNK_ROWS) {
    const products = rows.dotInt8(first, Math.min(CHUNK_ROWS, rows.count - first));
    for (let at = 0, ordinal = first; at < products.length; at++, ordinal++) {
      const estimate = products[at]! * scales[ordinal]! * scale;
      const slack = errors[ordinal]! * perError + norms[ordinal]! * perNorm + underflow;
      if (estimate + slack < threshold || eligible[ordinal] === 0) continue;
      lowerBounds.offer(ordinal, estimate - slack);
      threshold = lowerBounds.threshold;
      ordinals.push(ordinal);
      upperBounds.push(estimate + slack);
    }
    if (ordinals.length > rows.count * WORTHWHILE) return null;
  }
  return ordinals.filter((_, at) => upperBounds[at]! >= threshold);
}
