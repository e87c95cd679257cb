import { MnemisError } from './mnemis-error.ts';

/** A device that was asked for by name could not run the model. */
export class DeviceFailedError extends MnemisError {
  static readonly code = 'device-failed';

  constructor(device: string, reason: string, cause?: unknown) {
    super({
      code: DeviceFailedError.code,
      message: `The device ${device} cannot run the model: ${reason}. Nothing was loaded; choose another device, or "auto", which falls back to the processor.`,
      cause,
    });
  }

  static override isInstance(value: unknown): value is DeviceFailedError {
    return MnemisError.isInstance(value) && value.code === DeviceFailedError.code;
  }
}
