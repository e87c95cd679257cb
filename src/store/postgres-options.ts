import { z } from 'zod';

/** Where a memory on a Postgres server is, and how to reach it. */
export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`, with the parameters of the driver, for example `sslmode`. */
  readonly url: string;
  /** SQL schema that holds the tables, created if missing: one memory each. Default `mnemis`. */
  readonly schema?: string;
  /**
   * Number of partitions of each table, by a hash of the scope; used when the memory is created, and then fixed. Default 0:
   * tables without partitions.
   */
  readonly partitions?: number;
  /** Most connections at once. Default 10. */
  readonly connections?: number;
  /** How long a lost connection is tried again before a call fails, in milliseconds. Default 10,000. */
  readonly retryMilliseconds?: number;
  /**
   * After this time without a sign of life, another process goes on with the work that a dead one had begun on a scope,
   * in milliseconds. Default 30,000.
   */
  readonly leaseMilliseconds?: number;
  /**
   * Scopes with more live turns and facts than this are searched in the database, and their vectors and words are not
   * held in memory. Needs the extension `vector` (pgvector 0.7 or newer); without it they are held. Default: every scope
   * is held.
   */
  readonly searchInDatabaseAbove?: number;
}

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
