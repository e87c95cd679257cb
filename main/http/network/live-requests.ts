import type { HttpMiddleware, RunningRequest } from '../http-env.ts';
import { refusals } from '../refusals.ts';
import type { Authenticator } from './authenticator.ts';
import type { Grant } from './grant.ts';

interface LiveOptions {
  readonly authenticator: Pick<Authenticator, 'holds'>;
  /** The most requests under way of one token. */
  readonly most: number;
  /** Interval in which tokens of requests under way are checked again. */
  readonly recheckMilliseconds: number;
}

/**
 * The requests under way by token. Tokens are checked again while their requests run: one that was revoked or has
 * expired ends them, event streams included.
 */
export class LiveRequests {
  readonly #options: LiveOptions;
  readonly #byToken = new Map<string, { readonly grant: Grant; readonly requests: Set<RunningRequest> }>();
  readonly #timer: NodeJS.Timeout;
  #isChecking = false;

  constructor(options: LiveOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.#check(), options.recheckMilliseconds).unref();
  }

  /** Binds a request to its token, and rejects it if the token has too many already. */
  get bound(): HttpMiddleware {
    return async ({ var: { grant, running } }, next) => {
      this.#enter(grant, running);
      await next();
    };
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** @throws RefusalError */
  #enter(grant: Grant, request: RunningRequest): void {
    const { id } = grant;
    const known = this.#byToken.get(id) ?? { grant, requests: new Set() };
    if (known.requests.size >= this.#options.most) throw refusals.atOnce();
    known.requests.add(request);
    this.#byToken.set(id, known);
    // A later grant of the same holder may last longer, or end earlier; each request keeps to its own.
    const expiry = expiryOf(grant, () => request.end(refusals.tokenEnded()));
    void request.over.then(() => {
      clearTimeout(expiry);
      known.requests.delete(request);
      if (known.requests.size === 0) this.#byToken.delete(id);
    });
  }

  async #check(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    try {
      for (const { grant, requests } of [...this.#byToken.values()])
        if (!(await this.#options.authenticator.holds({ ...grant, expires: null })))
          for (const request of [...requests]) request.end(refusals.tokenEnded());
    } finally {
      this.#isChecking = false;
    }
  }
}

const LONGEST_TIMER = 2 ** 31 - 1;

function expiryOf({ expires }: Grant, end: () => void): NodeJS.Timeout | undefined {
  if (expires === null) return undefined;
  const rest = expires - Date.now();
  return rest > LONGEST_TIMER ? undefined : setTimeout(end, Math.max(0, rest)).unref();
}
