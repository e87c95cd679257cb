import { hasCode, MnemisError } from './mnemis-error.ts';

/** A requested model is missing on this machine or incomplete. */
export class ModelMissingError extends MnemisError {
  static readonly code = 'model-missing';
  static override readonly isInstance = hasCode<ModelMissingError>(ModelMissingError.code);

  /** `missing`: paths of the missing files, for the message. */
  constructor(
    name: string,
    folder: string,
    missing: readonly string[] = [],
    command = `mnemis models pull ${name}`,
  ) {
    const lacking = missing.length === 0 ? '' : ` (missing: ${missing.join(', ')})`;
    super({
      code: ModelMissingError.code,
      message: `The model ${name} is incomplete in ${folder}${lacking}; nothing was fetched or changed. Fetch it with: ${command}`,
    });
  }
}

/** A model file differs from the published one. */
export class ModelCorruptError extends MnemisError {
  static readonly code = 'model-corrupt';
  static override readonly isInstance = hasCode<ModelCorruptError>(ModelCorruptError.code);

  constructor(file: string, finding: string) {
    super({
      code: ModelCorruptError.code,
      message: `${file} is not what was published: ${finding}. It was deleted; the model’s other files are kept. Fetch it again; if that fails in the same way, choose another mirror.`,
    });
  }
}

/** A model's folder cannot be used. */
export class ModelFilesError extends MnemisError {
  static readonly code = 'model-files';
  static override readonly isInstance = hasCode<ModelFilesError>(ModelFilesError.code);

  /** `advice`: what to do, if the default does not apply. */
  constructor(
    path: string,
    reason: string,
    {
      advice = 'remove the cause, or set modelsFolder to another folder',
      cause,
    }: { advice?: string; cause?: unknown } = {},
  ) {
    super({
      code: ModelFilesError.code,
      message: `${path} cannot be used: ${reason}. Existing files are kept; ${advice}.`,
      cause,
    });
  }
}

/** A bundled model has no files to fetch, verify or remove. */
export class ModelBundledError extends MnemisError {
  static readonly code = 'model-bundled';
  static override readonly isInstance = hasCode<ModelBundledError>(ModelBundledError.code);

  constructor(name: string) {
    super({
      code: ModelBundledError.code,
      message: `The model ${name} comes with the package: there is nothing to fetch, verify or remove, and nothing was changed. Use it by its name.`,
    });
  }
}

/** A model was called after it was closed. */
export class ModelClosedError extends MnemisError {
  static readonly code = 'model-closed';
  static override readonly isInstance = hasCode<ModelClosedError>(ModelClosedError.code);

  constructor(model: string, cause?: unknown) {
    super({
      code: ModelClosedError.code,
      message: `The model ${model} was closed before this call ended; nothing of the call was kept. Load it again.`,
      cause,
    });
  }
}

/**
 * A model's files exist but cannot be used: damaged, of another model, or of a shape that its profile does not
 * describe.
 */
export class ModelFaultError extends MnemisError {
  static readonly code = 'model-fault';
  static override readonly isInstance = hasCode<ModelFaultError>(ModelFaultError.code);

  constructor(model: string, what: string, cause?: unknown) {
    super({
      code: ModelFaultError.code,
      message: `The model ${model} cannot be used: ${what}. Memory was not changed; check its files with: mnemis models verify ${model}`,
      cause,
    });
  }
}

/** A device selected by name cannot run the model. */
export class DeviceFailedError extends MnemisError {
  static readonly code = 'device-failed';
  static override readonly isInstance = hasCode<DeviceFailedError>(DeviceFailedError.code);

  constructor(device: string, reason: string, cause?: unknown) {
    super({
      code: DeviceFailedError.code,
      message: `The device ${device} cannot run the model: ${reason}. Nothing was loaded; choose another device, or "auto", which falls back to the processor.`,
      cause,
    });
  }
}

/** The optional ONNX runtime is not installed, or its native library does not load. */
export class RuntimeMissingError extends MnemisError {
  static readonly code = 'runtime-missing';
  static override readonly isInstance = hasCode<RuntimeMissingError>(RuntimeMissingError.code);

  constructor(reason: string, cause?: unknown) {
    super({
      code: RuntimeMissingError.code,
      message: `ONNX models need the package onnxruntime-node, which is not usable here (${reason}). Everything else works without it. Install it (288 MB) with: npm install onnxruntime-node --ignore-scripts (add -g if mnemis is installed globally). Its install script would only fetch CUDA's libraries; docs/models.md explains how to add them`,
      cause,
    });
  }
}

/** A server does not know the language model of that name, or is not a model server. */
export class UnknownModelError extends MnemisError {
  static readonly code = 'unknown-model';
  static override readonly isInstance = hasCode<UnknownModelError>(UnknownModelError.code);

  constructor(model: string) {
    super({
      code: UnknownModelError.code,
      message: `The server does not know ${model}. What was done before is kept; check the model's name (with Ollama, pull it first) and the base URL (OpenAI-compatible ones end in /v1).`,
    });
  }
}

/** The model source does not have the requested file, or its answer is invalid. */
export class HubRefusalError extends MnemisError {
  static readonly code = 'hub-refusal';
  static override readonly isInstance = hasCode<HubRefusalError>(HubRefusalError.code);

  constructor(what: string, cause?: unknown) {
    super({
      code: HubRefusalError.code,
      message: `${what}. Completely fetched files are kept; check the model’s name, its revision and the setting modelsMirror.`,
      cause,
    });
  }
}

const WITHOUT_NETWORK =
  'Without a network, copy the model from a disk, such as the models’ folder of another machine: mnemis models pull NAME --mirror FOLDER.';

/** The model source did not answer, or its answer was incomplete; a retry may help. */
export class HubUnavailableError extends MnemisError {
  static readonly code = 'hub-unavailable';
  static override readonly isInstance = hasCode<HubUnavailableError>(HubUnavailableError.code);
  /** The wait that the answer asked for, in milliseconds. */
  readonly retryAfter: number;
  /** True if no connection was established, so that long retrying helps little. */
  readonly unreachable: boolean;
  /** The message without its advice. */
  readonly what: string;

  constructor(
    what: string,
    {
      retryAfter = 0,
      unreachable = false,
      cause,
    }: { retryAfter?: number; unreachable?: boolean; cause?: unknown } = {},
  ) {
    super({
      code: HubUnavailableError.code,
      message: `${what}. What was fetched is kept; the same command resumes there.${unreachable ? ` ${WITHOUT_NETWORK}` : ''}`,
      cause,
    });
    this.retryAfter = retryAfter;
    this.unreachable = unreachable;
    this.what = what;
  }
}

/** The operation needs the network, and the settings forbid it. */
export class OfflineError extends MnemisError {
  static readonly code = 'offline';
  static override readonly isInstance = hasCode<OfflineError>(OfflineError.code);

  constructor(what: string) {
    super({
      code: OfflineError.code,
      message: `${what} needs the network, and the setting offline forbids it; nothing was done. Set modelsMirror to a folder that holds the model, or set offline to false.`,
    });
  }
}

/** An embedder broke its contract: a wrong number of vectors, or vectors of another dimension than declared. */
export class EmbedderFaultError extends MnemisError {
  static readonly code = 'embedder-fault';
  static override readonly isInstance = hasCode<EmbedderFaultError>(EmbedderFaultError.code);
  readonly what: string;

  constructor(what: string) {
    super({
      code: EmbedderFaultError.code,
      message: `The embedder returned ${what}. Nothing of this write was stored; check the embedder that the engine was opened with.`,
    });
    this.what = what;
  }
}

/** A model ordered known sentences wrongly: its weights, files or settings do not match its profile. */
export class SelfCheckFailedError extends MnemisError {
  static readonly code = 'self-check-failed';
  static override readonly isInstance = hasCode<SelfCheckFailedError>(SelfCheckFailedError.code);

  constructor(model: string, wrong: number, checks: number, cause?: unknown) {
    super({
      code: SelfCheckFailedError.code,
      message: `The model ${model} failed ${wrong} of ${checks} self-checks, so its results cannot be trusted; it was not loaded. Fetch it again with: mnemis models pull ${model}`,
      cause,
    });
  }
}

/** A file that ships with the package is missing or damaged. */
export class BundledFileError extends MnemisError {
  static readonly code = 'bundled-file';
  static override readonly isInstance = hasCode<BundledFileError>(BundledFileError.code);

  constructor(file: string, finding: string, cause?: unknown) {
    super({
      code: BundledFileError.code,
      message: `${file}, which ships with mnemis, ${finding}. No memory was touched; install the package again (in a checkout: git restore models), and let a bundler leave mnemis out (external).`,
      cause,
    });
  }
}

interface PackageMissingDetails {
  /** Default: that it is not installed. */
  readonly state?: string;
  /** Default: `npm install NAME`. */
  readonly command?: string;
  readonly cause?: unknown;
}

/** An optional package is needed, and is not installed or does not load. */
export class PackageMissingError extends MnemisError {
  static readonly code = 'package-missing';
  static override readonly isInstance = hasCode<PackageMissingError>(PackageMissingError.code);
  /** Names of packages, separated by spaces. */
  readonly packages: string;

  constructor(purpose: string, packages: string, details: PackageMissingDetails = {}) {
    const names = packages.split(' ');
    const {
      state = names.length === 1 ? 'is not installed' : 'are not both installed',
      command = `npm install ${packages}`,
      cause,
    } = details;
    super({
      code: PackageMissingError.code,
      message: `${purpose} needs ${names.join(' and ')}, which ${state}; nothing was changed. Install it with: ${command} (add -g if mnemis is installed globally)`,
      cause,
    });
    this.packages = packages;
  }
}
