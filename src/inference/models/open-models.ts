import { join, resolve } from 'node:path';
import { z } from 'zod';
import { InvalidInputError, ModelMissingError } from '../../errors/index.ts';
import type { Logger } from '../../model/logger.ts';
import { describeIssues } from '../../util/describe-issues.ts';
import { modelsFolderIn } from '../../util/files.ts';
import type { Embedder } from '../embedder.ts';
import { missingFiles, modelHome } from '../hub/installed-model.ts';
import { OWN_CONTEXT_TOKENS } from '../language-model/backends/local.ts';
import type { Device, DeviceChoice } from '../onnx/onnx-runtime.ts';
import { filesOf } from '../onnx/profile.ts';
import type { Reranker } from '../reranker.ts';
import {
  BUNDLED_EMBEDDERS,
  DEVICE_CHOICES,
  embedderReference,
  isBundled,
  localModelIn,
  type ModelReference,
  rerankerReference,
} from './model-reference.ts';
import { shippedHome } from './shipped-model.ts';

/** Holds a folder per model; by default the command line’s. Always absolute. */
export const modelsFolderSchema = z
  .string({ error: 'must be a path' })
  .trim()
  .min(1, 'must be a path')
  .max(4096)
  .default(() => modelsFolderIn())
  .transform((folder) => resolve(folder));

/** A name, or the path of a chat model's file. */
export const modelNameSchema = z.string({ error: 'must be a model’s name' }).max(4096);

export const signalSchema = z.instanceof(AbortSignal, { error: 'must be an AbortSignal' }).optional();

const openSchema = z.object({
  name: modelNameSchema,
  modelsFolder: modelsFolderSchema,
  device: z.enum(DEVICE_CHOICES, { error: `must be one of ${DEVICE_CHOICES.join(', ')}` }).optional(),
  logger: z.custom<Logger>(isLogger, { error: 'must be an object with a method warn' }).optional(),
  signal: signalSchema,
  dimension: z.int({ error: 'must be a whole number' }).min(1).optional(),
});

const rerankerSchema = openSchema.extend({
  contextTokens: z.int().min(256).max(100_000_000).default(OWN_CONTEXT_TOKENS),
  runtime: z.string().min(1).max(4096).optional(),
});

type CheckedOpenOptions = z.output<typeof openSchema>;

/** @throws InvalidInputError, without the values. */
export function checkOptions<Output>(schema: z.ZodType<Output>, options: unknown): Output {
  const parsed = schema.safeParse(options);
  if (parsed.success) return parsed.data;
  throw new InvalidInputError(`The model’s options are not valid: ${describeIssues(parsed.error)}`);
}

function isLogger(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'warn' in value && typeof value.warn === 'function';
}

/**
 * Which model is opened, and where it runs. When `signal` fires, nothing is loaded (CancelledError).
 */
export interface OpenModelOptions {
  /** The model’s name, with `:precision` where it is not the default one: `bge-m3`, `bge-m3:fp16`. */
  readonly name: string;
  /**
   * Holds a folder per model, with the model’s name: created by `mnemis models pull` or by hand. Default: the
   * command line’s, `models` in the user’s data folder. The environment is not read: if XDG_DATA_HOME,
   * LOCALAPPDATA or MNEMIS_MODELS_FOLDER change it for the command line, name it here.
   */
  readonly modelsFolder?: string | undefined;
  /** Default `auto`: the first accelerator that works, else the processor. */
  readonly device?: DeviceChoice | undefined;
  /** Default: warnings go to standard error. */
  readonly logger?: Logger | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Which embedder `openEmbedder` opens: one of files, or `static` or `hashing`, which come with the package and need
 * neither folder nor device. A memory is bound to its embedder and dimension.
 */
export interface OpenEmbedderOptions extends OpenModelOptions {
  /** Default: the model’s own. Models trained for it (Matryoshka) can give fewer numbers; `hashing` any from 16 to 4096. */
  readonly dimension?: number | undefined;
}

/**
 * Which reranker `openReranker` opens: a cross-encoder of files, or by `local:NAME` or `local:/path/to/model.gguf` a chat
 * model of this computer, which says yes or no to each candidate. A chat model is loaded by the first call, into the
 * process that other uses of the same file and context have.
 */
export interface OpenRerankerOptions extends OpenModelOptions {
  /** Of a chat model: tokens of a prompt and a reply together; as in `createLanguageModel`. Default 8192. */
  readonly contextTokens?: number | undefined;
  /** Of a chat model: import name of the package that runs it. Default `node-llama-cpp`. */
  readonly runtime?: string | undefined;
}

/** The engine does not close it: its opener does. */
export interface OpenedEmbedder extends Embedder, AsyncDisposable {
  /** Where it runs. */
  readonly device: Device;
  close(): Promise<void>;
}

/**
 * A reranker that holds its model until `close`. The engine does not close it: its opener does, after closing
 * the engine.
 */
export interface OpenedReranker extends Reranker, AsyncDisposable {
  /** Where it runs: `cpu`, or an accelerator. */
  readonly device: string;
  close(): Promise<void>;
}

/**
 * Opens an embedder by name, from files on this machine; never fetches anything.
 *
 * ```ts
 * await using embedder = await openEmbedder({ name: 'bge-m3' });
 * const engine = await Mnemis.open({ path: 'memory.db', embedder });
 * ```
 *
 * @throws UnknownNameError, InvalidInputError, ModelMissingError (names the command that fetches it),
 *   RuntimeMissingError (says what to install), ModelFaultError, SelfCheckFailedError, DeviceFailedError, CancelledError
 */
export async function openEmbedder(options: OpenEmbedderOptions): Promise<OpenedEmbedder> {
  const checked = checkOptions(openSchema, options);
  const { name, dimension } = checked;
  if (isBundled(name)) return closable(await BUNDLED_EMBEDDERS[name](dimension));
  const reference = embedderReference(name);
  const { profile } = reference;
  const load = await loadOptions(reference, checked);
  const { OnnxEmbedder } = await import('../onnx/onnx-embedder.ts'); // heavy, and rarely needed
  return OnnxEmbedder.load({ ...load, profile, dimension });
}

/**
 * Opens a reranker as `openEmbedder` does an embedder, with the same errors. Of a chat model only the file is looked for;
 * its calls throw PackageMissingError without the package that runs it, and ModelProcessError.
 */
export async function openReranker(options: OpenRerankerOptions): Promise<OpenedReranker> {
  const checked = checkOptions(rerankerSchema, options);
  const local = localModelIn(checked.name);
  if (local !== null) {
    const { sharedModel } = await import('../llama/model-hosts.ts');
    const { judgingReranker } = await import('../llama/judging-reranker.ts');
    return judgingReranker({ ...sharedModel(local, checked), contextTokens: checked.contextTokens });
  }
  const reference = rerankerReference(checked.name);
  const load = await loadOptions(reference, checked);
  const { OnnxReranker } = await import('../onnx/onnx-reranker.ts');
  return OnnxReranker.load({ ...load, profile: reference.profile });
}

async function loadOptions(reference: ModelReference, options: CheckedOpenOptions) {
  const { modelsFolder, device, logger, signal } = options;
  const { profile, precision } = reference;
  const own = modelHome(modelsFolder, profile.name);
  const files = filesOf(profile, precision);
  // Compares sizes with the manifest too: the runtime’s error for a half file is unclear.
  const missing = await missingFiles(own, files);
  const folder = missing.length === 0 ? own : shippedHome(reference);
  if (folder === null)
    throw new ModelMissingError(profile.name, own, missing, pullCommand(reference, modelsFolder));
  return { folder, precision, device, deviceLog: deviceLogIn(modelsFolder), logger, signal };
}

/** File in the models’ folder that remembers which devices failed on this machine. */
export function deviceLogIn(modelsFolder: string): string {
  return join(modelsFolder, '.devices.json');
}

/** Names the folder unless it is the command’s default. */
function pullCommand({ profile, precision }: ModelReference, modelsFolder: string): string {
  const name = precision === profile.defaultPrecision ? profile.name : `${profile.name}:${precision}`;
  const command = `mnemis models pull ${name}`;
  if (modelsFolder === modelsFolderIn()) return command;
  return `${command} --models-folder ${/\s/.test(modelsFolder) ? `"${modelsFolder}"` : modelsFolder}`;
}

/** Bundled embedders hold no resources. */
function closable(embedder: Embedder): OpenedEmbedder {
  const { fingerprint, meaning } = embedder;
  return {
    fingerprint,
    ...(meaning === undefined ? {} : { meaning }),
    device: 'cpu',
    embed: (texts, options) => embedder.embed(texts, options),
    close: async () => undefined,
    [Symbol.asyncDispose]: async () => undefined,
  };
}
