import { BudgetExhaustedError, CancelledError, InvalidInputError } from '../../../errors/index.ts';

/** Tokens reserved for one request until its cost is known. */
export interface Reservation {
  settle(tokens: number): void;
}

/**
 * The tokens that a piece of work may cost. A request reserves its estimate and then pays its cost. Near the
 * end, requests wait for those that are running, and the first that no longer fits exhausts the budget for
 * all that follow. Running requests are not aborted, so the sum can exceed the limit by the excess of their
 * replies over the estimates. To continue, create a new budget and run the remaining work.
 */
export class TokenBudget {
  readonly limit: number;
  #spent = 0;
  #reserved = 0;
  #exhausted = false;
  readonly #waiting = new Set<() => void>();

  constructor(limit: number) {
    if (!(limit > 0)) throw new InvalidInputError('A token budget must be a number above 0');
    this.limit = limit;
  }

  get spent(): number {
    return this.#spent;
  }

  get exhausted(): boolean {
    return this.#exhausted;
  }

  /**
   * Reserves tokens for a request, as language models do before each; waits while running requests may still
   * leave enough. Settle the reservation with the request's cost, also when it failed.
   *
   * @throws BudgetExhaustedError, or CancelledError while it waits.
   */
  async reserve(estimate: number, signal?: AbortSignal): Promise<Reservation> {
    for (;;) {
      if (signal?.aborted) throw new CancelledError('what was done before is kept', signal.reason);
      if (this.#exhausted || this.#spent + estimate > this.limit) throw this.#end();
      if (this.#spent + this.#reserved + estimate <= this.limit) return this.#setAside(estimate);
      await this.#change(signal);
    }
  }

  #setAside(estimate: number): Reservation {
    this.#reserved += estimate;
    let open = true;
    return {
      settle: (tokens) => {
        if (!open) return;
        open = false;
        this.#reserved -= estimate;
        this.#spent += tokens;
        this.#wake();
      },
    };
  }

  #end(): BudgetExhaustedError {
    this.#exhausted = true;
    this.#wake();
    return new BudgetExhaustedError(this.limit, this.#spent);
  }

  #change(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.#waiting.delete(wake);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal?.addEventListener('abort', wake, { once: true });
    });
  }

  #wake(): void {
    for (const wake of [...this.#waiting]) wake();
  }
}
