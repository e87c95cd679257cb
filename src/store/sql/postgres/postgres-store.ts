import { randomUUID } from 'node:crypto';
import type { GraphChanges, NewNodes } from '../../../model/graph-changes.ts';
import type { Scope } from '../../../model/ids.ts';
import { NODE_KINDS, type NodeKind, type NodeRows } from '../../../model/nodes.ts';
import type { GraphStore, ScopeState } from '../../graph-store.ts';
import type { PostgresOptions } from '../../postgres-options.ts';
import type { ReadTurnWords } from '../../scope-search.ts';
import type {
  CommitNotice,
  LeaseKind,
  LoggedCommit,
  SharedSnapshots,
  StoreSharing,
} from '../../store-sharing.ts';
import { type LoggedChanges, readLog } from '../commit-log.ts';
import { endLease, takeLease } from '../scope-lease.ts';
import { SqlSnapshots } from '../shared-snapshots.ts';
import { decodeScope, encodeText } from '../sql-codec.ts';
import { tableIn } from '../sql-database.ts';
import { SqlMeta } from '../sql-meta.ts';
import { SCOPE_TABLE } from '../sql-schema.ts';
import { SqlStore, type SqlStoreParts } from '../sql-store.ts';
import { PostgresLargeScopes } from './large-scopes/postgres-large-scopes.ts';
import { CommitChannel } from './postgres-channel.ts';
import { PostgresDatabase } from './postgres-database.ts';

const DEFAULT_LEASE_MILLISECONDS = 30_000;

interface Analysis {
  /** How turns are read for searches in the database. Default: no scope is searched there. */
  readonly readWords?: ReadTurnWords;
}

/**
 * Opens or creates a memory on a Postgres server (12 or newer), which any number of processes can have open.
 *
 * @throws PackageMissingError, SchemaTooNewError; StoreReadError where the server cannot be reached or refuses.
 */
export async function openPostgresStore(
  options: PostgresOptions,
  { readWords }: Analysis = {},
): Promise<GraphStore> {
  const database = await PostgresDatabase.open(options);
  try {
    const meta = new SqlMeta(database);
    await meta.load();
    const { leaseMilliseconds = DEFAULT_LEASE_MILLISECONDS, searchInDatabaseAbove: above } = options;
    const largeScopes = await PostgresLargeScopes.prepare(database, { above, readWords });
    const parts = { backend: 'postgres', meta, files: null, process: randomUUID(), largeScopes };
    return new PostgresStore(database, { ...parts, leaseMilliseconds });
  } catch (error) {
    await database.close();
    throw error;
  }
}

interface PostgresStoreParts extends SqlStoreParts {
  readonly process: string;
  readonly leaseMilliseconds: number;
}

/** A store of several processes: commits are compared, logged and announced to the others. */
class PostgresStore extends SqlStore implements StoreSharing {
  readonly leaseMilliseconds: number;
  readonly snapshots: SharedSnapshots;
  readonly #database: PostgresDatabase;
  readonly #process: string;
  readonly #channel: CommitChannel;

  constructor(database: PostgresDatabase, parts: PostgresStoreParts) {
    super(database, parts);
    this.#database = database;
    this.#process = parts.process;
    this.#channel = new CommitChannel(database, parts.process);
    this.leaseMilliseconds = parts.leaseMilliseconds;
    this.snapshots = new SqlSnapshots(database);
  }

  override sharing(): StoreSharing {
    return this;
  }

  override async commitAfter(
    scope: Scope,
    changes: Parameters<SqlStore['commitAfter']>[1],
    after: ScopeState | null,
  ): Promise<ScopeState> {
    const state = await super.commitAfter(scope, changes, after);
    this.#channel.announce({ scope, sequence: state.sequence });
    return state;
  }

  async commitsSince(scope: Scope, state: ScopeState): Promise<readonly LoggedCommit[] | null> {
    const name = encodeText(scope);
    const logged = await this.#database.read(name, (session) => readLog(session, name, state));
    return logged === null ? null : withRows(this, scope, logged);
  }

  async states(scopes: readonly Scope[]): Promise<ReadonlyMap<Scope, ScopeState>> {
    if (scopes.length === 0) return new Map();
    const { dialect } = this.#database;
    const sql = `SELECT scope, sequence, token FROM ${tableIn(dialect, SCOPE_TABLE)} WHERE sequence > 0 AND ${dialect.isIn('scope')}`;
    const rows = await this.#database.read(null, (session) => session.all(sql, [scopes.map(encodeText)]));
    return new Map(
      rows.map((row) => [
        decodeScope(row.scope),
        { sequence: Number(row.sequence), token: Number(row.token) },
      ]),
    );
  }

  async takeLease(scope: Scope, kind: LeaseKind): Promise<boolean> {
    const claim = { scope: encodeText(scope), kind, process: this.#process };
    return this.#database.write(claim.scope, (session) => takeLease(session, claim, this.leaseMilliseconds));
  }

  async endLease(scope: Scope, kind: LeaseKind): Promise<void> {
    const claim = { scope: encodeText(scope), kind, process: this.#process };
    await this.#database.write(claim.scope, (session) => endLease(session, claim));
  }

  listen(heard: (notice: CommitNotice | null) => void): () => Promise<void> {
    return this.#channel.listen(heard);
  }

  override async close(): Promise<void> {
    await this.#channel.close();
    await super.close();
  }
}

type Entry = { readonly state: ScopeState; readonly changes: LoggedChanges };

/** Puts rows in the place of their ids, with one query for each kind. */
async function withRows(
  store: Pick<GraphStore, 'get'>,
  scope: Scope,
  entries: readonly Entry[],
): Promise<LoggedCommit[]> {
  const rows = new Map<NodeKind, ReadonlyMap<string, NodeRows[NodeKind]>>();
  for (const kind of NODE_KINDS) {
    const ids = entries.flatMap(({ changes }) => changes.nodes?.[kind] ?? []);
    const found = ids.length === 0 ? [] : await store.get(scope, kind, ids);
    rows.set(kind, new Map(found.map((row) => [row.id as string, row])));
  }
  return entries.map(({ state, changes: { nodes = {}, ...changes } }) => {
    const kinds = Object.entries(nodes) as [NodeKind, readonly string[]][];
    const whole = kinds.map(([kind, ids]) => [kind, ids.flatMap((id) => rows.get(kind)?.get(id) ?? [])]);
    return {
      state,
      changes: { ...changes, nodes: Object.fromEntries(whole) as NewNodes } satisfies GraphChanges,
    };
  });
}
