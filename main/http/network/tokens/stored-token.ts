import { z } from 'zod';
import { InvalidInputError } from '../../../../src/errors/index.ts';
import { describeIssues } from '../../../../src/util/describe-issues.ts';
import { accessSchema, scopePatternSchema } from '../grant.ts';
import { type TokenEntry, type TokenRequest, tokenRequestSchema } from './token-store.ts';
import { makeToken } from './token-text.ts';

const time = z.number().int();
/** A token as it is stored: with the hash of its text. */
export const storedSchema = z.strictObject({
  id: z.string().regex(/^[0-9a-f]{16}$/),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  name: z.string().min(1).max(100),
  scopes: z.array(scopePatternSchema),
  access: accessSchema,
  created: time,
  expires: time.nullable(),
  revoked: time.nullable(),
});
export type StoredToken = z.infer<typeof storedSchema>;

/** @throws InvalidInputError for a request that does not fit. */
export function newToken(
  request: TokenRequest,
  created: number,
): { readonly token: string; readonly stored: StoredToken } {
  const parsed = tokenRequestSchema.safeParse(request);
  if (!parsed.success)
    throw new InvalidInputError(`The token cannot be issued: ${describeIssues(parsed.error)}`);
  const { token, id, hash } = makeToken();
  return { token, stored: { id, hash, ...parsed.data, created, revoked: null } };
}

export function entryOf({ hash: _, ...stored }: StoredToken, lastUsed: number | null): TokenEntry {
  return { ...stored, lastUsed };
}
