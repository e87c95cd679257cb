import { z } from 'zod';
import { CancelledError, DeviceFailedError, MnemisError } from '../../errors/index.ts';
import { readStateFile, writeStateFile } from '../../util/files.ts';
import {
  type Device,
  type DeviceChoice,
  type Feed,
  type Logger,
  type OnnxRuntime,
  type OnnxSession,
  reasonOf,
} from './onnx-runtime.ts';

export interface StartOptions<Started> {
  readonly runtime: OnnxRuntime;
  readonly choice: DeviceChoice;
  readonly log: DeviceLog;
  readonly logger: Logger;
  /** For the log and for messages. */
  readonly model: string;
  /** Opens a session and runs it once: a driver that opens may still fail or crash in the first run. */
  readonly start: (device: Device) => Promise<Started>;
}

/**
 * Starts a model on the device asked for, or with `auto` on the first accelerator that is installed, works and is
 * faster than the processor, else on the processor, with one warning for all that failed.
 *
 * @throws DeviceFailedError when a device that was asked for by name does not work: nothing else is tried.
 */
export async function startOnDevice<Started>(options: StartOptions<Started>): Promise<Started> {
  const { choice, runtime } = options;
  if (choice === 'cpu') return options.start('cpu');
  if (choice !== 'auto') return startOn(choice, options);
  const failures: string[] = [];
  for (const { device, installed } of runtime.backends) {
    if (device === 'cpu' || !installed) continue;
    const attempt = await attemptOn(device, options);
    if (attempt.outcome === 'works') return attempt.started;
    if (attempt.reason !== null) failures.push(`${device}: ${attempt.reason}`);
  }
  if (failures.length > 0)
    options.logger.warn(
      `${options.model} runs on the processor, because no accelerator does (${failures.join('; ')})`,
    );
  return options.start('cpu');
}

async function startOn<Started>(device: Device, options: StartOptions<Started>): Promise<Started> {
  const { log, model, runtime } = options;
  const backend = runtime.backends.find((candidate) => candidate.device === device);
  if (!backend?.installed) throw new DeviceFailedError(device, 'the runtime has no such backend here');
  if (['crashed', 'interrupted'].includes(log.outcomeOf(device, model)))
    throw new DeviceFailedError(
      device,
      `an earlier attempt ended its process; to try again, delete ${log.path}`,
    );
  log.begin(device, model);
  try {
    const started = await options.start(device);
    log.settle(device, model, 'works');
    return started;
  } catch (error) {
    // Mnemis errors concern the model or a cancelled call, not the device.
    if (MnemisError.isInstance(error)) {
      log.forget(device, model);
      throw error;
    }
    log.settle(device, model, 'failed');
    throw new DeviceFailedError(device, reasonOf(error), error);
  }
}

type AttemptResult<Started> =
  | { readonly outcome: 'works'; readonly started: Started }
  /** Null: reported before. */
  | { readonly outcome: 'failed' | 'slow'; readonly reason: string | null };

async function attemptOn<Started>(
  device: Device,
  options: StartOptions<Started>,
): Promise<AttemptResult<Started>> {
  const { log, model } = options;
  const past = log.outcomeOf(device, model);
  if (past === 'interrupted') {
    log.recordCrash(device);
    return { outcome: 'failed', reason: 'an earlier attempt ended its process' };
  }
  if (past === 'crashed' || past === 'failed' || past === 'slow') return { outcome: 'failed', reason: null };
  log.begin(device, model);
  try {
    const result = await tryDevice(device, options, past === 'works');
    log.settle(device, model, result.outcome);
    return result;
  } catch (error) {
    log.forget(device, model);
    throw error;
  }
}

async function tryDevice<Started>(
  device: Device,
  options: StartOptions<Started>,
  measured: boolean,
): Promise<AttemptResult<Started>> {
  try {
    if (!measured && !(await isFasterThanProcessor(device, options.runtime)))
      return { outcome: 'slow', reason: 'it is slower than the processor' };
    return { outcome: 'works', started: await options.start(device) };
  } catch (error) {
    if (CancelledError.isInstance(error)) throw error;
    return { outcome: 'failed', reason: reasonOf(error) };
  }
}

/** For example, a software renderer works but is slower. */
async function isFasterThanProcessor(device: Device, runtime: OnnxRuntime): Promise<boolean> {
  const accelerator = await measureSpeed(runtime, device);
  const processor = await measureSpeed(runtime, 'cpu');
  return accelerator.gigaflops > processor.gigaflops;
}

const entrySchema = z.object({
  device: z.enum(['cpu', 'cuda', 'webgpu', 'dml', 'coreml']),
  model: z.string(),
  /** `trying` by another process means that it ended during the attempt. */
  state: z.enum(['trying', 'works', 'failed', 'slow', 'crashed']),
  process: z.string(),
});
const fileSchema = z.object({ version: z.literal(1), runtime: z.string(), attempts: z.array(entrySchema) });

type Attempt = z.infer<typeof entrySchema>;
type Outcome = 'works' | 'failed' | 'slow';
type KnownOutcome = Outcome | 'unknown' | 'crashed' | 'interrupted';

/**
 * The outcomes of attempts to use devices, in a file, because a driver's crash ends the process. An attempt
 * is recorded before it starts and settled afterwards. Another version of the runtime starts with an empty
 * log.
 */
export class DeviceLog {
  /** Null: nothing is stored. */
  readonly path: string | null;
  readonly #runtime: string;

  constructor(path: string | null, runtime: string) {
    this.path = path;
    this.#runtime = runtime;
  }

  /**
   * The known outcome of a device for a model. A crash excludes the device for every model; `interrupted` is
   * a crash that is not recorded yet, or another process's attempt that is still running.
   */
  outcomeOf(device: Device, model: string): KnownOutcome {
    const attempts = this.#read().filter((attempt) => attempt.device === device);
    if (attempts.some(({ state }) => state === 'crashed')) return 'crashed';
    if (attempts.some(interrupted)) return 'interrupted';
    if (attempts.some(({ state }) => state === 'slow')) return 'slow';
    const own = attempts.find((attempt) => attempt.model === model);
    return own === undefined || own.state === 'trying' ? 'unknown' : own.state;
  }

  /** Records a crash; a process whose attempt is still running corrects this when it settles. */
  recordCrash(device: Device): void {
    this.#write((attempts) =>
      attempts.map((attempt) =>
        attempt.device === device && interrupted(attempt) ? { ...attempt, state: 'crashed' } : attempt,
      ),
    );
  }

  begin(device: Device, model: string): void {
    this.#put({ device, model, state: 'trying', process: thisProcess() });
  }

  settle(device: Device, model: string, state: Outcome): void {
    this.#put({ device, model, state, process: thisProcess() });
  }

  /** Removes an attempt that says nothing about the device. */
  forget(device: Device, model: string): void {
    this.#write((attempts) => without(attempts, device, model));
  }

  #put(attempt: Attempt): void {
    this.#write((attempts) => [...without(attempts, attempt.device, attempt.model), attempt]);
  }

  #write(change: (attempts: readonly Attempt[]) => readonly Attempt[]): void {
    if (this.path === null) return;
    writeStateFile(this.path, { version: 1, runtime: this.#runtime, attempts: change(this.#read()) });
  }

  #read(): readonly Attempt[] {
    const file = this.path === null ? null : readStateFile(this.path, fileSchema);
    return file?.runtime === this.#runtime ? file.attempts : [];
  }
}

function interrupted({ state, process }: Attempt): boolean {
  return state === 'trying' && process !== thisProcess();
}

function without(attempts: readonly Attempt[], device: Device, model: string): Attempt[] {
  return attempts.filter((attempt) => attempt.device !== device || attempt.model !== model);
}

/** Process ids are reused, and equal between containers; with the start time they are unique. */
function thisProcess(): string {
  return `${process.pid}@${Math.round(performance.timeOrigin)}`;
}

/** Sides of the matrices: a device that is not too slow at the first size is measured at the second. */
const SMALL = 128;
const LARGE = 512;
const HOPELESS_MS = 50;
const RUNS = 3;

interface Speed {
  readonly startMs: number;
  readonly gigaflops: number;
}

/** @throws whatever the runtime does, and RangeError when the device miscalculates. */
export async function measureSpeed(runtime: OnnxRuntime, device: Device): Promise<Speed> {
  const started = performance.now();
  const session = await runtime.open(matmulModel(), device);
  const startMs = performance.now() - started;
  try {
    const small = await bestOf(session, SMALL);
    if (small > HOPELESS_MS) return { startMs, gigaflops: gigaflops(SMALL, small) };
    return { startMs, gigaflops: gigaflops(LARGE, await bestOf(session, LARGE)) };
  } finally {
    await session.close();
  }
}

async function bestOf(session: OnnxSession, size: number): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < RUNS; run++) {
    const { ms, correct } = await runMatmul(session, size);
    if (!correct) throw new RangeError('it computed a wrong product');
    best = Math.min(best, ms);
  }
  return best;
}

/** Consecutive matrix products: enough work per upload to measure an accelerator. */
export const MATMUL_STEPS = 8;

/** x · w · w …, both square; written by `test/fakes/onnx`, whose test compares the bytes. */
const GRAPH =
  'CAg62AIKGAoBeAoBdxIIbWF0bXVsXzAiBk1hdE11bAofCghtYXRtdWxfMAoBdxIIbWF0bXVsXzEiBk1hdE11bAofCghtYXRtdWxfMQoBdxIIbWF0bXVsXzIiBk1hdE11bAofCghtYXRtdWxfMgoBdxIIbWF0bXVsXzMiBk1hdE11bAofCghtYXRtdWxfMwoBdxIIbWF0bXVsXzQiBk1hdE11bAofCghtYXRtdWxfNAoBdxIIbWF0bXVsXzUiBk1hdE11bAofCghtYXRtdWxfNQoBdxIIbWF0bXVsXzYiBk1hdE11bAoYCghtYXRtdWxfNgoBdxIBeSIGTWF0TXVsEgVncmFwaFobCgF3EhYKFAgBEhAKBhIEc2l6ZQoGEgRzaXplWhsKAXgSFgoUCAESEAoGEgRzaXplCgYSBHNpemViGwoBeRIWChQIARIQCgYSBHNpemUKBhIEc2l6ZUICEBE=';

export function matmulModel(): Uint8Array {
  return Uint8Array.from(Buffer.from(GRAPH, 'base64'));
}

/** x is all ones and w averages, so every product is all ones. */
async function runMatmul(session: OnnxSession, size: number): Promise<{ ms: number; correct: boolean }> {
  const feeds = { x: square(size, 1), w: square(size, 1 / size) };
  const started = performance.now();
  const { data } = await session.run(feeds, 'y');
  const ms = performance.now() - started;
  return { ms, correct: data.length === size * size && data.every((value) => Math.abs(value - 1) < 1e-2) };
}

/** Billions of additions and multiplications per second. */
function gigaflops(size: number, ms: number): number {
  return (2 * size ** 3 * MATMUL_STEPS) / ms / 1e6;
}

function square(size: number, value: number): Feed {
  return { type: 'float32', data: new Float32Array(size * size).fill(value), dimensions: [size, size] };
}
