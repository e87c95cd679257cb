/** Compressed rows: the columns and values of row r are at `starts[r]` to `starts[r + 1]`. */
export interface SparseMatrix {
  readonly rows: number;
  readonly columns: number;
  readonly starts: Uint32Array;
  readonly indices: Uint32Array;
  readonly values: Float32Array;
}

export function sparseMatrix(rows: readonly ReadonlyMap<number, number>[], columns: number): SparseMatrix {
  const starts = new Uint32Array(rows.length + 1);
  for (const [row, entries] of rows.entries()) starts[row + 1] = starts[row]! + entries.size;
  const indices = new Uint32Array(starts[rows.length]!);
  const values = new Float32Array(starts[rows.length]!);
  for (const [row, entries] of rows.entries()) {
    let at = starts[row]!;
    for (const [column, value] of [...entries].sort(([a], [b]) => a - b)) {
      indices[at] = column;
      values[at++] = value;
    }
  }
  return { rows: rows.length, columns, starts, indices, values };
}

/**
 * Positive pointwise mutual information (Church and Hanks 1990): log of how much likelier a word and a context
 * are together than apart; entries of zero or less are dropped.
 */
export function positiveMutualInformation(matrix: SparseMatrix): SparseMatrix {
  const ofRow = new Float64Array(matrix.rows);
  const ofColumn = new Float64Array(matrix.columns);
  let all = 0;
  forEachEntry(matrix, (row, column, value) => {
    ofRow[row]! += value;
    ofColumn[column]! += value;
    all += value;
  });
  const kept = Array.from({ length: matrix.rows }, () => new Map<number, number>());
  forEachEntry(matrix, (row, column, value) => {
    const information = Math.log((value * all) / (ofRow[row]! * ofColumn[column]!));
    if (information > 0) kept[row]!.set(column, information);
  });
  return sparseMatrix(kept, matrix.columns);
}

/** A × B, with B given row by row, `width` numbers each. */
export function multiply(matrix: SparseMatrix, dense: Float64Array, width: number): Float64Array {
  const product = new Float64Array(matrix.rows * width);
  forEachEntry(matrix, (row, column, value) => {
    const to = row * width;
    const from = column * width;
    for (let place = 0; place < width; place++) product[to + place]! += value * dense[from + place]!;
  });
  return product;
}

/** Aᵀ × B. */
export function multiplyTransposed(matrix: SparseMatrix, dense: Float64Array, width: number): Float64Array {
  const product = new Float64Array(matrix.columns * width);
  forEachEntry(matrix, (row, column, value) => {
    const to = column * width;
    const from = row * width;
    for (let place = 0; place < width; place++) product[to + place]! += value * dense[from + place]!;
  });
  return product;
}

function forEachEntry(
  { rows, starts, indices, values }: SparseMatrix,
  visit: (row: number, column: number, value: number) => void,
): void {
  for (let row = 0; row < rows; row++)
    for (let at = starts[row]!; at < starts[row + 1]!; at++) visit(row, indices[at]!, values[at]!);
}
