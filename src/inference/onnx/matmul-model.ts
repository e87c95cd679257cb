import type { Feed, OnnxSession } from './onnx-runtime.ts';

/** Matrix products in a row: enough work for one upload that an accelerator can show what it is worth. */
export const MATMUL_STEPS = 8;

/** x · w · w …, both square; written by `test/fakes/onnx`, whose test compares the bytes. */
const GRAPH =
  'CAg62AIKGAoBeAoBdxIIbWF0bXVsXzAiBk1hdE11bAofCghtYXRtdWxfMAoBdxIIbWF0bXVsXzEiBk1hdE11bAofCghtYXRtdWxfMQoBdxIIbWF0bXVsXzIiBk1hdE11bAofCghtYXRtdWxfMgoBdxIIbWF0bXVsXzMiBk1hdE11bAofCghtYXRtdWxfMwoBdxIIbWF0bXVsXzQiBk1hdE11bAofCghtYXRtdWxfNAoBdxIIbWF0bXVsXzUiBk1hdE11bAofCghtYXRtdWxfNQoBdxIIbWF0bXVsXzYiBk1hdE11bAoYCghtYXRtdWxfNgoBdxIBeSIGTWF0TXVsEgVncmFwaFobCgF3EhYKFAgBEhAKBhIEc2l6ZQoGEgRzaXplWhsKAXgSFgoUCAESEAoGEgRzaXplCgYSBHNpemViGwoBeRIWChQIARIQCgYSBHNpemUKBhIEc2l6ZUICEBE=';

export function matmulModel(): Uint8Array {
  return Uint8Array.from(Buffer.from(GRAPH, 'base64'));
}

/** x is all ones and w averages, so every number stays one on the way. */
export async function runMatmul(
  session: OnnxSession,
  size: number,
): Promise<{ ms: number; correct: boolean }> {
  const feeds = { x: square(size, 1), w: square(size, 1 / size) };
  const started = performance.now();
  const { data } = await session.run(feeds, 'y');
  const ms = performance.now() - started;
  return { ms, correct: data.length === size * size && data.every((value) => Math.abs(value - 1) < 1e-2) };
}

/** Billions of additions and multiplications per second. */
export function gigaflops(size: number, ms: number): number {
  return (2 * size ** 3 * MATMUL_STEPS) / ms / 1e6;
}

function square(size: number, value: number): Feed {
  return { type: 'float32', data: new Float32Array(size * size).fill(value), dimensions: [size, size] };
}
