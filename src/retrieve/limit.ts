import { RouteLateError } from '../errors/index.ts';
import { checkCancel } from './within-time.ts';

/** How long one route may take. Loops that hold the thread poll it: no timer can fire meanwhile (DESIGN §8.13). */
export class Limit {
  readonly milliseconds: number;
  readonly #until: number;
  readonly #signal: AbortSignal | undefined;

  /** @param milliseconds From now; Infinity for as long as it takes. */
  constructor(milliseconds: number, signal?: AbortSignal) {
    this.milliseconds = milliseconds;
    this.#until = performance.now() + milliseconds;
    this.#signal = signal;
  }

  /** @throws RouteLateError, CancelledError */
  check(): void {
    checkCancel(this.#signal);
    if (performance.now() > this.#until) throw new RouteLateError(this.milliseconds);
  }
}
