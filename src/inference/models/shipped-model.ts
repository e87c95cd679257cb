import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { packageFile } from '../../util/files.ts';
import { loadOnnxRuntime } from '../onnx/load-runtime.ts';
import { filesOf } from '../onnx/profile.ts';
import { type ModelReference, modelReference } from './model-reference.ts';

/** The embedder that builds of the app carry where they had its files, and that the command line offers to fetch. */
export const SHIPPED_EMBEDDER = 'all-minilm-l6-v2:int8';

/** Whether this installation came with it. */
export function isModelShipped(): boolean {
  return shippedHome(modelReference(SHIPPED_EMBEDDER)) !== null;
}

/** Whether the optional package that runs models of files can be used here. */
export function canRunModels(): Promise<boolean> {
  return loadOnnxRuntime().then(
    () => true,
    () => false,
  );
}

/** The folder of a model that came with this installation; null without all of its files. */
export function shippedHome({ profile, precision }: ModelReference): string | null {
  const home = packageFile(join('models', profile.name));
  const files = filesOf(profile, precision);
  return home !== null && files.every((file) => existsSync(join(home, file))) ? home : null;
}
