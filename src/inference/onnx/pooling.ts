import type { SessionOutput } from './onnx-runtime.ts';
import type { Pooling } from './profile.ts';

/** Numbers in memory of their own, unlike a view of the runtime's. */
export type Vector = Float32Array<ArrayBuffer>;

/** Where a row's own tokens lie among the fillers: from `start` up to, not including, `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * One vector per row: of hidden states (rows × tokens × width) by the profile's rule, or the graph's own (rows ×
 * width). Fillers never count. Null if the output has another shape.
 */
export function pool(output: SessionOutput, spans: readonly Span[], pooling: Pooling): Vector[] | null {
  const [rows, second, third] = output.dimensions;
  if (rows !== spans.length || second === undefined) return null;
  if (pooling === 'graph')
    return third === undefined ? spans.map((_, row) => slice(output.data, row, second)) : null;
  if (third === undefined || output.dimensions.length !== 3) return null;
  if (spans.some(({ start, end }) => start >= end || end > second)) return null;
  return spans.map((span, row) => {
    const first = row * second;
    if (pooling === 'mean')
      return mean(output.data, third, { start: first + span.start, end: first + span.end });
    return slice(output.data, first + (pooling === 'cls' ? span.start : span.end - 1), third);
  });
}

/** Keeps the first `dimension` numbers and scales them to unit length; null if that is impossible. */
export function cutToUnit(vector: Vector, dimension: number): Vector | null {
  if (vector.length < dimension) return null;
  const cut = vector.length === dimension ? vector : vector.slice(0, dimension);
  let squares = 0;
  for (let position = 0; position < dimension; position++) squares += cut[position]! ** 2;
  if (!(squares > 0 && Number.isFinite(squares))) return null;
  const scale = 1 / Math.sqrt(squares);
  for (let position = 0; position < dimension; position++) cut[position]! *= scale;
  return cut;
}

function slice(data: Float32Array, row: number, width: number): Vector {
  return data.slice(row * width, (row + 1) * width);
}

/** Plain loops: iterators and `Float32Array.from` cost several times as much, for every number of every token. */
function mean(data: Float32Array, width: number, { start, end }: Span): Vector {
  const sum = new Float64Array(width);
  for (let row = start, at = start * width; row < end; row++)
    for (let position = 0; position < width; position++, at++) sum[position]! += data[at]!;
  const vector = new Float32Array(width);
  for (let position = 0; position < width; position++) vector[position] = sum[position]! / (end - start);
  return vector;
}
