import { type DotKernel, grownLength, type Scan, whereRoom } from './dot-kernel.ts';
import { DOT_PRODUCT_WASM } from './dot-product.wasm.ts';

const PAGE = 65_536;
const MAXIMUM_PAGES = 65_536;

type KernelFunction = (query: number, rows: number, out: number, count: number, rowBytes: number) => void;

const kernelBytes = new Uint8Array(Buffer.from(DOT_PRODUCT_WASM, 'base64'));
/** Null where the engine knows no WebAssembly SIMD. */
const kernelModule = WebAssembly.validate(kernelBytes) ? new WebAssembly.Module(kernelBytes) : null;

export const simdSupported = kernelModule !== null;

/** The kernels as WebAssembly SIMD over a memory of their own, of at most 4 GiB, which grows in place. */
export class SimdKernel implements DotKernel {
  readonly name = 'simd';
  readonly #memory: WebAssembly.Memory;
  readonly #dot: KernelFunction;
  readonly #dotInt8: KernelFunction;

  private constructor(memory: WebAssembly.Memory, exports: Readonly<Record<string, unknown>>) {
    this.#memory = memory;
    this.#dot = exports.dot as KernelFunction;
    this.#dotInt8 = exports.dotInt8 as KernelFunction;
  }

  /**
   * Null where SIMD is missing or where no address space is left: each memory reserves about 10 GiB of it, so a
   * process holds some ten thousand at most.
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

  dotInt8(scan: Scan): void {
    this.#dotInt8(scan.query, scan.rows, scan.out, scan.count, scan.rowBytes);
  }
}
