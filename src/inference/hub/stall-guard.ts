import { HubUnavailableError } from '../../errors/index.ts';

/** Aborts a transfer from which nothing has come for a while. */
export class StallGuard {
  readonly signal: AbortSignal;
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal;
  readonly #after: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(caller: AbortSignal, after: number) {
    this.#caller = caller;
    this.#after = after;
    this.signal = AbortSignal.any([caller, this.#controller.signal]);
    this.alive();
  }

  /** Something came. */
  alive(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#controller.abort(), this.#after);
  }

  /** Nothing more is wanted: a body that was not read to its end lets its connection go. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#controller.abort();
  }

  /** What a failure under this guard is: the caller’s own cancel, the stall, or itself. */
  explain(error: unknown, what: string): unknown {
    if (this.#caller.aborted) return this.#caller.reason;
    if (!this.#controller.signal.aborted) return error;
    const seconds = Math.round(this.#after / 1000);
    return new HubUnavailableError(`Nothing more of ${what} came for ${seconds} seconds`, { cause: error });
  }
}
