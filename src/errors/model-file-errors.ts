import { defineError } from './mnemis-error.ts';

/** A requested model is missing on this machine or incomplete. */
export class ModelMissingError extends defineError(
  'model-missing' /** `missing`: paths of the missing files, for the message. */,
  (name: string, folder: string, missing: readonly string[] = [], command = `mnemis models pull ${name}`) => {
    const lacking = missing.length === 0 ? '' : ` (missing: ${missing.join(', ')})`;
    return {
      message: `The model ${name} is incomplete in ${folder}${lacking}; nothing was fetched or changed. Fetch it with: ${command}`,
    };
  },
) {}

/** A model file differs from the published one. */
export class ModelCorruptError extends defineError('model-corrupt', (file: string, finding: string) => ({
  message: `${file} is not what was published: ${finding}. It was deleted; the model’s other files are kept. Fetch it again; if that fails in the same way, choose another mirror.`,
})) {}

/** A model's folder cannot be used. */
export class ModelFilesError extends defineError(
  'model-files' /** `advice`: what to do, if the default does not apply. */,
  (
    path: string,
    reason: string,
    {
      advice = 'remove the cause, or set modelsFolder to another folder',
      cause,
    }: { advice?: string; cause?: unknown } = {},
  ) => ({
    message: `${path} cannot be used: ${reason}. Existing files are kept; ${advice}.`,
    cause,
  }),
) {}

/** A bundled model has no files to fetch, verify or remove. */
export class ModelBundledError extends defineError('model-bundled', (name: string) => ({
  message: `The model ${name} comes with the package: there is nothing to fetch, verify or remove, and nothing was changed. Use it by its name.`,
})) {}

/** A model was called after it was closed. */
export class ModelClosedError extends defineError('model-closed', (model: string, cause?: unknown) => ({
  message: `The model ${model} was closed before this call ended; nothing of the call was kept. Load it again.`,
  cause,
})) {}

/**
 * A model's files exist but cannot be used: damaged, of another model, or of a shape that its profile does not
 * describe.
 */
export class ModelFaultError extends defineError(
  'model-fault',
  (model: string, what: string, cause?: unknown) => ({
    message: `The model ${model} cannot be used: ${what}. Memory was not changed; check its files with: mnemis models verify ${model}`,
    cause,
  }),
) {}

/** A device selected by name cannot run the model. */
export class DeviceFailedError extends defineError(
  'device-failed',
  (device: string, reason: string, cause?: unknown) => ({
    message: `The device ${device} cannot run the model: ${reason}. Nothing was loaded; choose another device, or "auto", which falls back to the processor.`,
    cause,
  }),
) {}

/** The optional ONNX runtime is not installed, or its native library does not load. */
export class RuntimeMissingError extends defineError(
  'runtime-missing',
  (reason: string, cause?: unknown) => ({
    message: `ONNX models need the package onnxruntime-node, which is not usable here (${reason}). Everything else works without it. Install it (288 MB) with: npm install onnxruntime-node --ignore-scripts (add -g if mnemis is installed globally). Its install script would only fetch CUDA's libraries; docs/models.md explains how to add them`,
    cause,
  }),
) {}

/** A server does not know the language model of that name, or is not a model server. */
export class UnknownModelError extends defineError('unknown-model', (model: string) => ({
  message: `The server does not know ${model}. What was done before is kept; check the model's name (with Ollama, pull it first) and the base URL (OpenAI-compatible ones end in /v1).`,
})) {}

/** The model source does not have the requested file, or its answer is invalid. */
export class HubRefusalError extends defineError('hub-refusal', (what: string, cause?: unknown) => ({
  message: `${what}. Completely fetched files are kept; check the model’s name, its revision and the setting modelsMirror.`,
  cause,
})) {}

const WITHOUT_NETWORK =
  'Without a network, copy the model from a disk, such as the models’ folder of another machine: mnemis models pull NAME --mirror FOLDER.';

/** The model source did not answer, or its answer was incomplete; a retry may help. */
export class HubUnavailableError extends defineError(
  'hub-unavailable',
  (
    what: string,
    {
      retryAfter = 0,
      unreachable = false,
      cause,
    }: { retryAfter?: number; unreachable?: boolean; cause?: unknown } = {},
  ) => ({
    message: `${what}. What was fetched is kept; the same command resumes there.${unreachable ? ` ${WITHOUT_NETWORK}` : ''}`,
    cause,

    /** The wait that the answer asked for, in milliseconds. */
    retryAfter,

    /** True if no connection was established, so that long retrying helps little. */
    unreachable,

    /** The message without its advice. */
    what,
  }),
) {}

/** The operation needs the network, and the settings forbid it. */
export class OfflineError extends defineError('offline', (what: string) => ({
  message: `${what} needs the network, and the setting offline forbids it; nothing was done. Set modelsMirror to a folder that holds the model, or set offline to false.`,
})) {}

/** An embedder broke its contract: a wrong number of vectors, or vectors of another dimension than declared. */
export class EmbedderFaultError extends defineError('embedder-fault', (what: string) => ({
  message: `The embedder returned ${what}. Nothing of this write was stored; check the embedder that the engine was opened with.`,
  what,
})) {}

/** A model ordered known sentences wrongly: its weights, files or settings do not match its profile. */
export class SelfCheckFailedError extends defineError(
  'self-check-failed',
  (model: string, wrong: number, checks: number, cause?: unknown) => ({
    message: `The model ${model} failed ${wrong} of ${checks} self-checks, so its results cannot be trusted; it was not loaded. Fetch it again with: mnemis models pull ${model}`,
    cause,
  }),
) {}

/** A file that ships with the package is missing or damaged. */
export class BundledFileError extends defineError(
  'bundled-file',
  (file: string, finding: string, cause?: unknown) => ({
    message: `${file}, which ships with mnemis, ${finding}. No memory was touched; install the package again (in a checkout: git restore models). Where a bundler or a deployment left its files behind, copy node_modules/mnemis/models, or set MNEMIS_DATA to the folder that holds "models" (docs/deploy.md).`,
    cause,
  }),
) {}

interface PackageMissingDetails {
  /** Default: that it is not installed. */
  readonly state?: string;
  /** Default: `npm install NAME`. */
  readonly command?: string;
  readonly cause?: unknown;
}

/** An optional package is needed, and is not installed or does not load. */
export class PackageMissingError extends defineError(
  'package-missing',
  (purpose: string, packages: string, details: PackageMissingDetails = {}) => {
    const names = packages.split(' ');
    const {
      state = names.length === 1 ? 'is not installed' : 'are not both installed',
      command = `npm install ${packages}`,
      cause,
    } = details;
    return {
      message: `${purpose} needs ${names.join(' and ')}, which ${state}; nothing was changed. Install it with: ${command} (add -g if mnemis is installed globally)`,
      cause,

      /** Names of packages, separated by spaces. */
      packages,
    };
  },
) {}
