import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';
import {
  DiskFullError,
  MnemisError,
  StoreClosedError,
  StoreReadError,
  StoreWriteError,
} from '../../../errors/index.ts';
import { loadOptional } from '../../../errors/load-optional.ts';
import { withoutPassword } from '../../../util/database-url.ts';
import { SharedGate } from '../../../util/serial-queue.ts';
import type { PostgresOptions } from '../../postgres-options.ts';
import {
  type IsStored,
  quoted,
  type SqlDatabase,
  type SqlDialect,
  type SqlScope,
  type SqlSession,
} from '../sql-database.ts';
import { postgresDialect } from './postgres-dialect.ts';
import { ALL_SCOPES_SETTING, prepareSchema, SCOPE_SETTING } from './postgres-schema.ts';
import { PostgresSession } from './postgres-session.ts';

const DEFAULT_SCHEMA = 'mnemis';
const DEFAULT_CONNECTIONS = 10;
const DEFAULT_RETRY_MILLISECONDS = 10_000;
const CONNECT_MILLISECONDS = 5_000;
/** An opening tries again for a shorter time: a wrong address is more likely than a server that starts. */
const OPENING_MILLISECONDS = 1_000;
const FIRST_PAUSE_MILLISECONDS = 50;
const LONGEST_PAUSE_MILLISECONDS = 1_000;

/** Object identifier of the type bigint; no value here exceeds 2^53. */
const BIGINT = 20;

interface Parts {
  readonly driver: typeof pg;
  readonly pool: pg.Pool;
  readonly connect: () => Promise<pg.Client>;
  readonly schema: string;
  readonly partitions: number;
  readonly retryMilliseconds: number;
}

/** What a server says of the id of a transaction that it has not had yet. */
const NOT_YET_GIVEN = '22023';

/** What COMMIT came to: `unknown` if no server can be asked. */
type Outcome = 'committed' | 'aborted' | 'unknown';

/**
 * A memory on a Postgres server, by a pool of connections. What a lost connection interrupts is done again on a new one,
 * also while the server restarts; where it was lost during COMMIT, the server is asked what became of the transaction.
 */
export class PostgresDatabase implements SqlDatabase {
  readonly dialect: SqlDialect;
  readonly location: string;
  readonly #parts: Parts;
  /** Closing waits for what is under way. */
  readonly #gate = new SharedGate();
  /** The reason why nothing may follow: the outcome of a write is unknown. */
  #fault: unknown = null;
  #closing: Promise<void> | null = null;

  static async open(options: PostgresOptions): Promise<PostgresDatabase> {
    const driver = await loadPg();
    const location = withoutPassword(options.url);
    const schema = options.schema ?? DEFAULT_SCHEMA;
    const settings = {
      connectionString: options.url,
      connectionTimeoutMillis: CONNECT_MILLISECONDS,
      keepAlive: true,
      application_name: 'mnemis',
      types: { getTypeParser: parserOf(driver) },
    };
    const pool = new driver.Pool({
      ...settings,
      pipeline: true,
      max: options.connections ?? DEFAULT_CONNECTIONS,
    });
    pool.on('error', () => undefined); // an idle connection was lost; the pool makes another one
    const connect = async () => {
      const client = new driver.Client(settings);
      client.on('error', () => undefined);
      await client.connect();
      return client;
    };
    const database = new PostgresDatabase(location, {
      driver,
      pool,
      connect,
      schema,
      partitions: options.partitions ?? 0,
      retryMilliseconds: options.retryMilliseconds ?? DEFAULT_RETRY_MILLISECONDS,
    });
    try {
      await database.#prepare();
      return database;
    } catch (error) {
      await database.close();
      throw error;
    }
  }

  private constructor(location: string, parts: Parts) {
    this.location = location;
    this.#parts = parts;
    this.dialect = postgresDialect(parts.schema);
  }

  read<T>(scope: SqlScope, job: (session: SqlSession) => Promise<T>): Promise<T> {
    return this.#retry('read', () => this.#asked(scope, job));
  }

  view<T>(scope: SqlScope, job: (database: SqlDatabase) => Promise<T>): Promise<T> {
    return this.#retry('read', () =>
      this.#connected(async (client) => {
        await client.query(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${this.#settingFor(scope)}`);
        const session = new PostgresSession(client, this.dialect);
        const result = await job(new PostgresView(this, session));
        await client.query('COMMIT');
        return result;
      }),
    );
  }

  write<T>(
    scope: SqlScope,
    job: (session: SqlSession) => Promise<T>,
    isStored: IsStored<T> = async () => true,
  ): Promise<T> {
    return this.#retry('write', () => this.#attempt(scope, job, isStored));
  }

  /**
   * Sends texts of less than 8,000 bytes to those who listen. As one message: PGlite lets the messages of one query with
   * parameters, outside a transaction, come between those of other connections.
   */
  async notify(texts: readonly string[]): Promise<void> {
    const { escapeLiteral } = this.#parts.driver;
    const channel = escapeLiteral(this.#channel);
    const sql = `SELECT pg_notify(${channel}, text) FROM unnest(ARRAY[${texts.map(escapeLiteral)}]::text[]) AS text`;
    await this.#gate.shared(() => this.#connected((client) => client.query(sql)));
  }

  /** A connection that hears what is sent; it emits `end` when it is lost. */
  async listen(heard: (text: string) => void): Promise<pg.Client> {
    const client = await this.#parts.connect();
    client.on('notification', ({ payload = '' }) => heard(payload));
    await client.query(`LISTEN ${quoted(this.#channel)}`);
    return client;
  }

  get #channel(): string {
    return `mnemis ${this.#parts.schema}`;
  }

  close(): Promise<void> {
    this.#closing ??= this.#gate.exclusive(() => this.#parts.pool.end());
    return this.#closing;
  }

  async #prepare(): Promise<void> {
    const { schema, partitions } = this.#parts;
    const { dialect, location } = this;
    const job = () =>
      this.#connected((client) => prepareSchema(client, { schema, dialect, location, partitions }));
    const milliseconds = Math.min(this.#parts.retryMilliseconds, OPENING_MILLISECONDS);
    await this.#retry('read', job, milliseconds);
  }

  #asked<T>(scope: SqlScope, job: (session: SqlSession) => Promise<T>): Promise<T> {
    return this.#connected(async (client, endWith) => {
      const begun = client.query(`BEGIN READ ONLY; ${this.#settingFor(scope)}`);
      const [result] = await Promise.all([job(new PostgresSession(client, this.dialect)), begun]);
      endWith(client.query('COMMIT')); // the result does not depend on it
      return result;
    });
  }

  /** One transaction. @throws what made it roll back, for certain. */
  async #attempt<T>(
    scope: SqlScope,
    job: (session: SqlSession) => Promise<T>,
    isStored: IsStored<T>,
  ): Promise<T> {
    const attempt = await this.#connected(async (client) => {
      // If a statement of the beginning fails, its transaction takes no other.
      const [transaction, result] = await Promise.all([
        this.#begin(client, scope), // first: statements run in the order in which they are asked for
        job(new PostgresSession(client, this.dialect)),
      ]);
      try {
        // After a failed statement the transaction answers ROLLBACK.
        const { command } = await client.query('COMMIT');
        return { result, transaction, outcome: command === 'COMMIT' ? 'committed' : 'aborted', error: null };
      } catch (error) {
        return { result, transaction, outcome: 'unknown', error };
      }
    });
    const isThere = () => this.#asked(scope, (session) => isStored(session, attempt.result));
    const outcome =
      attempt.outcome === 'unknown' ? await this.#outcomeOf(attempt.transaction, isThere) : attempt.outcome;
    if (outcome === 'committed') return attempt.result;
    if (outcome === 'aborted') throw attempt.error ?? new Error('the transaction was rolled back');
    this.#fault = attempt.error;
    throw this.#faultError();
  }

  /**
   * Begins a writing transaction and returns its id. One about the whole database, such as a change of the embedder, waits
   * for those of scopes, and they for it.
   */
  async #begin(client: pg.ClientBase, scope: SqlScope): Promise<string> {
    const lock = scope === null ? 'pg_advisory_xact_lock' : 'pg_advisory_xact_lock_shared';
    const key = this.#parts.driver.escapeLiteral(this.#channel);
    const answers = (await client.query(
      `BEGIN; ${this.#settingFor(scope)}; SELECT ${lock}(hashtextextended(${key}, 0)); SELECT txid_current()::text AS id`,
    )) as unknown as readonly pg.QueryResult[];
    return String(answers.at(-1)?.rows[0]?.id);
  }

  /**
   * Asks until a server answers, or the time is over. After a failover it can be one that never had the transaction: it
   * does not know the id, or gave it to another one.
   */
  async #outcomeOf(transaction: string, isThere: () => Promise<boolean>): Promise<Outcome> {
    const ask = async (): Promise<Outcome> => {
      const status = await this.#connected(async (client) => {
        const sql = 'SELECT CASE WHEN NOT pg_is_in_recovery() THEN txid_status($1::bigint) END AS status';
        const { rows } = await client.query(sql, [transaction]);
        return rows[0]?.status as unknown;
      }).catch((error) => {
        if (error.code === NOT_YET_GIVEN) return 'aborted';
        throw error;
      });
      if (status === 'aborted') return status;
      if (status === 'committed') return (await isThere()) ? status : 'aborted';
      throw Object.assign(new Error('the transaction still runs'), { code: '08000' });
    };
    return this.#again(ask).catch((): Outcome => 'unknown');
  }

  #settingFor(scope: SqlScope): string {
    return scope === null
      ? `SET LOCAL ${ALL_SCOPES_SETTING} = 'on'`
      : `SET LOCAL ${SCOPE_SETTING} = ${this.#parts.driver.escapeLiteral(scope)}`;
  }

  /**
   * Runs a job on a connection. One on which anything failed is not used again, and its transaction ends; after a refusal
   * of our own, the transaction is rolled back. The connection is kept until what the job ends with is over.
   */
  async #connected<T>(
    job: (client: pg.ClientBase, endWith: (last: Promise<unknown>) => void) => Promise<T>,
  ): Promise<T> {
    const client = await this.#parts.pool.connect();
    let failure: unknown = null;
    const failed = (error: unknown) => {
      failure ??= error;
    };
    let last: Promise<unknown> = Promise.resolve();
    client.on('error', failed);
    try {
      return await job(client, (end) => {
        last = end;
      });
    } catch (error) {
      if (MnemisError.isInstance(error)) last = client.query('ROLLBACK');
      else failed(error);
      throw error;
    } finally {
      void last.catch(failed).then(() => {
        client.off('error', failed);
        client.release(failure !== null);
      });
    }
  }

  async #retry<T>(doing: 'read' | 'write', job: () => Promise<T>, milliseconds?: number): Promise<T> {
    if (this.#closing !== null) throw new StoreClosedError();
    if (this.#fault !== null) throw this.#faultError();
    try {
      return await this.#gate.shared(() => this.#again(job, milliseconds));
    } catch (error) {
      throw asPostgresError(this.location, error, doing);
    }
  }

  async #again<T>(job: () => Promise<T>, milliseconds = this.#parts.retryMilliseconds): Promise<T> {
    const end = performance.now() + milliseconds;
    for (let pause = FIRST_PAUSE_MILLISECONDS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MILLISECONDS)) {
      try {
        return await job();
      } catch (error) {
        if (!isPassing(error) || performance.now() + pause > end || this.#closing !== null) throw error;
      }
      await wait(pause);
    }
  }

  #faultError(): StoreReadError {
    const reason = `${this.location}: the connection was lost during COMMIT, and no server tells whether the write is stored; open the memory again`;
    return new StoreReadError(reason, this.#fault);
  }
}

class PostgresView implements SqlDatabase {
  readonly dialect: SqlDialect;
  readonly location: string;
  readonly #session: SqlSession;

  constructor({ dialect, location }: Pick<SqlDatabase, 'dialect' | 'location'>, session: SqlSession) {
    this.dialect = dialect;
    this.location = location;
    this.#session = session;
  }

  read<T>(_: SqlScope, job: (session: SqlSession) => Promise<T>): Promise<T> {
    return job(this.#session);
  }

  view<T>(_: SqlScope, job: (database: SqlDatabase) => Promise<T>): Promise<T> {
    return job(this);
  }

  async write(): Promise<never> {
    throw new StoreReadError(`${this.location}: a view cannot be written`);
  }

  /** It ends with its transaction. */
  async close(): Promise<void> {}
}

function parserOf(driver: typeof pg): typeof pg.types.getTypeParser {
  const known = driver.types.getTypeParser;
  return ((id: number, format: 'text' | 'binary') =>
    id === BIGINT && format !== 'binary' ? Number : known(id, format)) as typeof pg.types.getTypeParser;
}

async function loadPg(): Promise<typeof pg> {
  const loaded = await loadOptional('A memory on a Postgres server', 'pg', () => import('pg'));
  return loaded.default;
}

/** How a connection ends, and states of a server that pass: shutdown, start, failover, a deadlock. */
const PASSING =
  /^(?:08...|57P0[123]|40001|40P01|25006|53300|ECONN(?:REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|EAI_AGAIN|ENOTFOUND|EHOSTUNREACH|ENETUNREACH)$/;
const BROKEN = /connection (?:terminated|ended|error|timeout)|timeout (?:expired|exceeded)|not queryable/i;
const DISK_FULL = '53100';
/** Messages of these classes quote values: data exception, integrity constraint violation. */
const QUOTES_VALUES = /^2[23]/;

function isPassing(error: unknown): boolean {
  const { code, message } = described(error);
  return PASSING.test(code) || (code === '' && BROKEN.test(message));
}

function asPostgresError(location: string, error: unknown, doing: 'read' | 'write'): MnemisError {
  if (MnemisError.isInstance(error)) return error;
  const { code, message } = described(error);
  if (code === DISK_FULL) return new DiskFullError(location, error);
  const reason = `${location}: ${QUOTES_VALUES.test(code) ? `error ${code}` : message}`;
  return doing === 'write' ? new StoreWriteError(reason, error) : new StoreReadError(reason, error);
}

function described(error: unknown): { code: string; message: string } {
  if (error instanceof AggregateError && error.errors.length > 0) return described(error.errors[0]); // all addresses of a name
  const { code, message } = error as { code?: unknown; message?: unknown };
  return { code: typeof code === 'string' ? code : '', message: String(message ?? error) };
}
