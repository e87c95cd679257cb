import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { InferenceSession } from 'onnxruntime-node';
import { RuntimeMissingError } from '../../errors/index.ts';
import { requireHere } from '../../util/at-run-time.ts';
import type {
  Backend,
  Device,
  Feeds,
  OnnxRuntime,
  OnnxSession,
  SessionOutput,
  TensorInfo,
} from './onnx-runtime.ts';

type Library = typeof import('onnxruntime-node');

/** In the order in which `auto` prefers them. */
const DEVICES: readonly Device[] = ['cuda', 'dml', 'coreml', 'webgpu', 'cpu'];
/** Failures reach the caller as errors; the runtime need not write them to standard error too. */
const FATAL_ONLY = 4;

/**
 * The optional package, loaded when it is first wanted. A run of it holds the thread that calls, which `ThreadSession`
 * therefore gives to each session.
 *
 * @throws RuntimeMissingError, which says what to install.
 */
async function loadLibrary(): Promise<Library> {
  return import('onnxruntime-node').catch((cause: NodeJS.ErrnoException) => {
    throw new RuntimeMissingError(reasonOf(cause), cause);
  });
}

/**
 * Why the runtime does not load. Where it is installed, Windows refuses it for want of the Visual C++ runtime, which it
 * needs and neither Windows nor Electron brings.
 */
export function reasonOf({ code }: Pick<NodeJS.ErrnoException, 'code'>, platform = process.platform): string {
  if (platform === 'win32' && code === 'ERR_DLOPEN_FAILED')
    return 'the Microsoft Visual C++ 2015–2022 runtime is missing; install it from https://aka.ms/vs/17/release/vc_redist.x64.exe and start again';
  return code ?? 'it does not load';
}

/** @throws RuntimeMissingError */
export async function readBackends(): Promise<Pick<OnnxRuntime, 'version' | 'backends'>> {
  const library = await loadLibrary();
  return { version: library.env.versions.node ?? 'unknown', backends: backendsOf(library) };
}

/** Opens a session on this thread. Calls of `run` must not overlap. */
export async function openSession(graph: string | Uint8Array, device: Device): Promise<OnnxSession> {
  const library = await loadLibrary();
  return new NodeSession(library, await createSession(library, graph, device), device);
}

function backendsOf(library: Library): Backend[] {
  const listed = library.listSupportedBackends();
  return DEVICES.flatMap((device) => {
    const found = listed.find(({ name }) => name === device);
    return found === undefined ? [] : [{ device, installed: found.bundled || providerInstalled(device) }];
  });
}

/** A provider that is not bundled (CUDA) is a library that the user placed beside the runtime's own. */
function providerInstalled(device: Device): boolean {
  const root = join(requireHere.resolve('onnxruntime-node/package.json'), '..');
  const file =
    process.platform === 'win32'
      ? `onnxruntime_providers_${device}.dll`
      : `libonnxruntime_providers_${device}.so`;
  return existsSync(join(root, 'bin/napi-v6', process.platform, process.arch, file));
}

async function createSession(
  { InferenceSession }: Library,
  graph: string | Uint8Array,
  device: Device,
): Promise<InferenceSession> {
  const options: InferenceSession.SessionOptions = {
    executionProviders: [device],
    logSeverityLevel: FATAL_ONLY,
    // DirectML does not support it.
    enableMemPattern: device !== 'dml',
    // Threads that spin while they wait take the cores that ingestion needs.
    extra: { session: { intra_op: { allow_spinning: '0' } } },
  };
  return typeof graph === 'string'
    ? InferenceSession.create(graph, options)
    : InferenceSession.create(graph, options);
}

class NodeSession implements OnnxSession {
  readonly device: Device;
  readonly inputs: readonly TensorInfo[];
  readonly outputs: readonly TensorInfo[];
  readonly #library: Library;
  readonly #session: InferenceSession;

  constructor(library: Library, session: InferenceSession, device: Device) {
    this.#library = library;
    this.#session = session;
    this.device = device;
    this.inputs = session.inputMetadata.flatMap(describe);
    this.outputs = session.outputMetadata.flatMap(describe);
  }

  async run(feeds: Feeds, output: string): Promise<SessionOutput> {
    const tensors = Object.entries(feeds).map(([name, { type, data, dimensions }]) => {
      return [name, new this.#library.Tensor(type, data, dimensions)] as const;
    });
    const tensor = (await this.#session.run(Object.fromEntries(tensors), [output]))[output]!;
    return { data: asFloats(tensor.data), dimensions: tensor.dims };
  }

  close(): Promise<void> {
    return this.#session.release();
  }
}

function describe(value: InferenceSession.ValueMetadata): TensorInfo[] {
  return value.isTensor ? [{ name: value.name, type: value.type, shape: value.shape }] : [];
}

function asFloats(data: unknown): Float32Array {
  if (data instanceof Float32Array) return data;
  if (data instanceof Uint16Array) return widenHalves(data);
  // Node.js 24 and newer have arrays of half precision, which convert themselves.
  return Float32Array.from(data as ArrayLike<number>);
}

/** Widens IEEE 754 binary16 bit patterns, as the runtime gives them where JavaScript has no such array. */
export function widenHalves(halves: Uint16Array): Float32Array {
  return Float32Array.from(halves, widenHalf);
}

function widenHalf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
