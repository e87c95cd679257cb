import { MnemisError } from './mnemis-error.ts';

/** Why a request to a language model got no reply: each of these may pass, so each is tried again first. */
export type UnavailableReason = 'unreachable' | 'rate-limited' | 'server-error' | 'timeout' | 'broken-reply';

const WORDS: Readonly<Record<UnavailableReason, string>> = {
  unreachable: 'cannot be reached; start it, or check the base URL',
  'rate-limited': 'takes no more requests for now; wait, or lower the concurrency',
  'server-error': 'reports an error of its own; wait, or look at its log',
  timeout: 'does not answer in time; raise the timeout, or use a smaller model',
  'broken-reply':
    'breaks its replies off, or sends what is no reply; check the base URL, its log, and any proxy between',
};

/** How the last of several attempts to reach a language model failed. */
export interface Unavailability {
  readonly reason: UnavailableReason;
  /** HTTP status of the last reply, if there was one. */
  readonly status: number | null;
  /** Requests that were made in all, from 1. */
  readonly attempts: number;
  /** The system’s or the runtime’s name of what kept it from being reached, such as ECONNREFUSED. */
  readonly systemCode?: string | null;
  /** Where the server is, without anything secret. */
  readonly address?: string | undefined;
  /** How long the server asked to wait, in milliseconds, if it did. */
  readonly retryAfter: number | null;
}

/** A language model gave no reply, however often it was asked. */
export class ModelUnavailableError extends MnemisError {
  static readonly code = 'model-unavailable';
  readonly reason: UnavailableReason;
  readonly status: number | null;
  readonly attempts: number;
  readonly retryAfter: number | null;
  readonly systemCode: string | null;

  constructor(model: string, unavailability: Unavailability) {
    const { reason, status, attempts, retryAfter, address, systemCode = null } = unavailability;
    const detail = [
      ...(status === null ? [] : [`status ${status}`]),
      ...(systemCode === null ? [] : [systemCode]),
      attempts === 1 ? 'one attempt' : `${attempts} attempts`,
    ].join(', ');
    const place = address === undefined ? '' : ` at ${address}`;
    super({
      code: ModelUnavailableError.code,
      message: `The server of ${model}${place} ${WORDS[reason]} (${detail}). What was done before is kept.`,
    });
    this.reason = reason;
    this.status = status;
    this.attempts = attempts;
    this.retryAfter = retryAfter;
    this.systemCode = systemCode;
  }

  static override isInstance(value: unknown): value is ModelUnavailableError {
    return MnemisError.isInstance(value) && value.code === ModelUnavailableError.code;
  }
}
