import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { DatabaseLockedError } from '../../../errors/index.ts';
import { tableIn } from '../sql-database.ts';
import { META_TABLE } from '../sql-schema.ts';
import { postgresDialect } from './postgres-dialect.ts';

/** Row of `meta`: the random name of the process that writes. */
const OWNER = 'owner';

/**
 * Makes one process the only user of a memory, because its indexes are in that process. An advisory lock of a connection
 * shows who uses it, and ends with the process. A name in the table `meta` is checked in every write, so that a process
 * that lost its connection, and with it the lock, cannot write after another one took over.
 */
export class PostgresOwner {
  readonly #connect: () => Promise<pg.Client>;
  readonly #location: string;
  readonly #schema: string;
  readonly name = randomUUID();
  #client: pg.Client | null = null;
  #isNamed = false;
  #taking: Promise<void> | null = null;

  constructor(connect: () => Promise<pg.Client>, { location, schema }: { location: string; schema: string }) {
    this.#connect = connect;
    this.#location = location;
    this.#schema = schema;
  }

  /** Takes the lock, unless this process holds it. @throws DatabaseLockedError */
  take(): Promise<void> {
    if (this.#client !== null) return Promise.resolve();
    this.#taking ??= this.#take().finally(() => {
      this.#taking = null;
    });
    return this.#taking;
  }

  /** Statement for the start of a writing transaction: its only row is the name of the owner. */
  get check(): string {
    return `SELECT value FROM ${this.#meta} WHERE name = '${OWNER}' FOR SHARE`;
  }

  /** @throws DatabaseLockedError unless the row that `check` read names this process. */
  confirm(found: unknown): void {
    if (found !== this.name) throw this.#locked();
  }

  async release(): Promise<void> {
    await this.#taking?.catch(() => undefined);
    const client = this.#client;
    this.#client = null;
    await client?.end();
  }

  async #take(): Promise<void> {
    const client = await this.#connect();
    try {
      client.on('error', () => undefined);
      const { rows } = await client.query<{ held: boolean }>(
        'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS held',
        [`mnemis ${this.#schema}`],
      );
      if (rows[0]?.held !== true) throw this.#locked();
      await this.#setName(client);
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
    client.on('end', () => {
      if (this.#client === client) this.#client = null;
    });
    this.#client = client;
  }

  /** Only once: a process that lost the lock to another one stays out. */
  async #setName(client: pg.Client): Promise<void> {
    if (this.#isNamed) return;
    await client.query(
      `INSERT INTO ${this.#meta} (name, value) VALUES ('${OWNER}', $1) ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
      [this.name],
    );
    this.#isNamed = true;
  }

  get #meta(): string {
    return tableIn(postgresDialect(this.#schema), META_TABLE);
  }

  #locked(): DatabaseLockedError {
    return new DatabaseLockedError(this.#location, 'another process');
  }
}
