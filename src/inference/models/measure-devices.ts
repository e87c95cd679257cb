import { DeviceLog, measureSpeed } from '../onnx/devices.ts';
import { loadOnnxRuntime } from '../onnx/load-runtime.ts';
import { type Device, type OnnxRuntime, reasonOf } from '../onnx/onnx-runtime.ts';

/** The name under which these attempts are logged. */
const MATMUL = 'matmul';

export type DeviceMeasurement =
  | { readonly device: Device; readonly state: 'works'; readonly startMs: number; readonly gigaflops: number }
  | { readonly device: Device; readonly state: 'failed'; readonly reason: string }
  | { readonly device: Device; readonly state: 'not-installed' }
  /** An earlier attempt ended its process: not tried again. */
  | { readonly device: Device; readonly state: 'crashed-before' };

export interface MeasureOptions {
  /** File of the device log; without it a crash is not remembered. */
  readonly deviceLog?: string | undefined;
  readonly runtime?: OnnxRuntime | undefined;
}

/**
 * Starts a session on every backend that the runtime lists, and measures float32 matrix products (512 × 512, one
 * upload and one download for eight), for `mnemis doctor`. Run it in a process of its own: a broken driver can end it.
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
  if (['crashed', 'interrupted'].includes(log.outcomeOf(device, MATMUL)))
    return { device, state: 'crashed-before' };
  log.begin(device, MATMUL);
  const result = await measureSpeed(runtime, device).catch((error: unknown) => reasonOf(error));
  log.settle(device, MATMUL, typeof result === 'string' ? 'failed' : 'works');
  if (typeof result === 'string') return { device, state: 'failed', reason: result };
  return { device, state: 'works', ...result };
}
