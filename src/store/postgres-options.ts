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
