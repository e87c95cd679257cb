import { OnnxEmbedder } from '../../../src/inference/onnx/onnx-embedder.ts';
import type { DeviceChoice } from '../../../src/inference/onnx/onnx-runtime.ts';
import { type Behaviour, scriptedRuntime } from '../../fakes/onnx/scripted-runtime.ts';
import { tinyEmbedderProfile } from '../../fakes/onnx/tiny-models.ts';

/** Loads a model in a separate process, which a device may crash; prints the outcome. */
const [folder, deviceLog, choice, behaviour] = process.argv.slice(2) as [
  string,
  string,
  DeviceChoice,
  Behaviour,
];
const warnings: string[] = [];
const runtime = await scriptedRuntime({ webgpu: behaviour });
const outcome = await OnnxEmbedder.load({
  profile: tinyEmbedderProfile,
  folder,
  device: choice,
  deviceLog,
  runtime,
  logger: { warn: (message) => warnings.push(message) },
}).then(
  ({ device }) => ({ device }),
  ({ code, message }: { code: string; message: string }) => ({ code, message }),
);
process.stdout.write(JSON.stringify({ ...outcome, warnings, opened: runtime.opened }));
