/**
 * Inner products over one growable block of memory. Addresses and sizes are in bytes from its start; float and
 * int16 addresses are multiples of 4 and 2. Implementations give the same bits: see dot-product.wat.
 */
export interface DotKernel {
  readonly name: 'simd' | 'javascript';
  /** The memory; another object after each `grow`. */
  readonly buffer: ArrayBuffer;
  /** Makes the memory at least this long; new bytes are zero. False when there is no room: nothing is changed. */
  grow(byteLength: number): boolean;
  /** float32 results of a float32 query and float32 rows; `rowBytes` is a multiple of 64. */
  dot(scan: Scan): void;
  /** int32 results of an int16 query and int8 rows; `rowBytes` is a multiple of 16. */
  dotInt8(scan: Scan): void;
}

export interface Scan {
  readonly query: number;
  /** Address of the first row; the others follow without gaps. */
  readonly rows: number;
  readonly out: number;
  readonly count: number;
  readonly rowBytes: number;
}

/** Runs something that needs memory; null when there was none to be had. */
export function whereRoom<T>(allocate: () => T): T | null {
  try {
    return allocate();
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** At least doubles, so that growing stays linear in what is added. */
export function grownLength(current: number, wanted: number): number {
  return Math.max(wanted, current * 2);
}
