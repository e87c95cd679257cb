import { type DotKernel, grownLength, type Scan, whereRoom } from './dot-kernel.ts';

const { fround } = Math;

/** The kernels without WebAssembly: for a machine without SIMD, and for indexes too small to deserve a memory. */
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
    const values = new Float32Array(this.buffer);
    const length = scan.rowBytes / 4;
    for (let row = 0; row < scan.count; row++) {
      values[scan.out / 4 + row] = dotRow(values, scan.query / 4, scan.rows / 4 + row * length, length);
    }
  }

  dotInt8(scan: Scan): void {
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

/** The float32 additions of dot-product.wat, in its order. */
function dotRow(values: Float32Array, query: number, row: number, length: number): number {
  const low = fround(laneSum(values, query, row, length) + laneSum(values, query + 1, row + 1, length));
  const high = fround(
    laneSum(values, query + 2, row + 2, length) + laneSum(values, query + 3, row + 3, length),
  );
  return fround(low + high);
}

/** What one of the four lanes of the SIMD registers holds in the end: four running sums of every 16th product. */
function laneSum(values: Float32Array, query: number, row: number, length: number): number {
  let a = fround(0);
  let b = fround(0);
  let c = fround(0);
  let d = fround(0);
  for (let at = 0; at < length; at += 16) {
    a = fround(a + fround(values[query + at]! * values[row + at]!));
    b = fround(b + fround(values[query + at + 4]! * values[row + at + 4]!));
    c = fround(c + fround(values[query + at + 8]! * values[row + at + 8]!));
    d = fround(d + fround(values[query + at + 12]! * values[row + at + 12]!));
  }
  return fround(fround(a + b) + fround(c + d));
}
