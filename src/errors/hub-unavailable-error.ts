import { MnemisError } from './mnemis-error.ts';

const WITHOUT_NETWORK =
  'Without a network, copy the model from a disk, such as the models’ folder of another machine: mnemis models pull NAME --mirror FOLDER.';

/** The place that models come from did not answer, or not to the end; trying again may help. */
export class HubUnavailableError extends MnemisError {
  static readonly code = 'hub-unavailable';
  /** How long the answer asked to wait, in milliseconds. */
  readonly retryAfter: number;
  /** No connection came about, so that trying on for long helps little. */
  readonly unreachable: boolean;
  /** The message without what to do about it. */
  readonly what: string;

  constructor(
    what: string,
    {
      retryAfter = 0,
      unreachable = false,
      cause,
    }: { retryAfter?: number; unreachable?: boolean; cause?: unknown } = {},
  ) {
    super({
      code: HubUnavailableError.code,
      message: `${what}. What was fetched is kept; the same command goes on from there.${unreachable ? ` ${WITHOUT_NETWORK}` : ''}`,
      cause,
    });
    this.retryAfter = retryAfter;
    this.unreachable = unreachable;
    this.what = what;
  }

  static override isInstance(value: unknown): value is HubUnavailableError {
    return MnemisError.isInstance(value) && value.code === HubUnavailableError.code;
  }
}
