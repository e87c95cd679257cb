import {
  ContextTooLongError,
  InvalidChangeError,
  MalformedReplyError,
  MnemisError,
  ModelDeclinedError,
  ModelKeyError,
  ModelRequestRefusedError,
  ModelUnavailableError,
  ScopeViolationError,
  UnknownModelError,
} from '../errors/index.ts';

const CAUSED_BY_TURNS = [
  MalformedReplyError,
  ContextTooLongError,
  ModelDeclinedError,
  ModelRequestRefusedError,
];

/**
 * Whether the turns caused the failure (a model declines them, replies to them unusably, or a stage fails on them),
 * so that other turns can still be processed. Any other failure (no server, no key, no money, no disk, a
 * cancellation) would affect the next turns as well, and stops the work.
 */
export function isCausedByTurns(error: unknown): boolean {
  return !MnemisError.isInstance(error) || CAUSED_BY_TURNS.some((kind) => kind.isInstance(error));
}

/**
 * Whether a failure may be of these turns alone, or of the server as a whole: it fails inside, does not answer, or
 * refuses the caller or the model, as some do for a text that they do not like. Other calls tell.
 */
export function isUnexplained(error: unknown): boolean {
  return (
    ModelUnavailableError.isInstance(error) ||
    UnknownModelError.isInstance(error) ||
    (ModelKeyError.isInstance(error) && error.status === 403)
  );
}

/**
 * Whether a defect of the software, rather than of the store's environment, kept a batch from being built or written:
 * an unknown error, or a change that the store rejects as invalid.
 */
export function isDefect(error: unknown): boolean {
  return (
    !MnemisError.isInstance(error) ||
    InvalidChangeError.isInstance(error) ||
    ScopeViolationError.isInstance(error)
  );
}

/**
 * Returns the part of a failure that may be stored: errors of Mnemis never contain the user's words, other errors
 * might.
 */
export function describeFailure(error: unknown): { code: string; reason: string } {
  if (MnemisError.isInstance(error)) return { code: error.code, reason: error.message };
  const name = error instanceof Error ? error.name : typeof error;
  return { code: 'stage-failed', reason: `A stage failed with ${name}.` };
}

/**
 * Runs stages after reading with the local tier as fallback, so that paid readings are not lost. An error that must
 * stop further work is reported after the batch is committed.
 */
export class LocalFallback {
  #stoppedBy: unknown = null;

  /** The error that stops the work after this batch, such as an exhausted budget; null if there is none. */
  get stoppedBy(): unknown {
    return this.#stoppedBy;
  }

  /**
   * Returns the result of `attempt`, or that of `otherwise` if it fails. Makes no further attempts after an error
   * that stops the work.
   */
  async run<T>(attempt: () => Promise<T>, otherwise: () => Promise<T>): Promise<T> {
    if (this.#stoppedBy !== null) return otherwise();
    try {
      return await attempt();
    } catch (error) {
      if (!isCausedByTurns(error)) this.#stoppedBy = error;
      return otherwise();
    }
  }
}
