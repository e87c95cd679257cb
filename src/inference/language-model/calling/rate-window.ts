import type { Timing } from './timing.ts';

const MINUTE = 60_000;

export interface RateLimits {
  readonly requestsPerMinute?: number | undefined;
  readonly tokensPerMinute?: number | undefined;
}

interface Entry {
  readonly at: number;
  tokens: number;
}

/** Keeps requests and tokens of any minute under the limits that a provider sets for an account. */
export class RateWindow {
  readonly #limits: RateLimits;
  readonly #timing: Timing;
  #entries: Entry[] = [];

  constructor(limits: RateLimits, timing: Timing) {
    this.#limits = limits;
    this.#timing = timing;
  }

  /**
   * Waits until a request of so many tokens fits; returns early when the signal fires. One larger than the limit goes
   * alone. What it returns takes what the request came to in truth.
   */
  async enter(tokens: number, signal: AbortSignal): Promise<(spent: number) => void> {
    while (!signal.aborted) {
      const now = this.#timing.now();
      this.#entries = this.#entries.filter(({ at }) => now - at < MINUTE);
      if (this.#fits(tokens)) {
        const entry = { at: now, tokens };
        this.#entries.push(entry);
        return (spent) => {
          entry.tokens = spent;
        };
      }
      await this.#timing.sleep(MINUTE - (now - this.#entries[0]!.at), signal);
    }
    return () => undefined;
  }

  #fits(tokens: number): boolean {
    if (this.#entries.length === 0) return true;
    const { requestsPerMinute = Infinity, tokensPerMinute = Infinity } = this.#limits;
    const sum = this.#entries.reduce((total, entry) => total + entry.tokens, tokens);
    return this.#entries.length < requestsPerMinute && sum <= tokensPerMinute;
  }
}
