import { z } from 'zod';
import type { PostgresOptions } from '../store/postgres-options.ts';

export type { PostgresOptions };

/** A memory on a Postgres server; made by `postgres`, opened by `Mnemis.open({ store })`. */
export interface PostgresLocation extends PostgresOptions {
  readonly kind: 'postgres';
}

/** Names a memory on a Postgres server. Needs the package `pg`. */
export function postgres(options: PostgresOptions): PostgresLocation {
  return { ...options, kind: 'postgres' };
}

const SCHEMA_NAME = /^[a-z_][a-z0-9_]{0,62}$/;

export const postgresLocationSchema = z.strictObject({
  kind: z.literal('postgres'),
  url: z
    .string()
    .regex(/^postgres(?:ql)?:\/\//i, 'is not a URL that begins with postgres://')
    .refine((url) => URL.canParse(url), 'is not a valid URL'),
  schema: z
    .string()
    .regex(SCHEMA_NAME, 'is not a name of lower-case letters, digits and underscores')
    .optional(),
  partitions: z.number().int().min(0).max(1_024).optional(),
  connections: z.number().int().min(2).max(1_000).optional(),
  retryMilliseconds: z.number().int().min(0).optional(),
  leaseMilliseconds: z.number().int().min(300).max(3_600_000).optional(),
  searchInDatabaseAbove: z.number().int().min(0).optional(),
});
