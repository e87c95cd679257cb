import { liesInTurns } from './failure-kind.ts';

/**
 * What went wrong in stages that the local tier can stand in for, once a unit is read: what was paid for is kept, and
 * what would stop further work is told when the batch is committed.
 */
export class Setbacks {
  #stoppedBy: unknown = null;

  /** What is to stop the work after this batch, such as an exhausted budget; null when nothing is. */
  get stoppedBy(): unknown {
    return this.#stoppedBy;
  }

  /** What `attempt` gives, else what `otherwise` does. Nothing is attempted any more once the work is to stop. */
  async orElse<T>(attempt: () => Promise<T>, otherwise: () => Promise<T>): Promise<T> {
    if (this.#stoppedBy !== null) return otherwise();
    try {
      return await attempt();
    } catch (error) {
      if (!liesInTurns(error)) this.#stoppedBy = error;
      return otherwise();
    }
  }
}
