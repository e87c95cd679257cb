import { type EmbedderSetting, EmbeddingMismatchError, MnemisError } from '../errors/index.ts';
import type { Embedder } from '../inference/embedder.ts';
import {
  BUNDLED_EMBEDDERS,
  embedderReference,
  type ModelReference,
} from '../inference/models/model-reference.ts';
import { countEmbeddableTexts } from '../ingest/write/embed-nodes.ts';
import type { Logger } from '../model/logger.ts';
import type { EmbeddingFingerprint } from '../model/nodes.ts';
import { embeddingModel, type GraphStore, sameFingerprint } from '../store/graph-store.ts';

/** The default dimension of the bundled embedders. */
const BUNDLED_DIMENSION = 256;

/** The setting that opens the embedder of a fingerprint; null for an embedder of another package. */
export function embedderSetting({ model, dimension }: EmbeddingFingerprint): EmbedderSetting | null {
  const bundled = Object.keys(BUNDLED_EMBEDDERS).find((name) => model.startsWith(`${name}-`));
  if (bundled !== undefined) return settingOf(bundled, dimension, BUNDLED_DIMENSION);
  // Full and half precision share a fingerprint; the others are its suffix, where a setting has a colon.
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

function referenceOf(name: string): ReturnType<typeof embedderReference> | null {
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

export interface MatchOptions {
  readonly whenEmbedderDiffers: 'refuse' | 'words-only';
  readonly logger: Logger;
}

/**
 * Whether searches may compare the embedder's vectors with those of the memory. A memory without vectors
 * adopts the embedder's fingerprint.
 *
 * @throws EmbeddingMismatchError if they may not and `whenEmbedderDiffers` is `refuse`.
 */
export async function matchEmbedder(
  store: GraphStore,
  { fingerprint }: Embedder,
  { whenEmbedderDiffers, logger }: MatchOptions,
): Promise<boolean> {
  if (await takes(store, fingerprint)) {
    warnOfUnfinishedMove(store, logger);
    return true;
  }
  const found = embeddingModel(store.describe().fingerprint!);
  const wanted = embeddingModel(fingerprint);
  if (whenEmbedderDiffers === 'refuse')
    throw new EmbeddingMismatchError(found, wanted, {
      move: await unfinishedMove(store, fingerprint),
      madeWith: embedderSetting(store.describe().fingerprint!),
    });
  // New rows have vectors of this embedder only; a later open with the other embedder must know that.
  await store.setNextFingerprint(fingerprint);
  logger.warn(
    `The memory was embedded with ${found}: until it is moved to ${wanted}, searches use words only.`,
  );
  return false;
}

/** Only the store knows whether it holds a vector. */
async function takes(store: GraphStore, fingerprint: EmbeddingFingerprint): Promise<boolean> {
  const found = store.describe().fingerprint;
  if (found !== null && sameFingerprint(found, fingerprint)) return true; // writes nothing, so a full disk does not matter
  try {
    await store.setFingerprint(fingerprint);
    return true;
  } catch (error) {
    if (EmbeddingMismatchError.isInstance(error)) return false;
    throw error;
  }
}

async function unfinishedMove(store: GraphStore, to: EmbeddingFingerprint) {
  const { nextFingerprint } = store.describe();
  if (nextFingerprint === null || !sameFingerprint(nextFingerprint, to)) return null;
  let [done, total] = [0, 0];
  for (const scope of await store.scopes()) {
    done += (await store.countEmbeddings(scope)).get(embeddingModel(to)) ?? 0;
    total += countEmbeddableTexts(await store.count(scope));
  }
  return { done, total };
}

function warnOfUnfinishedMove(store: GraphStore, logger: Logger): void {
  const { fingerprint, nextFingerprint } = store.describe();
  if (fingerprint === null || nextFingerprint === null) return;
  logger.warn(
    sameFingerprint(fingerprint, nextFingerprint)
      ? 'Vectors of a former embedder are still in the file; "mnemis reembed" removes them.'
      : `A move to ${embeddingModel(nextFingerprint)} was started but not completed; the memory still uses ${embeddingModel(fingerprint)}. "mnemis reembed" completes it, with either embedder.`,
  );
}
