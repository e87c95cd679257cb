/** Where a session runs. All but `cpu` are accelerators. */
export type Device = 'cpu' | 'cuda' | 'webgpu' | 'dml' | 'coreml';

/** `auto`: the fastest that starts, the processor at worst. */
export type DeviceChoice = Device | 'auto';

/** One input or output of a graph, as the runtime reports it; the caller chooses a size that is a name. */
export interface TensorInfo {
  readonly name: string;
  readonly type: string;
  readonly shape: readonly (number | string)[];
}

export interface Feed {
  readonly type: 'int64' | 'float32' | 'float16';
  readonly data: BigInt64Array | Float32Array | Uint16Array;
  readonly dimensions: readonly number[];
}

/** By the name of the input. */
export type Feeds = Readonly<Record<string, Feed>>;

/** Row-major; half precision is widened to 32 bits. */
export interface SessionOutput {
  readonly data: Float32Array;
  readonly dimensions: readonly number[];
}

export interface RunOptions {
  /** Runs before all calls that wait and are not urgent. */
  readonly isUrgent?: boolean;
}

/** One graph on one device. Calls may overlap: they run one after another. */
export interface OnnxSession {
  readonly device: Device;
  readonly inputs: readonly TensorInfo[];
  readonly outputs: readonly TensorInfo[];
  /** Computes one output. Rejects with the runtime's own error. */
  run(feeds: Feeds, output: string, options?: RunOptions): Promise<SessionOutput>;
  /** Frees the native memory after the calls under way. Idempotent. */
  close(): Promise<void>;
}

export interface Backend {
  readonly device: Device;
  /** Its libraries exist; only an attempt shows whether it starts. */
  readonly installed: boolean;
}

/** Port of the ONNX runtime; tests pass their own. */
export interface OnnxRuntime {
  readonly version: string;
  readonly backends: readonly Backend[];
  /** Starts a session for a file or for bytes. A broken driver may end the process here, or in the first run. */
  open(graph: string | Uint8Array, device: Device): Promise<OnnxSession>;
}

/** Receives what a caller need not act on. */
export interface Logger {
  warn(message: string): void;
}

const LONGEST = 300;
/** The runtime puts source positions and its failed condition before the reason. */
const BEFORE_REASON = /^.* was false\. /;

/** A native error's first line, shortened for a message; it names graphs and drivers, never texts. */
export function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const line = message.split('\n', 1)[0]!.replace(BEFORE_REASON, '');
  return line.slice(0, LONGEST) || 'no reason given';
}
