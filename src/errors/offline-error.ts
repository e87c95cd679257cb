import { MnemisError } from './mnemis-error.ts';

/** The network was needed and the settings forbid it. */
export class OfflineError extends MnemisError {
  static readonly code = 'offline';

  constructor(what: string) {
    super({
      code: OfflineError.code,
      message: `${what} needs the network, and the setting offline forbids it; nothing was done. Set modelsMirror to a folder that holds the model, or set offline to false.`,
    });
  }

  static override isInstance(value: unknown): value is OfflineError {
    return MnemisError.isInstance(value) && value.code === OfflineError.code;
  }
}
