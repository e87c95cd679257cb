import { MnemisError } from './mnemis-error.ts';

/** The place that models come from did not answer, or not to the end; trying again may help. */
export class HubUnavailableError extends MnemisError {
  static readonly code = 'hub-unavailable';
  /** How long the answer asked to wait, in milliseconds. */
  readonly retryAfter: number;
  /** The message without what to do about it. */
  readonly what: string;

  constructor(what: string, { retryAfter = 0, cause }: { retryAfter?: number; cause?: unknown } = {}) {
    super({
      code: HubUnavailableError.code,
      message: `${what}. What was fetched is kept; the same command goes on from there.`,
      cause,
    });
    this.retryAfter = retryAfter;
    this.what = what;
  }

  static override isInstance(value: unknown): value is HubUnavailableError {
    return MnemisError.isInstance(value) && value.code === HubUnavailableError.code;
  }
}
