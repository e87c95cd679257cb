import { GraphWriter, type TensorType } from './graph-writer.ts';

/** The graph of `src/inference/onnx/devices.ts`: x · w · w …, as often as `steps` says. */
export function matmulGraph(steps: number): Uint8Array {
  const writer = new GraphWriter();
  const square: TensorType = { type: 'float32', dimensions: ['size', 'size'] };
  const weights = writer.input('w', square);
  let product = writer.input('x', square);
  for (let step = 1; step <= steps; step++)
    product = writer.node('MatMul', [product, weights], step === steps ? { output: 'y' } : {});
  writer.output('y', square);
  return writer.toBytes();
}
