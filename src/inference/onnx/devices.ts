import { CancelledError, DeviceFailedError, MnemisError } from '../../errors/index.ts';
import type { DeviceLog } from './device-log.ts';
import { measureSpeed } from './measure-devices.ts';
import type { Device, DeviceChoice, Logger, OnnxRuntime } from './onnx-runtime.ts';
import { reasonOf } from './reason-of.ts';

export interface StartOptions<Started> {
  readonly runtime: OnnxRuntime;
  readonly choice: DeviceChoice;
  readonly log: DeviceLog;
  readonly logger: Logger;
  /** For the log and for messages. */
  readonly model: string;
  /** Opens a session and runs it once: a driver that opens may still fail, or crash, in the first run. */
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
  if (['crashed', 'interrupted'].includes(log.past(device, model)))
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
    // Our own errors are about the model, or about nothing at all (a cancelled call).
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
  /** Null: told before. */
  | { readonly outcome: 'failed' | 'slow'; readonly reason: string | null };

async function attemptOn<Started>(
  device: Device,
  options: StartOptions<Started>,
): Promise<AttemptResult<Started>> {
  const { log, model } = options;
  const past = log.past(device, model);
  if (past === 'interrupted') {
    log.condemn(device);
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

/** A graphics card in software, say, works and helps nobody. */
async function isFasterThanProcessor(device: Device, runtime: OnnxRuntime): Promise<boolean> {
  const accelerator = await measureSpeed(runtime, device);
  const processor = await measureSpeed(runtime, 'cpu');
  return accelerator.gigaflops > processor.gigaflops;
}
