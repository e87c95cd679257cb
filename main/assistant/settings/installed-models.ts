import { join } from 'node:path';
import { CancelledError, ModelBundledError } from '../../../src/errors/index.ts';
import { defineError } from '../../../src/errors/mnemis-error.ts';
import { chatModelNamed } from '../../../src/inference/llama/chat-models.ts';
import { closeModelOf } from '../../../src/inference/llama/model-hosts.ts';
import {
  listModels,
  type ModelEntry,
  removeInstalled,
  verifyInstalled,
} from '../../../src/inference/models/model-catalogue.ts';
import {
  BUNDLED_ENTRIES,
  DEFAULT_EMBEDDER,
  isBundled,
  localModelIn,
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
  const known = await listModels(modelsFolder);
  const models = known.flatMap(({ name, kind, dimension, licence, variants }) =>
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
  return [...bundled, ...models, ...judges(known, wholeName(reranker))];
}

/** Chat models as rerankers: those that are on the disk, and the one that is used. */
function judges(known: readonly ModelEntry[], used: string): EmbedderEntry[] {
  const common = { kind: 'reranker' as const, dimension: null, isBundled: false };
  const entries = known.flatMap(({ name, kind, licence, variants: [variant] }) => {
    const [isInstalled, isUsed] = [variant!.installed, used === `local:${name}`];
    if (kind !== 'chat' || !(isInstalled || isUsed)) return [];
    return { ...common, name: `local:${name}`, licence, megabytes: variant!.megabytes, isInstalled, isUsed };
  });
  const isOther = localModelIn(used) !== null && entries.every(({ isUsed }) => !isUsed);
  // Another file cannot be checked or removed here.
  const other = { ...common, name: used, licence: '', megabytes: 0, isInstalled: false, isUsed: true };
  return isOther ? [...entries, other] : entries;
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
  const { embedder, reranker, llmProvider, llmModel } = config;
  const chat = llmProvider === 'local' ? `local:${llmModel}` : 'none';
  const used = [embedder, reranker, chat].filter((each) => each !== 'none' && !isBundled(each));
  if (used.some((each) => !isOtherFile(each) && folderName(each) === model)) throw new ModelInUseError(model);
  const file = chatModelNamed(model)?.file;
  if (file !== undefined) await closeModelOf(join(config.modelsFolder, model, file));
  const { bytes } = await removeInstalled(config.modelsFolder, model);
  return { name, bytes };
}

function wholeName(name: string): string {
  if (name === 'none' || isBundled(name) || isOtherFile(name)) return name;
  if (localModelIn(name) !== null) return `local:${folderName(name)}`;
  const { profile, precision } = modelReference(name);
  return `${profile.name}:${precision}`;
}

function folderName(name: string): string {
  if (isBundled(name)) throw new ModelBundledError(name);
  return chatModelNamed(localModelIn(name) ?? name)?.name ?? modelReference(name).profile.name;
}

/** Whether a name is a file of a chat model that is not listed. */
function isOtherFile(name: string): boolean {
  const local = localModelIn(name);
  return local !== null && chatModelNamed(local) === undefined;
}

/** A model that the engine runs cannot be removed. */
export class ModelInUseError extends defineError('model-in-use', (name: string) => ({
  message: `The model ${name} is in use, so nothing was removed. Choose another one first.`,
})) {}
