import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import {
  CancelledError,
  InvalidInputError,
  MnemisError,
  ModelClosedError,
  ModelFaultError,
  ModelMissingError,
} from '../../errors/index.ts';
import { refuseIfAborted } from '../embedder.ts';
import { type Encoding, padBatch, planBatches, type Span } from './batches.ts';
import { DeviceLog, startOnDevice } from './devices.ts';
import { loadOnnxRuntime } from './load-runtime.ts';
import {
  type Device,
  type DeviceChoice,
  type Logger,
  type OnnxRuntime,
  type OnnxSession,
  type RunOptions,
  reasonOf,
  type SessionOutput,
  type TensorInfo,
} from './onnx-runtime.ts';
import { OnnxTokenizer } from './onnx-tokenizer.ts';
import { filesOf, type ModelProfile, type Precision, TOKENIZER_FILES } from './profile.ts';

/** Tokens per run: on a processor, more leave its caches, and an urgent run waits longer. */
export const BATCH_TOKENS = { processor: 512, accelerator: 16_384 };

export interface LoadOptions<Profile extends ModelProfile> {
  readonly profile: Profile;
  /** Holds the repository's files, at their paths or side by side. */
  readonly folder: string;
  /** Default: `auto`. */
  readonly device?: DeviceChoice | undefined;
  /** Default: the profile's. */
  readonly precision?: Precision | undefined;
  /** File that remembers which devices failed (see `DeviceLog`). Without it, a crash is not remembered. */
  readonly deviceLog?: string | undefined;
  /** Default: warnings go to standard error. */
  readonly logger?: Logger | undefined;
  readonly signal?: AbortSignal | undefined;
  /** `once` (the default): when files, device or profile are new. */
  readonly selfCheck?: 'once' | 'skip' | undefined;
  /** Tokens in one run, padding included. */
  readonly batchTokens?: number | undefined;
  /** For tests. Default: the package `onnxruntime-node`. */
  readonly runtime?: OnnxRuntime | undefined;
}

/** The result of one batch: its rows' positions in the list, and the place of their tokens in the output. */
export interface BatchResult {
  readonly rows: readonly number[];
  readonly spans: readonly Span[];
  readonly output: SessionOutput;
}

interface Parts {
  readonly profile: ModelProfile;
  readonly precision: Precision;
  readonly paths: ModelPaths;
  readonly tokenizer: OnnxTokenizer;
  readonly session: OnnxSession;
  readonly batchTokens: number;
}

export class OpenModel {
  readonly profile: ModelProfile;
  readonly precision: Precision;
  readonly paths: ModelPaths;
  readonly tokenizer: OnnxTokenizer;
  readonly #session: OnnxSession;
  readonly #batchTokens: number;
  #closed = false;

  constructor(parts: Parts) {
    this.profile = parts.profile;
    this.precision = parts.precision;
    this.paths = parts.paths;
    this.tokenizer = parts.tokenizer;
    this.#session = parts.session;
    this.#batchTokens = parts.batchTokens;
  }

  get device(): Device {
    return this.#session.device;
  }

  get outputs(): readonly TensorInfo[] {
    return this.#session.outputs;
  }

  /**
   * Runs rows in batches of similar length; batches of calls that overlap take turns, urgent ones first. The signal is
   * polled before each. One batch waits while another runs, so that the session never waits for this thread.
   *
   * @throws CancelledError, ModelClosedError, ModelFaultError
   */
  async *run(encodings: readonly Encoding[], options: RunRowsOptions): AsyncGenerator<BatchResult> {
    const lengths = encodings.map(({ ids }) => ids.length);
    const begun: Promise<BatchResult>[] = [];
    for (const { rows } of planBatches(lengths, this.#batchTokens)) {
      refuseIfAborted(options.signal);
      if (this.#closed) throw new ModelClosedError(this.profile.name);
      const result = this.#runBatch(rows, encodings, options);
      result.catch(() => undefined); // reported when it is its turn
      begun.push(result);
      if (begun.length > 1) yield await begun.shift()!;
    }
    for (const result of begun) yield await result;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#session.close();
  }

  async #runBatch(
    rows: readonly number[],
    encodings: readonly Encoding[],
    { output, isUrgent = false }: RunRowsOptions,
  ): Promise<BatchResult> {
    const { name, padding } = this.profile;
    const batch = padBatch(
      this.#session.inputs,
      rows.map((row) => encodings[row]!),
      { side: padding, id: this.tokenizer.padId },
    );
    if (typeof batch === 'string')
      throw new ModelFaultError(name, `its graph wants an unknown input, ${batch}`);
    try {
      return { rows, spans: batch.spans, output: await this.#session.run(batch.feeds, output, { isUrgent }) };
    } catch (cause) {
      if (this.#closed) throw new ModelClosedError(name, cause);
      throw new ModelFaultError(name, `the runtime refused a batch (${reasonOf(cause)})`, cause);
    }
  }
}

export interface RunRowsOptions extends RunOptions {
  readonly output: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Reads the tokenizer, starts a session on the requested device, and calls `build`, which runs the model
 * once, so that a device that cannot run it counts as failed.
 *
 * @throws ModelMissingError, ModelFaultError, RuntimeMissingError, DeviceFailedError, CancelledError
 */
export async function openModel<Built>(
  options: LoadOptions<ModelProfile>,
  build: (model: OpenModel) => Promise<Built>,
): Promise<Built> {
  const { profile, folder, signal } = options;
  const precision = precisionOf(options);
  const paths = findModel(folder, profile, precision);
  const tokenizer = await OnnxTokenizer.read({
    model: profile.name,
    tokenizer: paths.tokenizer,
    config: paths.config,
    maxTokens: profile.maxTokens,
    endToken: profile.kind === 'embedder' ? profile.endToken : undefined,
  });
  const runtime = options.runtime ?? (await loadOnnxRuntime());
  return startOnDevice({
    runtime,
    choice: options.device ?? 'auto',
    log: new DeviceLog(options.deviceLog ?? null, runtime.version),
    logger: options.logger ?? { warn: (message) => process.emitWarning(message, 'MnemisWarning') },
    model: `${profile.name}/${precision}`,
    start: async (device) => {
      if (signal?.aborted) throw new CancelledError('no model was loaded', signal.reason);
      const session = await runtime.open(paths.graph, device).catch((cause: unknown) => {
        // The processor runs every valid graph, so what it refuses is a damaged file; elsewhere the device has failed.
        if (device !== 'cpu' || MnemisError.isInstance(cause)) throw cause;
        const finding = `the runtime cannot read ${paths.graph} (${reasonOf(cause)})`;
        throw new ModelFaultError(profile.name, finding, cause);
      });
      const batchTokens =
        options.batchTokens ?? (device === 'cpu' ? BATCH_TOKENS.processor : BATCH_TOKENS.accelerator);
      const model = new OpenModel({ profile, precision, paths, tokenizer, session, batchTokens });
      return build(model).catch(async (error: unknown) => {
        await model.close();
        throw error;
      });
    },
  });
}

function precisionOf({
  profile,
  precision = profile.defaultPrecision,
}: LoadOptions<ModelProfile>): Precision {
  if (profile.variants[precision] !== undefined) return precision;
  throw new InvalidInputError(
    `The model ${profile.name} has no precision ${precision}; it has ${Object.keys(profile.variants).join(', ')}`,
  );
}

export interface ModelPaths {
  readonly graph: string;
  readonly tokenizer: string;
  readonly config: string;
  readonly all: readonly string[];
}

/**
 * Finds a model's files in a folder that mirrors the repository, or that holds them side by side.
 *
 * @throws ModelMissingError, which names the command that fetches it.
 */
export function findModel(folder: string, profile: ModelProfile, precision: Precision): ModelPaths {
  const found = new Map<string, string>();
  for (const file of filesOf(profile, precision)) {
    const places = [join(folder, file), join(folder, basename(file))];
    const path = places.find((place) => existsSync(place));
    if (path === undefined) throw new ModelMissingError(profile.name, folder);
    found.set(file, path);
  }
  const [tokenizer, config] = TOKENIZER_FILES.map((file) => found.get(file)!);
  const graph = found.get(profile.variants[precision]!.files[0])!;
  return { graph, tokenizer: tokenizer!, config: config!, all: [...found.values()] };
}
