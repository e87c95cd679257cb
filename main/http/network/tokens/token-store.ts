import { z } from 'zod';
import { defineError } from '../../../../src/errors/mnemis-error.ts';
import { accessSchema, type Grant, scopePatternSchema } from '../grant.ts';

/** What a new token allows, and for how long. */
export const tokenRequestSchema = z
  .strictObject({
    /** For people: who uses it. */
    name: z.string().trim().min(1).max(100),
    scopes: z.array(scopePatternSchema).max(1_000),
    access: accessSchema,
    /** In milliseconds since 1970; null: never. */
    expires: z.number().int().positive().max(8.64e15).nullable(),
  })
  .refine(({ scopes, access }) => (access === 'metrics') === (scopes.length === 0), {
    error: 'a token needs scopes, except one for metrics, which has none',
  });
export type TokenRequest = z.infer<typeof tokenRequestSchema>;

/** A token as lists show it: without its secret, which only its holder has. */
export interface TokenEntry extends Grant {
  readonly name: string;
  /** Times in milliseconds since 1970. */
  readonly created: number;
  /** Null while it is valid. */
  readonly revoked: number | null;
  /** To the minute; null if it was never used. */
  readonly lastUsed: number | null;
}

/** A new token: the only moment in which its text is known. */
export interface IssuedToken {
  readonly token: string;
  readonly entry: TokenEntry;
}

/**
 * Tokens that clients of `mnemis serve` send. An implementation keeps a SHA-256 hash of each token and never the
 * token. Several processes may use one store at once, and what one revokes no other accepts afterwards. All
 * implementations pass `test/contract/token-store.ts`.
 */
export interface TokenStore {
  /** @throws InvalidInputError for a request that does not fit. */
  issue(request: TokenRequest): Promise<IssuedToken>;
  /** All tokens, also expired and revoked ones; the newest first. */
  list(): Promise<readonly TokenEntry[]>;
  /** Ends a token for good; a revoked one stays as it is. @throws UnknownTokenError */
  revoke(id: string): Promise<TokenEntry>;
  /** Whose token this is, and notes that it was used; null for one that is unknown, expired or revoked. */
  verify(token: string): Promise<TokenEntry | null>;
  /** Whether a token that was verified before is valid still. */
  isValid(id: string): Promise<boolean>;
  /** Stores what is not on disk yet, such as times of use. */
  close(): Promise<void>;
}

export function isActive({ revoked, expires }: TokenEntry, now: number): boolean {
  return revoked === null && (expires === null || now < expires);
}

/** No token has this id. */
export class UnknownTokenError extends defineError('unknown-token', () => ({
  message: 'No token has this id; nothing was revoked. "mnemis token list" shows the ids.',
})) {}

/** The tokens cannot be read or written; until they can, no token is accepted. */
export class TokenStoreError extends defineError('token-store', (what: string, cause?: unknown) => ({
  message: `${what}. No token is accepted until this is put right.`,
  cause,
})) {}
