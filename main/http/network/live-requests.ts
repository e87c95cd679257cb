import type { Authenticator } from './authenticator.ts';
import type { Grant } from './grant.ts';
import { serveRefusals } from './network-refusals.ts';

/** A request under way. */
export interface LiveRequest {
  /** Aborted when its token ends, with the refusal as the reason. */
  readonly ended: AbortSignal;
  /** Call it when the request is over. */
  leave(): void;
}

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
  readonly #byToken = new Map<string, { readonly grant: Grant; readonly ends: Set<AbortController> }>();
  readonly #timer: NodeJS.Timeout;
  #isChecking = false;

  constructor(options: LiveOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.#check(), options.recheckMilliseconds).unref();
  }

  get count(): number {
    let count = 0;
    for (const { ends } of this.#byToken.values()) count += ends.size;
    return count;
  }

  /** @throws RefusalError if the token has too many already. */
  enter(grant: Grant): LiveRequest {
    const { id } = grant;
    const known = this.#byToken.get(id) ?? { grant, ends: new Set() };
    if (known.ends.size >= this.#options.most) throw serveRefusals.atOnce();
    const end = new AbortController();
    known.ends.add(end);
    // A later grant of the same holder may last longer, or end earlier; each request keeps to its own.
    const expiry = expiryOf(grant, () => end.abort(serveRefusals.ended()));
    this.#byToken.set(id, known);
    return {
      ended: end.signal,
      leave: () => {
        clearTimeout(expiry);
        known.ends.delete(end);
        if (known.ends.size === 0) this.#byToken.delete(id);
      },
    };
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #check(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    try {
      for (const { grant, ends } of [...this.#byToken.values()])
        if (!(await this.#options.authenticator.holds({ ...grant, expires: null })))
          for (const end of [...ends]) end.abort(serveRefusals.ended());
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
