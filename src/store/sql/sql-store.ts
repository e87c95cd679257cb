import type { GraphChanges } from '../../model/graph-changes.ts';
import type { EpisodeId, Scope } from '../../model/ids.ts';
import type { EmbeddingFingerprint, Episode } from '../../model/nodes.ts';
import { checkChanges } from '../change-check.ts';
import { DatabaseStore } from '../database-store.ts';
import type { EpisodeReference, GraphStore, ScopeState, StoreDescription } from '../graph-store.ts';
import { HELD_IN_MEMORY, type OpenedSearch } from '../scope-search.ts';
import type { StoreFiles } from '../store-files.ts';
import { COMMIT_LOG_TABLE, isLogged, logOf, NOTHING_LOGGED } from './commit-log.ts';
import { SNAPSHOT_TABLE } from './shared-snapshots.ts';
import { encodeText } from './sql-codec.ts';
import { type SqlDatabase, type SqlSession, tableIn } from './sql-database.ts';
import type { SqlMeta } from './sql-meta.ts';
import { SqlReader } from './sql-reader.ts';
import { SCOPE_TABLE } from './sql-schema.ts';
import { encodeChanges, SqlWriter } from './sql-writer.ts';

/** Searches large scopes inside the database, by rows that it derives from the graph's. Texts are encoded. */
export interface LargeScopes {
  open(scope: string, fingerprint: EmbeddingFingerprint): Promise<OpenedSearch>;
  /** The same within a view, which builds no tables. */
  inView(database: SqlDatabase): LargeScopes;
  /** Whether the scope is searched in the database, once its row is locked. */
  isLarge(session: SqlSession, scope: string): Promise<boolean>;
  /** Runs after the changes are written, in the same transaction. */
  follow(session: SqlSession, scope: string, changes: GraphChanges): Promise<void>;
  /** The vectors of an embedder are being removed. */
  removeModel(session: SqlSession, scope: string, model: string): Promise<void>;
  removeScope(session: SqlSession, scope: string): Promise<void>;
}

export interface SqlStoreParts {
  readonly backend: string;
  readonly meta: SqlMeta;
  readonly files: StoreFiles | null;
  /** The name of this process, for a database of several; null for one that this process has alone. */
  readonly process: string | null;
  readonly largeScopes?: LargeScopes;
}

/**
 * The graph store in a SQL database: one schema and one set of statements for SQLite and Postgres. Holds no rows in
 * memory. Created by `openSqliteStore` and, as what `PostgresStore` adds to, by `openPostgresStore`.
 */
export class SqlStore extends DatabaseStore {
  readonly #database: SqlDatabase;
  readonly #reader: SqlReader;
  readonly #parts: SqlStoreParts;

  constructor(database: SqlDatabase, parts: SqlStoreParts) {
    const reader = new SqlReader(database);
    super({ reader, fingerprints: parts.meta, encode: encodeText, closeDatabase: () => database.close() });
    this.#database = database;
    this.#reader = reader;
    this.#parts = parts;
  }

  describe(): StoreDescription {
    const { backend, meta } = this.#parts;
    return { path: this.#database.location, backend, ...meta.current, checkpointOverdue: false };
  }

  files(): StoreFiles | null {
    return this.#parts.files;
  }

  async commit(scope: Scope, changes: GraphChanges): Promise<number> {
    return (await this.commitAfter(scope, changes, null)).sequence;
  }

  /** As `StoreSharing.commitAfter`, where several processes use the database; elsewhere, the state is not compared. */
  async commitAfter(scope: Scope, changes: GraphChanges, after: ScopeState | null): Promise<ScopeState> {
    this.checkOpen();
    const encoded = encodeChanges(changes, checkChanges(changes));
    const name = encodeText(scope);
    const { process, meta, largeScopes } = this.#parts;
    const shared = process === null ? null : { process, after, logged: logOf(changes) };
    const hasVectors = (changes.nodes?.embedding?.length ?? 0) > 0;
    const state = await this.#database.write(
      name,
      async (session) => {
        let isFollowed = false;
        const state = await new SqlWriter(session, name, shared).write(encoded, [
          async () => {
            if (shared !== null && hasVectors) await meta.check(session);
          },
          async () => {
            isFollowed = (await largeScopes?.isLarge(session, name)) ?? false;
          },
        ]);
        if (isFollowed) await largeScopes?.follow(session, name, changes);
        return state;
      },
      (session, written) => isLogged(session, name, written),
    );
    if (encoded.removals.size > 0) await this.#database.erase?.();
    return state;
  }

  override async view<T>(
    scope: Scope,
    job: (store: GraphStore, state: ScopeState) => Promise<T>,
  ): Promise<T> {
    this.checkOpen();
    return this.#database.view(encodeText(scope), async (database) => {
      const { largeScopes, ...parts } = this.#parts;
      const inView = largeScopes?.inView(database);
      const store = new SqlStore(database, { ...parts, ...(inView && { largeScopes: inView }) });
      return job(store, await store.state(scope));
    });
  }

  async episodesByKey(scope: Scope, keys: readonly string[]): Promise<ReadonlyMap<string, Episode>> {
    this.checkOpen();
    return this.#reader.episodesByKey(encodeText(scope), keys);
  }

  async findEpisodes(
    scope: Scope,
    references: readonly EpisodeReference[],
  ): Promise<readonly (EpisodeId | null)[]> {
    this.checkOpen();
    return this.#reader.findEpisodes(encodeText(scope), references);
  }

  override async openSearch(scope: Scope, fingerprint: EmbeddingFingerprint): Promise<OpenedSearch> {
    this.checkOpen();
    return (await this.#parts.largeScopes?.open(encodeText(scope), fingerprint)) ?? HELD_IN_MEMORY;
  }

  /** There is no cache: the store holds no rows. */
  dropCaches(): void {}

  async removeScope(scope: Scope): Promise<void> {
    this.checkOpen();
    const name = encodeText(scope);
    const { process, largeScopes } = this.#parts;
    const beside = process === null ? [] : [COMMIT_LOG_TABLE.name, SNAPSHOT_TABLE.name];
    await this.#database.write(name, async (session) => {
      await largeScopes?.removeScope(session, name);
      for (const table of [SCOPE_TABLE, ...beside])
        await session.run(`DELETE FROM ${tableIn(session.dialect, table)} WHERE scope = ?`, [name]);
    });
    await this.#database.erase?.();
  }

  async removeEmbeddings(scope: Scope, model: string, limit: number): Promise<number> {
    this.checkOpen();
    const name = encodeText(scope);
    const { process, largeScopes } = this.#parts;
    const shared = process === null ? null : { process, after: null, logged: NOTHING_LOGGED };
    return this.#database.write(name, async (session) => {
      await largeScopes?.removeModel(session, name, encodeText(model));
      return new SqlWriter(session, name, shared).removeEmbeddings(encodeText(model), limit);
    });
  }
}
