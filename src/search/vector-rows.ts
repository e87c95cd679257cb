import { InvalidInputError } from '../errors/index.ts';
import { type DotKernel, JavaScriptKernel, SimdKernel } from './kernels/dot-kernel.ts';

/** Covers the rounding error of lengths computed in float64 from at most 65,536 float32 values. */
const UPWARDS = 1 + 1e-9;

/** Longer vectors could overflow float32 inner products. */
const MAXIMUM_NORM = 1e18;

/** Smaller numbers become 0: dividing by them could overflow. */
const SMALLEST_ROUNDED = 1e-30;

interface Rounding {
  /** The value of one step of the integers. */
  readonly scale: number;
  /** An upper bound of the length of (vector − scale × integers). */
  readonly error: number;
}

/** An upper bound of a vector's length, tight to 1e-9; null for NaN, an infinity or a length beyond 1e18. */
export function vectorNorm(vector: Float32Array): number | null {
  let squares = 0;
  for (let place = 0; place < vector.length; place++) squares += vector[place]! * vector[place]!;
  const norm = Math.sqrt(squares) * UPWARDS;
  return norm <= MAXIMUM_NORM ? norm : null;
}

/** Writes the vector to `out` as integers from −127 to 127. */
function roundToInt8(vector: Float32Array, out: Int8Array): Rounding {
  return roundTo(127, vector, out);
}

/**
 * Writes the query to `out` as integers so small that no int32 sum of products with `out.length` int8 values can
 * overflow.
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

/** Rows are stored in chunks of this many: first their float32 values, then their int8 values. */
export const CHUNK_ROWS = 256;

export const MAXIMUM_DIMENSION = 65_536;

export type KernelChoice = 'fastest' | 'javascript';

/**
 * The vectors of one index in one block of memory, as given (float32) and rounded (int8 times a scale per row), with
 * the rounding error of each row.
 *
 * Layout in bytes: the query as float32, the query as int16, the results of one chunk, then the chunks. Rows are padded
 * with zeros to a multiple of 16 values. Up to one chunk the memory is an ordinary ArrayBuffer that is only as long as
 * its rows; whole chunks are allocated from the second one on, or for rounding.
 */
export class VectorRows {
  readonly dimension: number;
  /** Values per row with padding. */
  readonly stride: number;
  /** One more than the highest ordinal so far. */
  count = 0;
  /**
   * Per row, float64: the scale of its int8 values and the length of the rounding error (after `roundAll`); its own
   * length.
   */
  scales = new Float64Array(0);
  errors = new Float64Array(0);
  norms = new Float64Array(0);
  /** 1 where the row holds a vector. */
  present = new Uint8Array(0);
  readonly #roundedQueryAt: number;
  readonly #resultsAt: number;
  readonly #chunksAt: number;
  readonly #chunkBytes: number;
  /** Rows before this one are rounded; later ones are rounded on the first use of rounded rows. */
  #roundedBefore = 0;
  #simdAllowed: boolean;
  #kernel: DotKernel = new JavaScriptKernel();
  #floats = new Float32Array(0);
  #bytes = new Int8Array(0);

  constructor(dimension: number, kernel: KernelChoice) {
    if (!Number.isInteger(dimension) || dimension < 1 || dimension > MAXIMUM_DIMENSION) {
      throw new InvalidInputError('The dimension of a vector index must be a whole number from 1 to 65536');
    }
    this.dimension = dimension;
    this.stride = Math.ceil(dimension / 16) * 16;
    this.#roundedQueryAt = this.stride * 4;
    this.#resultsAt = Math.ceil((this.stride * 6) / 64) * 64;
    this.#chunksAt = this.#resultsAt + CHUNK_ROWS * 4;
    this.#chunkBytes = CHUNK_ROWS * this.stride * 5;
    this.#simdAllowed = kernel === 'fastest';
    this.#grow(this.#chunksAt);
  }

  get kernelName(): DotKernel['name'] {
    return this.#kernel.name;
  }

  /** Makes room for `count` rows; new ones are empty. */
  reserve(count: number): void {
    if (count <= this.count) return;
    const chunks = Math.ceil(count / CHUNK_ROWS);
    if (chunks > 1 && this.#simdAllowed) this.#moveToSimd();
    // Most scopes are small, and each has several indexes: the first chunk grows row by row.
    this.#grow(this.#chunksAt + (chunks > 1 ? chunks * this.#chunkBytes : count * this.stride * 4));
    if (count > this.present.length) this.#growColumns(Math.max(count, this.present.length * 2, 16));
    this.count = count;
  }

  read(ordinal: number): Float32Array {
    const from = this.#floatsAt(ordinal) / 4;
    return this.#floats.slice(from, from + this.dimension);
  }

  /** Writes a vector of `dimension` numbers at an ordinal. `norm` is its length. */
  write(ordinal: number, vector: Float32Array, norm: number): void {
    this.reserve(ordinal + 1);
    this.#floats.set(vector, this.#floatsAt(ordinal) / 4);
    this.norms[ordinal] = norm;
    this.present[ordinal] = 1;
    if (ordinal < this.#roundedBefore) this.#round(ordinal);
  }

  /** Rounds the remaining rows. An index that is only scanned whole never calls it. */
  roundAll(): void {
    if (this.#roundedBefore < this.count)
      this.#grow(this.#chunksAt + Math.ceil(this.count / CHUNK_ROWS) * this.#chunkBytes);
    for (let row = this.#roundedBefore; row < this.count; row++)
      if (this.present[row] === 1) this.#round(row);
    this.#roundedBefore = this.count;
  }

  erase(ordinal: number): void {
    const floats = this.#floatsAt(ordinal) / 4;
    this.#floats.fill(0, floats, floats + this.stride);
    const bytes = this.#bytesAt(ordinal);
    this.#bytes.fill(0, bytes, bytes + this.stride);
    this.present[ordinal] = 0;
    this.scales[ordinal] = this.errors[ordinal] = this.norms[ordinal] = 0;
  }

  /** A copy of all rows without padding, row after row; zeros where there is no vector. */
  packed(): Float32Array {
    const packed = new Float32Array(this.count * this.dimension);
    const step = this.#rowsPerCopy();
    for (let row = 0; row < this.count; row += step) {
      const from = this.#floatsAt(row) / 4;
      const length = Math.min(step, this.count - row) * this.dimension;
      packed.set(this.#floats.subarray(from, from + length), row * this.dimension);
    }
    return packed;
  }

  /** Loads the result of `packed`, by whole chunks if rows need no padding. False if a number is not usable. */
  load(packed: Float32Array, present: Uint8Array): boolean {
    this.reserve(present.length);
    const step = this.#rowsPerCopy();
    for (let row = 0; row < this.count; row += step) {
      const rows = packed.subarray(row * this.dimension, (row + step) * this.dimension);
      this.#floats.set(rows, this.#floatsAt(row) / 4);
    }
    for (let row = 0; row < this.count; row++) {
      const norm = vectorNorm(packed.subarray(row * this.dimension, (row + 1) * this.dimension));
      if (norm === null || (norm > 0 && present[row] === 0)) return false;
      if (present[row] !== 1) continue;
      this.norms[row] = norm;
      this.present[row] = 1;
    }
    return true;
  }

  /** The float32 inner products of `count` rows of one chunk with the query: a view, valid until the next call. */
  dot(first: number, count: number): Float32Array {
    const { stride } = this;
    const out = this.#resultsAt;
    this.#kernel.dot({ query: 0, rows: this.#floatsAt(first), out, count, rowBytes: stride * 4 });
    return this.#floats.subarray(out / 4, out / 4 + count);
  }

  /**
   * The int32 inner products of `count` rounded rows of one chunk with the rounded query: a view, valid until the next
   * call.
   */
  dotInt8(first: number, count: number): Int32Array {
    const query = this.#roundedQueryAt;
    const out = this.#resultsAt;
    this.#kernel.dotInt8({ query, rows: this.#bytesAt(first), out, count, rowBytes: this.stride });
    return new Int32Array(this.#kernel.buffer, out, count);
  }

  setQuery(query: Float32Array): void {
    this.#floats.set(query);
  }

  /** The buffer for the int16 query: `stride` values. */
  roundedQuery(): Int16Array {
    return new Int16Array(this.#kernel.buffer, this.#roundedQueryAt, this.stride);
  }

  #round(ordinal: number): void {
    const from = this.#floatsAt(ordinal) / 4;
    const to = this.#bytesAt(ordinal);
    const { scale, error } = roundToInt8(
      this.#floats.subarray(from, from + this.dimension),
      this.#bytes.subarray(to, to + this.dimension),
    );
    this.scales[ordinal] = scale;
    this.errors[ordinal] = error;
  }

  #floatsAt(ordinal: number): number {
    const chunk = Math.floor(ordinal / CHUNK_ROWS);
    return this.#chunksAt + chunk * this.#chunkBytes + (ordinal % CHUNK_ROWS) * this.stride * 4;
  }

  #bytesAt(ordinal: number): number {
    const chunk = Math.floor(ordinal / CHUNK_ROWS);
    const rounded = this.#chunksAt + chunk * this.#chunkBytes + CHUNK_ROWS * this.stride * 4;
    return rounded + (ordinal % CHUNK_ROWS) * this.stride;
  }

  #rowsPerCopy(): number {
    return this.stride === this.dimension ? CHUNK_ROWS : 1;
  }

  #moveToSimd(): void {
    if (this.#kernel.name === 'simd') return;
    const simd = SimdKernel.create();
    const old = new Uint8Array(this.#kernel.buffer);
    if (simd === null || !simd.grow(old.length)) {
      this.#simdAllowed = false;
      return;
    }
    new Uint8Array(simd.buffer).set(old);
    this.#kernel = simd;
  }

  #grow(byteLength: number): void {
    if (!this.#kernel.grow(byteLength)) {
      throw new InvalidInputError(`A vector index cannot grow to ${byteLength} bytes`);
    }
    this.#floats = new Float32Array(this.#kernel.buffer);
    this.#bytes = new Int8Array(this.#kernel.buffer);
  }

  #growColumns(length: number): void {
    this.scales = grown(this.scales, new Float64Array(length));
    this.errors = grown(this.errors, new Float64Array(length));
    this.norms = grown(this.norms, new Float64Array(length));
    this.present = grown(this.present, new Uint8Array(length));
  }
}

function grown<T extends Float64Array | Uint8Array>(old: T, larger: T): T {
  larger.set(old);
  return larger;
}
