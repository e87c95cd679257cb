import {
  ContextTooLongError,
  InvalidChangeError,
  MalformedReplyError,
  MnemisError,
  ModelDeclinedError,
  ModelRequestRefusedError,
  ScopeViolationError,
} from '../errors/index.ts';

const OF_THE_TURNS = [MalformedReplyError, ContextTooLongError, ModelDeclinedError, ModelRequestRefusedError];

/**
 * Whether a failure lies in the turns that were read (a model declines them, its replies to them are no use, a stage
 * trips over them), so that the rest can go on without them. Anything else (no server, no key, no money, no disk, a
 * cancel) would meet the next turns as well, and stops the work.
 */
export function liesInTurns(error: unknown): boolean {
  return !MnemisError.isInstance(error) || OF_THE_TURNS.some((kind) => kind.isInstance(error));
}

/**
 * Whether a defect kept a batch from being built or written, as opposed to the place that memory is kept in: an error of
 * nobody's, or a change that the store refuses as it is.
 */
export function isDefect(error: unknown): boolean {
  return (
    !MnemisError.isInstance(error) ||
    InvalidChangeError.isInstance(error) ||
    ScopeViolationError.isInstance(error)
  );
}

/** What may be kept of a failure: errors of our own never hold the user's words, those of others might. */
export function describeFailure(error: unknown): { code: string; reason: string } {
  if (MnemisError.isInstance(error)) return { code: error.code, reason: error.message };
  const name = error instanceof Error ? error.name : typeof error;
  return { code: 'stage-failed', reason: `A stage failed with ${name}.` };
}

/**
 * What went wrong in stages that the local tier can stand in for, once a unit is read: what was paid for is kept, and
 * what would stop further work is told when the batch is committed.
 */
export class LocalFallback {
  #stoppedBy: unknown = null;

  /** What is to stop the work after this batch, such as an exhausted budget; null when nothing is. */
  get stoppedBy(): unknown {
    return this.#stoppedBy;
  }

  /** What `attempt` gives, else what `otherwise` does. Nothing is attempted any more once the work is to stop. */
  async run<T>(attempt: () => Promise<T>, otherwise: () => Promise<T>): Promise<T> {
    if (this.#stoppedBy !== null) return otherwise();
    try {
      return await attempt();
    } catch (error) {
      if (!liesInTurns(error)) this.#stoppedBy = error;
      return otherwise();
    }
  }
}
