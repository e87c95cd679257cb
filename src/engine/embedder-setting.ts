import { type EmbedderSetting, MnemisError } from '../errors/index.ts';
import type { EmbedderProfile } from '../inference/onnx/profile.ts';
import type { EmbeddingFingerprint } from '../model/embedding-fingerprint.ts';
import { BUNDLED_EMBEDDERS } from './models/bundled-embedders.ts';
import { embedderReference, type ModelReference } from './models/model-reference.ts';

/** What the bundled embedders give where nothing else is asked for. */
const BUNDLED_DIMENSION = 256;

/** What opens the embedder of a fingerprint by name, or null for one that is not of this package. */
export function embedderSetting({ model, dimension }: EmbeddingFingerprint): EmbedderSetting | null {
  const bundled = Object.keys(BUNDLED_EMBEDDERS).find((name) => model.startsWith(`${name}-`));
  if (bundled !== undefined) return settingOf(bundled, dimension, BUNDLED_DIMENSION);
  // Full and half precision share a fingerprint; the others stand at its end, where a setting has a colon.
  for (const name of [model, `${model}:fp32`, `${model}:fp16`, model.replace(/-([^-]+)$/, ':$1')]) {
    const reference = referenceOf(name);
    if (reference !== null && modelOf(reference) === model)
      return settingOf(name, dimension, reference.profile.dimension);
  }
  return null;
}

function settingOf(name: string, dimension: number, own: number): EmbedderSetting {
  return dimension === own ? { name } : { name, dimension };
}

function referenceOf(name: string): ModelReference<EmbedderProfile> | null {
  try {
    return embedderReference(name);
  } catch (error) {
    if (MnemisError.isInstance(error)) return null;
    throw error;
  }
}

function modelOf({ profile, precision }: ModelReference): string {
  return precision === 'fp32' || precision === 'fp16' ? profile.name : `${profile.name}-${precision}`;
}
