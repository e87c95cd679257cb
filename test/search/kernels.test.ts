import { describe, expect, it } from 'vitest';
import { compileKernels } from '../../scripts/build-kernels.ts';
import { type DotKernel, JavaScriptKernel, SimdKernel } from '../../src/search/kernels/dot-kernel.ts';
import { DOT_PRODUCT_WASM } from '../../src/search/kernels/dot-product.wasm.ts';
import { seededRandom } from './random.ts';

describe('kernels', () => {
  it('equal the compiled text in the repository', async () => {
    expect(Buffer.from(await compileKernels()).toString('base64')).toBe(DOT_PRODUCT_WASM);
  });

  it.each([16, 48, 256, 1024])('give the same bits with and without SIMD, %i values a row', (length) => {
    const kernels: DotKernel[] = [SimdKernel.create()!, new JavaScriptKernel()];
    const count = 9;
    const results = kernels.map((kernel) => {
      const random = seededRandom(length);
      const rows = length * 2;
      const out = rows + count * length;
      kernel.grow(out + 64);
      new Int16Array(kernel.buffer, 0, length).forEach((_, at, values) => {
        values[at] = Math.floor((random() - 0.5) * 2 * 16_000);
      });
      new Int8Array(kernel.buffer, rows, length * count).forEach((_, at, values) => {
        values[at] = Math.floor((random() - 0.5) * 254);
      });
      kernel.dot({ query: 0, rows, out, count, rowBytes: length });
      return new Int32Array(kernel.buffer.slice(out, out + count * 4));
    });
    expect(results[0]).toEqual(results[1]);
    expect(results[0]!.some((value) => value !== 0)).toBe(true);
  });

  it('grow without losing their content', () => {
    for (const kernel of [SimdKernel.create()!, new JavaScriptKernel()]) {
      kernel.grow(64);
      new Uint8Array(kernel.buffer)[3] = 7;
      kernel.grow(1_000_000);
      expect(kernel.buffer.byteLength).toBeGreaterThanOrEqual(1_000_000);
      expect(new Uint8Array(kernel.buffer)[3]).toBe(7);
      expect(kernel.grow(2 ** 53 - 1)).toBe(false);
      expect(new Uint8Array(kernel.buffer)[3]).toBe(7);
    }
  });
});
