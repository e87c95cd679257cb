import { ModelMissingError } from '../../errors/index.ts';
import type { Embedder } from '../../inference/embedder.ts';
import { missingFiles, modelHome } from '../../inference/hub/installed-model.ts';
import type { Device, DeviceChoice } from '../../inference/onnx/onnx-runtime.ts';
import { filesOf } from '../../inference/onnx/profile.ts';
import type { Reranker } from '../../inference/reranker.ts';
import type { Logger } from '../engine-context.ts';
import { BUNDLED_EMBEDDERS } from './bundled-embedders.ts';
import { deviceLogIn } from './device-log.ts';
import {
  describeReference,
  embedderReference,
  isBundled,
  type ModelReference,
  rerankerReference,
} from './model-reference.ts';

export interface OpenModelOptions {
  /** The model’s name, with `:precision` where it is not the default one: `bge-m3`, `bge-m3:fp16`. */
  readonly name: string;
  /** Holds a folder per model, named like it: as `mnemis models pull` makes it, or with files put there by hand. */
  readonly modelsFolder: string;
  /** Default `auto`: the first accelerator that works, else the processor. */
  readonly device?: DeviceChoice | undefined;
  /** Default: warnings go to standard error. */
  readonly logger?: Logger | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface OpenEmbedderOptions extends OpenModelOptions {
  /** Default: the model’s own. Models trained for it (Matryoshka) can give fewer numbers; `hashing` any from 16 to 4096. */
  readonly dimension?: number | undefined;
}

/** To be closed by whoever opened it: the engine does not. */
export interface OpenedEmbedder extends Embedder, AsyncDisposable {
  /** Where it runs. */
  readonly device: Device;
  close(): Promise<void>;
}

export interface OpenedReranker extends Reranker, AsyncDisposable {
  readonly device: Device;
  close(): Promise<void>;
}

/**
 * Opens an embedder by name, from files on this machine; never fetches anything.
 *
 * ```ts
 * await using embedder = await openEmbedder({ name: 'bge-m3', modelsFolder: '/data/models' });
 * const engine = await Mnemis.open({ path: 'memory.db', embedder });
 * ```
 *
 * @throws UnknownNameError, InvalidInputError, ModelMissingError (names the command that fetches it),
 *   RuntimeMissingError (says what to install), ModelFaultError, SelfCheckFailedError, DeviceFailedError, CancelledError
 */
export async function openEmbedder(options: OpenEmbedderOptions): Promise<OpenedEmbedder> {
  const { name, dimension } = options;
  if (isBundled(name)) return closable(await BUNDLED_EMBEDDERS[name](dimension));
  const reference = embedderReference(name);
  const { profile } = reference;
  const load = await loadOptions(reference, options);
  const { OnnxEmbedder } = await import('../../inference/onnx/onnx-embedder.ts'); // heavy, and most never need it
  return OnnxEmbedder.load({ ...load, profile, dimension });
}

/** Opens a reranker as `openEmbedder` does an embedder, with the same errors. */
export async function openReranker(options: OpenModelOptions): Promise<OpenedReranker> {
  const reference = rerankerReference(options.name);
  const load = await loadOptions(reference, options);
  const { OnnxReranker } = await import('../../inference/onnx/onnx-reranker.ts');
  return OnnxReranker.load({ ...load, profile: reference.profile });
}

async function loadOptions(reference: ModelReference, options: OpenModelOptions) {
  const { modelsFolder, device, logger, signal } = options;
  const { profile, precision } = reference;
  const folder = modelHome(modelsFolder, profile.name);
  const files = filesOf(profile, precision);
  // Sizes too, where a manifest states them: a runtime’s words about half a file help nobody.
  const missing = await missingFiles(folder, files);
  if (missing.length > 0) {
    const command = `mnemis models pull ${describeReference(reference)}`;
    throw new ModelMissingError(profile.name, folder, missing, command);
  }
  return { folder, precision, device, deviceLog: deviceLogIn(modelsFolder), logger, signal };
}

/** What comes with the package holds nothing that must be freed. */
function closable(embedder: Embedder): OpenedEmbedder {
  return {
    fingerprint: embedder.fingerprint,
    device: 'cpu',
    embed: (texts, options) => embedder.embed(texts, options),
    close: async () => undefined,
    [Symbol.asyncDispose]: async () => undefined,
  };
}
