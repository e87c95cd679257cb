import { z } from 'zod';

/**
 * What a token allows. `read`: methods that read. `write`: also those that store, change and forget. `metrics`: the
 * server's figures alone, and no scope.
 */
export const accessSchema = z.enum(['read', 'write', 'metrics']);
export type Access = z.infer<typeof accessSchema>;

/** Name of a scope, or the beginning of names and `*`: `team-*`. `*` alone is every scope. */
export const scopePatternSchema = z
  .string()
  .min(1)
  .max(200)
  .refine(
    (pattern) => pattern === pattern.trim() && pattern.isWellFormed() && !pattern.slice(0, -1).includes('*'),
    { error: 'it must be the name of a scope, or the beginning of names and * at its end' },
  );

/** Who asks, and for which scopes. */
export interface Grant {
  /** For the audit log and the rate limit; never a secret. */
  readonly id: string;
  readonly scopes: readonly string[];
  readonly access: Access;
  /** In milliseconds since 1970; null if it does not expire. */
  readonly expires: number | null;
  /** Whether another party issued the token, so that it cannot be revoked here. */
  readonly isForeign?: boolean;
}

/** Whether the grant covers a scope. What no pattern names is denied. */
export function covers({ scopes, access }: Pick<Grant, 'scopes' | 'access'>, scope: string): boolean {
  if (access === 'metrics') return false;
  return scopes.some((pattern) =>
    pattern.endsWith('*') ? scope.startsWith(pattern.slice(0, -1)) : scope === pattern,
  );
}

/** The scope of a grant that covers exactly one; null for others. */
export function onlyScope({ scopes, access }: Pick<Grant, 'scopes' | 'access'>): string | null {
  const [scope, ...more] = scopes;
  const isOne = scope !== undefined && more.length === 0 && !scope.endsWith('*') && access !== 'metrics';
  return isOne ? scope : null;
}
