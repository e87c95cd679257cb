import { DeviceLog } from './device-log.ts';
import { gigaflops, matmulModel, runMatmul } from './matmul-model.ts';
import type { Device, OnnxRuntime, OnnxSession } from './onnx-runtime.ts';
import { loadOnnxRuntime } from './onnx-session.ts';
import { reasonOf } from './reason-of.ts';

/** A first look; only what is not hopeless is measured at the second size. */
const SMALL = 128;
const LARGE = 512;
const HOPELESS_MS = 50;
const RUNS = 3;

/** The name under which these attempts are remembered. */
export const MATMUL = 'matmul';

export type DeviceMeasurement =
  | { readonly device: Device; readonly state: 'works'; readonly startMs: number; readonly gigaflops: number }
  | { readonly device: Device; readonly state: 'failed'; readonly reason: string }
  | { readonly device: Device; readonly state: 'not-installed' }
  /** An earlier attempt ended its process: not tried again. */
  | { readonly device: Device; readonly state: 'crashed-before' };

export interface MeasureOptions {
  /** The file of the devices' past; without it a crash is not remembered. */
  readonly deviceLog?: string | undefined;
  readonly runtime?: OnnxRuntime | undefined;
}

/**
 * Starts a session on every backend that the runtime lists, and measures float32 matrix products (512 × 512, one
 * upload and one download for eight), for `mnemis doctor`.
 *
 * @throws RuntimeMissingError
 */
export async function measureDevices(options: MeasureOptions = {}): Promise<readonly DeviceMeasurement[]> {
  const runtime = options.runtime ?? (await loadOnnxRuntime());
  const log = new DeviceLog(options.deviceLog ?? null, runtime.version);
  const measurements: DeviceMeasurement[] = [];
  for (const { device, installed } of runtime.backends)
    measurements.push(installed ? await measure(runtime, log, device) : { device, state: 'not-installed' });
  return measurements;
}

async function measure(runtime: OnnxRuntime, log: DeviceLog, device: Device): Promise<DeviceMeasurement> {
  if (['crashed', 'interrupted'].includes(log.past(device, MATMUL)))
    return { device, state: 'crashed-before' };
  log.begin(device, MATMUL);
  const result = await measureSpeed(runtime, device).catch((error: unknown) => reasonOf(error));
  log.settle(device, MATMUL, typeof result === 'string' ? 'failed' : 'works');
  if (typeof result === 'string') return { device, state: 'failed', reason: result };
  return { device, state: 'works', ...result };
}

export interface Speed {
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
