import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { ForgetPreview } from '../edit/forget/forget-event.ts';
import type { Milliseconds } from '../model/ids.ts';

interface ConfirmationOptions {
  readonly scope: string;
  readonly clock: () => Milliseconds;
  /** Minutes for which a confirmation is valid. */
  readonly lifetime: Milliseconds;
  /** Signs the tokens. Default: random, so that no other process accepts them. */
  readonly key?: string | undefined;
}

/**
 * Tokens that each confirm one preview of one scope: the holder has seen what would be deleted. A token is valid for a
 * limited time, for exactly that preview, and for tools with the same key.
 */
export class ForgetConfirmations {
  readonly #options: ConfirmationOptions;
  readonly #key: string | Buffer;

  constructor(options: ConfirmationOptions) {
    this.#options = options;
    this.#key = options.key ?? randomBytes(32);
  }

  tokenFor(preview: ForgetPreview): string {
    const expires = (this.#options.clock() + this.#options.lifetime).toString(36);
    return `${expires}.${this.#digest(expires, preview)}`;
  }

  /** Whether the token was issued for exactly this and has not expired. */
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
