import { InvalidInputError } from '../errors/index.ts';
import { roundVector, scaledVector } from '../util/rounded-vector.ts';
import { type DotKernel, JavaScriptKernel, SimdKernel } from './kernels/dot-kernel.ts';

/** The greatest number of rows that `score` takes at once. */
export const CHUNK_ROWS = 256;

export const MAXIMUM_DIMENSION = 65_536;

export type KernelChoice = 'fastest' | 'javascript';

/** The rows of a snapshot. */
export interface PackedRows {
  /** Without padding, row after row; zeros where there is no vector. */
  readonly integers: Int8Array;
  readonly scales: Float32Array;
  readonly present: Uint8Array;
}

/**
 * The vectors of one index in one block of memory: for each row int8 numbers, and beside them the scale of the row.
 *
 * Layout in bytes: the query as int16, the results of one chunk as int32, then the rows, padded with zeros to a multiple
 * of 16 numbers. Up to one chunk the memory is an ordinary ArrayBuffer that is only as long as its rows.
 */
export class VectorRows {
  readonly dimension: number;
  /** One more than the highest ordinal so far. */
  count = 0;
  /** 1 where the row holds a vector. */
  present = new Uint8Array(0);
  /** Values per row with padding. */
  readonly #stride: number;
  readonly #resultsAt: number;
  readonly #rowsAt: number;
  /** Per row, the value of one step of its integers. */
  #scales = new Float32Array(0);
  #queryScale = 0;
  #simdAllowed: boolean;
  #kernel: DotKernel = new JavaScriptKernel();
  #bytes = new Int8Array(0);

  constructor(dimension: number, kernel: KernelChoice) {
    if (!Number.isInteger(dimension) || dimension < 1 || dimension > MAXIMUM_DIMENSION) {
      throw new InvalidInputError('The dimension of a vector index must be a whole number from 1 to 65536');
    }
    this.dimension = dimension;
    this.#stride = Math.ceil(dimension / 16) * 16;
    this.#resultsAt = this.#stride * 2;
    this.#rowsAt = this.#resultsAt + CHUNK_ROWS * 4;
    this.#simdAllowed = kernel === 'fastest';
    this.#grow(this.#rowsAt);
  }

  get kernelName(): DotKernel['name'] {
    return this.#kernel.name;
  }

  read(ordinal: number): Float32Array {
    return scaledVector(this.#row(ordinal), this.#scales[ordinal]!);
  }

  /** Rounds a vector of `dimension` numbers to the row of an ordinal. */
  write(ordinal: number, vector: Float32Array): void {
    this.#reserve(ordinal + 1);
    this.#scales[ordinal] = roundVector(vector, this.#row(ordinal));
    this.present[ordinal] = 1;
  }

  erase(ordinal: number): void {
    this.#row(ordinal).fill(0);
    this.present[ordinal] = 0;
    this.#scales[ordinal] = 0;
  }

  /** A copy of all rows. */
  packed(): PackedRows {
    const { count, dimension } = this;
    const integers = new Int8Array(count * dimension);
    const step = this.#rowsPerCopy();
    for (let row = 0; row < count; row += step) {
      const from = this.#rowAt(row);
      integers.set(this.#bytes.subarray(from, from + Math.min(step, count) * dimension), row * dimension);
    }
    return { integers, scales: this.#scales.slice(0, count), present: this.present.slice(0, count) };
  }

  /** Loads the result of `packed`; false if `packed` cannot have given it. */
  load({ integers, scales, present }: PackedRows): boolean {
    const { dimension } = this;
    for (let row = 0; row < present.length; row++) {
      const scale = scales[row]!;
      if (present[row]! > 1 || !(scale >= 0 && scale < Number.POSITIVE_INFINITY)) return false;
      if (present[row] === 0 && scale > 0) return false;
    }
    this.#reserve(present.length);
    const step = this.#rowsPerCopy();
    for (let row = 0; row < present.length; row += step)
      this.#bytes.set(integers.subarray(row * dimension, (row + step) * dimension), this.#rowAt(row));
    this.#scales.set(scales);
    this.present.set(present);
    return true;
  }

  /**
   * Rounds the query, of `dimension` numbers, to integers so small that no int32 sum of products with the int8 numbers
   * of a row can overflow.
   */
  setQuery(query: Float32Array): void {
    let largest = 0;
    for (let place = 0; place < query.length; place++) largest = Math.max(largest, Math.abs(query[place]!));
    const most = Math.min(32_767, Math.floor((2 ** 31 - 1) / (127 * this.#stride)));
    const inverse = largest > SMALLEST_QUERY ? most / largest : 0;
    this.#queryScale = largest / most;
    const rounded = new Int16Array(this.#kernel.buffer, 0, this.#stride);
    for (let place = 0; place < query.length; place++) rounded[place] = Math.round(query[place]! * inverse);
  }

  /** Writes the scores of `count` rows, of at most `CHUNK_ROWS`, to `out` from the place `at` on. */
  score(first: number, count: number, out: Float32Array, at = 0): void {
    const scan = { query: 0, rows: this.#rowAt(first), out: this.#resultsAt, count, rowBytes: this.#stride };
    this.#kernel.dot(scan);
    const products = new Int32Array(this.#kernel.buffer, this.#resultsAt, count);
    const scales = this.#scales;
    const queryScale = this.#queryScale;
    for (let row = 0; row < count; row++) out[at + row] = products[row]! * scales[first + row]! * queryScale;
  }

  /** Makes room for `count` rows; new ones are empty. */
  #reserve(count: number): void {
    if (count <= this.count) return;
    if (count > CHUNK_ROWS && this.#simdAllowed) this.#moveToSimd();
    this.#grow(this.#rowsAt + count * this.#stride);
    if (count > this.present.length) {
      const length = Math.max(count, this.present.length * 2, 16);
      this.#scales = grown(this.#scales, new Float32Array(length));
      this.present = grown(this.present, new Uint8Array(length));
    }
    this.count = count;
  }

  #row(ordinal: number): Int8Array {
    const from = this.#rowAt(ordinal);
    return this.#bytes.subarray(from, from + this.dimension);
  }

  #rowAt(ordinal: number): number {
    return this.#rowsAt + ordinal * this.#stride;
  }

  /** All at once where rows have no padding. */
  #rowsPerCopy(): number {
    return this.#stride === this.dimension ? Math.max(this.count, 1) : 1;
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
    this.#bytes = new Int8Array(this.#kernel.buffer);
  }
}

/** Dividing by smaller numbers could overflow. */
const SMALLEST_QUERY = 1e-30;

function grown<T extends Float32Array | Uint8Array>(old: T, larger: T): T {
  larger.set(old);
  return larger;
}
