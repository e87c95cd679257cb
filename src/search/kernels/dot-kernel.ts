import { DOT_PRODUCT_WASM } from './dot-product.wasm.ts';

/**
 * Inner products over one growable block of memory. Addresses and sizes are in bytes from its start; float and int16
 * addresses are multiples of 4 and 2. All implementations return identical bits: see dot-product.wat.
 */
export interface DotKernel {
  readonly name: 'simd' | 'javascript';
  /** The memory; a different object after each `grow`. */
  readonly buffer: ArrayBuffer;
  /** Makes the memory at least this long; new bytes are zero. False if there is no room: then nothing changes. */
  grow(byteLength: number): boolean;
  /** int32 results of an int16 query and int8 rows; `rowBytes` is a multiple of 16. */
  dot(scan: Scan): void;
}

interface Scan {
  readonly query: number;
  /** Address of the first row; the others follow without gaps. */
  readonly rows: number;
  readonly out: number;
  readonly count: number;
  readonly rowBytes: number;
}

/** Runs an allocation; null if it fails for lack of memory. */
function whereRoom<T>(allocate: () => T): T | null {
  try {
    return allocate();
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** At least doubles the length, so that growth takes amortised linear time. */
function grownLength(current: number, wanted: number): number {
  return Math.max(wanted, current * 2);
}

/** The kernels without WebAssembly: for machines without SIMD, and for indexes too small for a WebAssembly memory. */
export class JavaScriptKernel implements DotKernel {
  readonly name = 'javascript';
  buffer = new ArrayBuffer(0);

  grow(byteLength: number): boolean {
    if (byteLength <= this.buffer.byteLength) return true;
    const rounded = Math.ceil(grownLength(this.buffer.byteLength, byteLength) / 64) * 64;
    const grown = whereRoom(() => new ArrayBuffer(rounded));
    if (grown === null) return false;
    new Uint8Array(grown).set(new Uint8Array(this.buffer));
    this.buffer = grown;
    return true;
  }

  dot(scan: Scan): void {
    const query = new Int16Array(this.buffer, scan.query, scan.rowBytes);
    const out = new Int32Array(this.buffer, scan.out, scan.count);
    const rows = new Int8Array(this.buffer, scan.rows, scan.count * scan.rowBytes);
    for (let row = 0, at = 0; row < scan.count; row++) {
      let sum = 0;
      for (let place = 0; place < scan.rowBytes; place++) sum += query[place]! * rows[at++]!;
      out[row] = sum;
    }
  }
}

const PAGE = 65_536;
const MAXIMUM_PAGES = 65_536;

type KernelFunction = (query: number, rows: number, out: number, count: number, rowBytes: number) => void;

const kernelBytes = new Uint8Array(Buffer.from(DOT_PRODUCT_WASM, 'base64'));
/** Null if the engine does not support WebAssembly SIMD. */
const kernelModule = WebAssembly.validate(kernelBytes) ? new WebAssembly.Module(kernelBytes) : null;

export const simdSupported = kernelModule !== null;

/** The kernels as WebAssembly SIMD over their own memory of at most 4 GiB, which grows in place. */
export class SimdKernel implements DotKernel {
  readonly name = 'simd';
  readonly #memory: WebAssembly.Memory;
  readonly #dot: KernelFunction;

  private constructor(memory: WebAssembly.Memory, exports: Readonly<Record<string, unknown>>) {
    this.#memory = memory;
    this.#dot = exports.dot as KernelFunction;
  }

  /**
   * Null without SIMD or free address space: each memory reserves about 10 GiB of it, so a process can have some ten
   * thousand at most.
   */
  static create(): SimdKernel | null {
    if (kernelModule === null) return null;
    return whereRoom(() => {
      const memory = new WebAssembly.Memory({ initial: 1, maximum: MAXIMUM_PAGES });
      return new SimdKernel(memory, new WebAssembly.Instance(kernelModule, { env: { memory } }).exports);
    });
  }

  get buffer(): ArrayBuffer {
    return this.#memory.buffer;
  }

  grow(byteLength: number): boolean {
    const current = this.#memory.buffer.byteLength;
    if (byteLength <= current) return true;
    if (byteLength > MAXIMUM_PAGES * PAGE) return false;
    const length = Math.min(grownLength(current, byteLength), MAXIMUM_PAGES * PAGE);
    return whereRoom(() => this.#memory.grow(Math.ceil((length - current) / PAGE))) !== null;
  }

  dot(scan: Scan): void {
    this.#dot(scan.query, scan.rows, scan.out, scan.count, scan.rowBytes);
  }
}
