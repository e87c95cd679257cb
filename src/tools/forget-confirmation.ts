import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { ForgetPreview } from '../edit/forget/forget-event.ts';
import type { Milliseconds } from '../model/ids.ts';

interface ConfirmationOptions {
  /** Whose memory it is. */
  readonly scope: string;
  readonly clock: () => Milliseconds;
  /** How long a confirmation is good. */
  readonly lifetime: Milliseconds;
}

/**
 * Tokens that stand for one preview of one scope: whoever has one has been shown what would go. They are good for a
 * while, for what the preview said alone, and for the tools that gave them.
 */
export class ForgetConfirmations {
  readonly #options: ConfirmationOptions;
  readonly #key = randomBytes(32);

  constructor(options: ConfirmationOptions) {
    this.#options = options;
  }

  tokenFor(preview: ForgetPreview): string {
    const expires = (this.#options.clock() + this.#options.lifetime).toString(36);
    return `${expires}.${this.#digest(expires, preview)}`;
  }

  /** Whether it was given for just this, and not too long ago. */
  confirms(token: string, preview: ForgetPreview): boolean {
    const [expires = '', digest = ''] = token.trim().split('.');
    const expected = Buffer.from(this.#digest(expires, preview));
    const given = Buffer.from(digest);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return false;
    return Number.parseInt(expires, 36) > this.#options.clock();
  }

  #digest(expires: string, { target, counts, episodes, vanishing }: ForgetPreview): string {
    const ids = vanishing.map(({ id }) => id);
    const shown = [target, Object.entries(counts).sort(), [...episodes].sort(), ids.sort()];
    return createHmac('sha256', this.#key)
      .update(JSON.stringify([this.#options.scope, expires, shown]))
      .digest('base64url')
      .slice(0, 24);
  }
}
