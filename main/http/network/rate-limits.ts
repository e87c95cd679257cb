import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { refusals } from '../refusals.ts';

/** The most requests of one token a minute, counted by this process. */
export class RateLimits {
  readonly #limiter: RateLimiterMemory;

  constructor(requestsPerMinute: number) {
    this.#limiter = new RateLimiterMemory({ points: requestsPerMinute, duration: 60 });
  }

  /** @throws RefusalError, with the seconds until the next request in `retryAfter`. */
  async take(id: string): Promise<void> {
    try {
      await this.#limiter.consume(id);
    } catch (rejected) {
      if (!(rejected instanceof RateLimiterRes)) throw rejected;
      throw refusals.rate(Math.max(1, Math.ceil(rejected.msBeforeNext / 1_000)));
    }
  }
}
