/** What a settings file needs to know of models: light, for every command reads settings. */
import type { DeviceChoice } from '../../inference/onnx/onnx-runtime.ts';

export { DEFAULT_EMBEDDER } from './bundled-embedders.ts';
export { embedderReference, isBundled, rerankerReference } from './model-reference.ts';

/** `auto` takes an accelerator that works, else the processor. */
export const DEVICE_CHOICES = [
  'auto',
  'cpu',
  'cuda',
  'webgpu',
  'dml',
  'coreml',
] as const satisfies readonly DeviceChoice[];

/** Whether a mirror is an address, not a folder. Two letters at least before the colon: `C:` is a disk. */
export function isAddress(mirror: string): boolean {
  return /^[a-z][a-z+.-]+:/i.test(mirror);
}
