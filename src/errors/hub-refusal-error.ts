import { MnemisError } from './mnemis-error.ts';

/** The place that models come from has not what was asked for, or answers with something that is no answer. */
export class HubRefusalError extends MnemisError {
  static readonly code = 'hub-refusal';

  constructor(what: string, cause?: unknown) {
    super({
      code: HubRefusalError.code,
      message: `${what}. Files that were fetched whole are kept; check the model’s name, its revision and the setting modelsMirror.`,
      cause,
    });
  }

  static override isInstance(value: unknown): value is HubRefusalError {
    return MnemisError.isInstance(value) && value.code === HubRefusalError.code;
  }
}
