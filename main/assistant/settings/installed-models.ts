import { CancelledError, ModelBundledError } from '../../../src/errors/index.ts';
import { defineError } from '../../../src/errors/mnemis-error.ts';
import {
  listModels,
  removeInstalled,
  verifyInstalled,
} from '../../../src/inference/models/model-catalogue.ts';
import {
  BUNDLED_ENTRIES,
  DEFAULT_EMBEDDER,
  isBundled,
  modelReference,
} from '../../../src/inference/models/model-reference.ts';
import { isModelShipped, SHIPPED_EMBEDDER } from '../../../src/inference/models/shipped-model.ts';
import type { Config } from '../../config.ts';
import type { EmbedderEntry, OutputOf } from '../../contract.ts';
import { shippedModelProblem } from './shipped-model.ts';

/** Embedders and rerankers: the bundled ones, then one entry per model and precision. */
export async function listedModels(config: Config): Promise<EmbedderEntry[]> {
  const { modelsFolder, embedder, reranker } = config;
  const used = new Set([embedder, reranker].map(wholeName));
  const bundled = BUNDLED_ENTRIES.map(({ name, kind, dimension, megabytes, licence }) => ({
    name,
    kind,
    dimension,
    megabytes,
    licence,
    isBundled: true,
    isInstalled: true,
    isUsed: used.has(name),
  }));
  const models = (await listModels(modelsFolder)).flatMap(({ name, kind, dimension, licence, variants }) =>
    kind === 'chat'
      ? []
      : variants.map(({ precision, isDefault, megabytes, installed }) => ({
          name: isDefault ? name : `${name}:${precision}`,
          kind,
          dimension,
          megabytes,
          licence,
          isBundled: `${name}:${precision}` === SHIPPED_EMBEDDER && isModelShipped(),
          isInstalled: installed,
          isUsed: used.has(`${name}:${precision}`),
        })),
  );
  return [...bundled, ...models];
}

/** The model that came with the app, where memory uses the table instead; null otherwise. */
export async function unusedModel(config: Config): Promise<OutputOf<'embedders'>['unused']> {
  if (!isModelShipped() || config.embedder !== DEFAULT_EMBEDDER) return null;
  return { name: SHIPPED_EMBEDDER, problem: await shippedModelProblem(config) };
}

/** @throws UnknownNameError, ModelBundledError, ModelFilesError, CancelledError */
export async function verifyModel(
  { modelsFolder }: Config,
  name: string,
  signal: AbortSignal | undefined,
): Promise<OutputOf<'verifyEmbedder'>> {
  const model = folderName(name);
  try {
    const files = await verifyInstalled(modelsFolder, model, signal);
    const damaged = (files ?? []).filter(({ state }) => state !== 'whole').map(({ path }) => path);
    return { name, isWhole: files === null ? null : damaged.length === 0, damaged };
  } catch (error) {
    throw signal?.aborted ? new CancelledError('nothing was changed', error) : error;
  }
}

/**
 * Removes a model in all its precisions, which share a folder.
 *
 * @throws ModelInUseError, UnknownNameError, ModelBundledError, ModelFilesError: nothing was removed.
 */
export async function removeModel(config: Config, name: string): Promise<OutputOf<'removeEmbedder'>> {
  const model = folderName(name);
  const used = [config.embedder, config.reranker].filter((each) => each !== 'none' && !isBundled(each));
  if (used.some((each) => folderName(each) === model)) throw new ModelInUseError(model);
  const { bytes } = await removeInstalled(config.modelsFolder, model);
  return { name, bytes };
}

function wholeName(name: string): string {
  if (name === 'none' || isBundled(name)) return name;
  const { profile, precision } = modelReference(name);
  return `${profile.name}:${precision}`;
}

function folderName(name: string): string {
  if (isBundled(name)) throw new ModelBundledError(name);
  return modelReference(name).profile.name;
}

/** A model that the engine runs cannot be removed. */
export class ModelInUseError extends defineError('model-in-use', (name: string) => ({
  message: `The model ${name} is in use, so nothing was removed. Choose another embedder or reranker first.`,
})) {}
