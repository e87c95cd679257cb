import { EigenvalueDecomposition, Matrix } from 'ml-matrix';
import { multiply, multiplyTransposed, type SparseMatrix } from './sparse-matrix.ts';

const OVERSAMPLING = 32;
const ITERATIONS = 3;

/**
 * The leading left singular vectors of a sparse matrix by randomized subspace iteration (Halko, Martinsson and
 * Tropp 2011), row by row: `count` numbers for each row of the matrix. The same input gives the same output.
 */
export function leftSingularVectors(matrix: SparseMatrix, count: number): Float64Array {
  const width = count + OVERSAMPLING;
  let basis = multiply(matrix, gaussians(matrix.columns * width), width);
  for (let iteration = 0; iteration < ITERATIONS; iteration++) {
    const columns = multiplyTransposed(matrix, orthonormal(basis, width), width);
    basis = multiply(matrix, orthonormal(columns, width), width);
  }
  basis = orthonormal(basis, width);
  // Within the subspace, the directions in which the matrix is largest (Rayleigh and Ritz).
  const image = multiplyTransposed(matrix, basis, width);
  return rotate(basis, width, leading(gram(image, width), count));
}

/** The rows without their `count` leading principal directions, each row counted with its weight. */
export function withoutPrincipalDirections(
  rows: Float64Array,
  width: number,
  { weights, count }: { weights: Float64Array; count: number },
): Float64Array {
  const weighted = rows.map((value, at) => value * weights[Math.floor(at / width)]!);
  const directions = leading(gram(weighted, width), count);
  const result = rows.slice();
  for (let row = 0; row < rows.length; row += width)
    for (let direction = 0; direction < count; direction++) {
      let dot = 0;
      for (let place = 0; place < width; place++)
        dot += rows[row + place]! * directions.get(place, direction);
      for (let place = 0; place < width; place++)
        result[row + place]! -= dot * directions.get(place, direction);
    }
  return result;
}

/** The same column space with orthonormal columns; directions without length stay zero. */
function orthonormal(rows: Float64Array, width: number): Float64Array {
  const { vectors, values } = eigen(gram(rows, width));
  const least = 1e-12 * values[0]!;
  const scaled = new Matrix(width, width);
  for (const [column, value] of values.entries())
    if (value > least)
      for (let row = 0; row < width; row++)
        scaled.set(row, column, vectors.get(row, column) / Math.sqrt(value));
  return rotate(rows, width, scaled);
}

/** rowsᵀ × rows. */
function gram(rows: Float64Array, width: number): Matrix {
  const sums = new Float64Array(width * width);
  for (let row = 0; row < rows.length; row += width)
    for (let a = 0; a < width; a++) {
      const value = rows[row + a]!;
      if (value !== 0) for (let b = a; b < width; b++) sums[a * width + b]! += value * rows[row + b]!;
    }
  const matrix = new Matrix(width, width);
  for (let a = 0; a < width; a++)
    for (let b = a; b < width; b++) {
      matrix.set(a, b, sums[a * width + b]!);
      matrix.set(b, a, sums[a * width + b]!);
    }
  return matrix;
}

function rotate(rows: Float64Array, width: number, by: Matrix): Float64Array {
  const { columns } = by;
  const factors = Float64Array.from(by.to1DArray());
  const result = new Float64Array((rows.length / width) * columns);
  for (let row = 0, to = 0; row < rows.length; row += width, to += columns)
    for (let place = 0; place < width; place++) {
      const value = rows[row + place]!;
      const from = place * columns;
      for (let column = 0; column < columns; column++)
        result[to + column]! += value * factors[from + column]!;
    }
  return result;
}

function leading(symmetric: Matrix, count: number): Matrix {
  return eigen(symmetric).vectors.subMatrix(0, symmetric.rows - 1, 0, count - 1);
}

/** Eigenvectors as columns, largest eigenvalue first. */
function eigen(symmetric: Matrix): { vectors: Matrix; values: readonly number[] } {
  const { realEigenvalues, eigenvectorMatrix } = new EigenvalueDecomposition(symmetric, {
    assumeSymmetric: true,
  });
  const order = [...realEigenvalues.keys()].sort((a, b) => realEigenvalues[b]! - realEigenvalues[a]!);
  return {
    vectors: eigenvectorMatrix.subMatrixColumn(order),
    values: order.map((position) => realEigenvalues[position]!),
  };
}

/** Normally distributed numbers from a fixed seed (xorshift; Box and Muller). */
function gaussians(count: number): Float64Array {
  let state = 2_463_534_242;
  const uniform = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return ((state >>> 0) + 0.5) / 2 ** 32;
  };
  return Float64Array.from({ length: count }, () => {
    const radius = Math.sqrt(-2 * Math.log(uniform()));
    return radius * Math.cos(2 * Math.PI * uniform());
  });
}
