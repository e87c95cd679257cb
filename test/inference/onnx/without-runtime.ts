import { register } from 'node:module';

/** Simulates that the optional package is not installed, in a separate process. */
const hooks = `export function resolve(name, context, next) {
  if (name !== 'onnxruntime-node') return next(name, context);
  throw Object.assign(new Error('not found'), { code: 'ERR_MODULE_NOT_FOUND' });
}`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
const { OnnxEmbedder } = await import('../../../src/inference/onnx/onnx-embedder.ts');
const { modelReference } = await import('../../../src/inference/models/model-reference.ts');
const { tinyEmbedderProfile: profile, tinyEncoder } = await import('../../fakes/onnx/tiny-models.ts');
const folder = tinyEncoder().write();
const outcome = await OnnxEmbedder.load({ profile, folder: folder.path }).then(
  () => ({ code: 'loaded' }),
  ({ code, message }: { code: string; message: string }) => ({ code, message }),
);
folder.remove();
process.stdout.write(JSON.stringify({ ...outcome, known: modelReference('bge-m3').profile.name }));
