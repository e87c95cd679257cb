import { OnnxEmbedder } from '../../../src/inference/onnx/onnx-embedder.ts';
import { OnnxReranker } from '../../../src/inference/onnx/onnx-reranker.ts';
import {
  tinyCrossEncoder,
  tinyEmbedderProfile,
  tinyEncoder,
  tinyRerankerProfile,
} from '../../fakes/onnx/tiny-models.ts';

/** Vectors and scores on WebGPU and on the processor, in a process that a graphics driver may crash. */
const TEXTS = [
  'paris',
  'the capital of france',
  'ann moved to bergen in june, when the train leaves at nine',
];
const devices = ['cpu', 'webgpu'] as const;
const encoder = tinyEncoder({ layers: 1 }).write();
const pairs = tinyCrossEncoder({ layers: 1 }).write();
try {
  const vectors: number[][][] = [];
  const scores: number[][] = [];
  for (const device of devices) {
    await using embedder = await OnnxEmbedder.load({
      profile: tinyEmbedderProfile,
      folder: encoder.path,
      device,
    });
    vectors.push((await embedder.embed(TEXTS, { as: 'passage' })).map((vector) => [...vector]));
    await using reranker = await OnnxReranker.load({
      profile: tinyRerankerProfile,
      folder: pairs.path,
      device,
    });
    scores.push(await reranker.rerank('who moved?', TEXTS));
  }
  process.stdout.write(JSON.stringify({ vectors, scores }));
} catch (error) {
  process.stdout.write(JSON.stringify({ unavailable: (error as Error).message }));
} finally {
  encoder.remove();
  pairs.remove();
}
