import { MnemisError } from '../../../src/errors/index.ts';
import type { Logger } from '../../../src/model/logger.ts';
import { refusals } from '../refusals.ts';
import type { Grant } from './grant.ts';
import type { TokenStore } from './tokens/token-store.ts';
import { idOf } from './tokens/token-text.ts';

/** Recognises tokens that another party has issued, such as an OpenID provider. */
export interface ForeignTokens {
  /** What a token allows; null if it is not valid. Rejects where that cannot be found out. */
  verify(token: string): Promise<Grant | null>;
}

export interface AuthenticatorOptions {
  readonly tokens: TokenStore;
  readonly foreign?: ForeignTokens | undefined;
  readonly logger: Logger;
  readonly clock?: () => number;
}

const BEARER = /^Bearer +([\x21-\x7e]{1,8192})$/i;

/** Finds out whose request it is, by its bearer token. */
export class Authenticator {
  readonly #options: AuthenticatorOptions;

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
  }

  /** @throws RefusalError */
  async authenticate(authorization = ''): Promise<Grant> {
    const token = BEARER.exec(authorization)?.[1];
    const grant = token === undefined ? null : await this.#verified(token);
    if (grant === null) throw refusals.token();
    return grant;
  }

  /** Whether a grant holds still, for requests that take long. What cannot be found out does not hold. */
  async holds(grant: Grant): Promise<boolean> {
    const { tokens, clock = Date.now } = this.#options;
    if (grant.expires !== null && clock() >= grant.expires) return false;
    if (grant.isForeign) return true;
    try {
      return await tokens.isValid(grant.id);
    } catch (error) {
      this.#warn(error);
      return false;
    }
  }

  async #verified(token: string): Promise<Grant | null> {
    const { tokens, foreign } = this.#options;
    try {
      if (idOf(token) !== null) return await tokens.verify(token);
      return (await foreign?.verify(token)) ?? null;
    } catch (error) {
      this.#warn(error);
      throw refusals.unavailable();
    }
  }

  #warn(error: unknown): void {
    const what = MnemisError.isInstance(error) ? error.message : 'The cause is not known.';
    this.#options.logger.warn(`Tokens cannot be checked. ${what}`);
  }
}
