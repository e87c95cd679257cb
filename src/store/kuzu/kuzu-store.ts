import type { GraphChanges } from '../../model/graph-changes.ts';
import type { EpisodeId, Scope } from '../../model/ids.ts';
import type { Episode } from '../../model/nodes.ts';
import { checkChanges } from '../change-check.ts';
import { DatabaseStore } from '../database-store.ts';
import { EpisodeDirectory, type ListedEpisode } from '../episode-directory.ts';
import type { EpisodeReference, StoreDescription } from '../graph-store.ts';
import { realPath } from '../memory-file.ts';
import type { Compaction, CompactionOptions, FilesCopy, ScopeMark, StoreFiles } from '../store-files.ts';
import { confirmSwap } from '../swap-files.ts';
import { databaseCopy, walCopy } from './checkpoint-copies.ts';
import { buildCompacted } from './compact-file.ts';
import { replacementPath, sealPath, shadowPath, sizeOf, walPath } from './file-set.ts';
import type { KuzuSession } from './kuzu-connection.ts';
import { DATABASE_DEFAULTS, KuzuDatabase, type KuzuDatabaseOptions } from './kuzu-database.ts';
import { KuzuFingerprints } from './kuzu-fingerprints.ts';
import { KuzuReader } from './kuzu-reader.ts';
import { KuzuTables } from './kuzu-tables.ts';
import { encodeChanges, KuzuWriter, tablesOf } from './kuzu-writer.ts';
import { migrate } from './migrations.ts';
import { encodeName } from './row-codec.ts';
import * as cypher from './statements.ts';

export interface KuzuStoreOptions extends Partial<KuzuDatabaseOptions> {
  readonly path: string;
}

interface StoreParts {
  readonly tables: KuzuTables;
  readonly schemaVersion: number;
  readonly databaseId: string;
  readonly options: Partial<KuzuDatabaseOptions>;
}

/** The graph store in one Kùzu file. Created by `KuzuStore.open`; one per file across all processes. */
export class KuzuStore extends DatabaseStore {
  readonly #database: KuzuDatabase;
  readonly #tables: KuzuTables;
  readonly #reader: KuzuReader;
  readonly #fingerprints: KuzuFingerprints;
  readonly #schemaVersion: number;
  #databaseId: string;
  readonly #files: KuzuFiles;
  /** Loading or loaded; absent for scopes not used yet. */
  readonly #directories = new Map<Scope, Promise<EpisodeDirectory>>();

  private constructor(database: KuzuDatabase, { tables, schemaVersion, databaseId, options }: StoreParts) {
    const reader = new KuzuReader(database, tables);
    const fingerprints = new KuzuFingerprints(database, tables);
    super({ reader, fingerprints, encode: encodeName, closeDatabase: () => database.close() });
    this.#database = database;
    this.#tables = tables;
    this.#databaseId = databaseId;
    this.#reader = reader;
    this.#fingerprints = fingerprints;
    this.#schemaVersion = schemaVersion;
    this.#files = new KuzuFiles(database, {
      options,
      databaseId: () => this.#databaseId,
      state: async () => {
        const scopes = await this.scopes();
        return Promise.all(scopes.map(async (scope) => ({ scope, ...(await this.state(scope)) })));
      },
      renamed: (id) => {
        this.#databaseId = id;
      },
    });
  }

  /**
   * Opens or creates a database file (mode 0600; its folder must exist).
   *
   * @throws DatabaseLockedError, DatabaseCorruptError, SchemaTooNewError, DiskFullError; the file is unchanged.
   */
  static async open({ path, ...options }: KuzuStoreOptions): Promise<KuzuStore> {
    const database = await KuzuDatabase.open(realPath(path), { ...DATABASE_DEFAULTS, ...options });
    try {
      const schemaVersion = await migrate(database);
      const databaseId = await readDatabaseId(database);
      const tables = await KuzuTables.load(database);
      const store = new KuzuStore(database, { tables, schemaVersion, databaseId, options });
      await store.#fingerprints.load();
      const [sum] = await database.read(cypher.sumSequences);
      database.countCommits(Number(sum?.commits ?? 0));
      confirmSwap(database.path);
      return store;
    } catch (error) {
      await database.close();
      throw error;
    }
  }

  describe(): StoreDescription {
    return {
      path: this.#database.path,
      backend: 'kuzu',
      databaseId: this.#databaseId,
      schemaVersion: this.#schemaVersion,
      fingerprint: this.#fingerprints.inUse,
      nextFingerprint: this.#fingerprints.next,
      checkpointOverdue: this.#database.checkpointOverdue,
    };
  }

  files(): StoreFiles {
    return this.#files;
  }

  async commit(scope: Scope, changes: GraphChanges): Promise<number> {
    this.checkOpen();
    const summary = checkChanges(changes);
    const encoded = encodeChanges(changes);
    const kept: GraphChanges = { ...changes, ...structuredClone(omitNodes(changes)) };
    const listed = (changes.nodes?.episode ?? []).slice();
    const created = this.#tables.create(tablesOf(encoded, changes));
    const written = this.#database.write(
      async (session) => {
        await created;
        return this.#writer(session, scope).write(kept, encoded, summary);
      },
      { bytes: encoded.bytes, commits: 1 },
    );
    const [, sequence] = await Promise.all([created, written]);
    await this.#follow(scope, { ...kept, nodes: { episode: listed } });
    return sequence;
  }

  async episodesByKey(scope: Scope, keys: readonly string[]): Promise<ReadonlyMap<string, Episode>> {
    this.checkOpen();
    const directory = await this.#directory(scope);
    const ids = keys.flatMap((key) => directory.byKey(key) ?? []);
    const episodes = await this.get(scope, 'episode', ids);
    return new Map(episodes.map((episode) => [episode.key, episode]));
  }

  async findEpisodes(
    scope: Scope,
    references: readonly EpisodeReference[],
  ): Promise<readonly (EpisodeId | null)[]> {
    this.checkOpen();
    const directory = await this.#directory(scope);
    return references.map((reference) => directory.find(reference));
  }

  dropCaches(scope: Scope): void {
    this.#directories.delete(scope);
  }

  async removeScope(scope: Scope): Promise<void> {
    this.checkOpen();
    await this.#database.write((session) => session.run(cypher.removeScope, { scope: encodeName(scope) }));
    this.#directories.delete(scope);
  }

  async removeEmbeddings(scope: Scope, model: string, limit: number): Promise<number> {
    this.checkOpen();
    return this.#database.write((session) =>
      this.#writer(session, scope).removeEmbeddings(encodeName(model), limit),
    );
  }

  #writer(session: KuzuSession, scope: Scope): KuzuWriter {
    return new KuzuWriter(session, { scope: encodeName(scope), tables: this.#tables });
  }

  /** Loads a scope's directory in a write job, so that no commit runs between reading its rows and storing it. */
  #directory(scope: Scope): Promise<EpisodeDirectory> {
    const known = this.#directories.get(scope);
    if (known !== undefined) return known;
    const loading = this.#database.exclusive(async () => {
      const episodes: ListedEpisode[] = [];
      for await (const episode of this.#reader.listEpisodes(encodeName(scope))) episodes.push(episode);
      return new EpisodeDirectory(episodes);
    });
    this.#directories.set(scope, loading);
    loading.catch(() => this.#directories.delete(scope));
    return loading;
  }

  /** Must run in the write job of the commit: see the caller. */
  async #follow(scope: Scope, changes: GraphChanges): Promise<void> {
    const directory = await this.#directories.get(scope);
    if (directory !== undefined && !directory.follow(changes)) this.#directories.delete(scope);
  }
}

function omitNodes({
  unlinks = [],
  relationships = [],
  updates = [],
  removals = [],
}: GraphChanges): GraphChanges {
  return { unlinks, relationships, updates, removals };
}

interface FilesContext {
  readonly options: Partial<KuzuDatabaseOptions>;
  readonly databaseId: () => string;
  readonly state: () => Promise<readonly ScopeMark[]>;
  readonly renamed: (databaseId: string) => void;
}

/** Copies the files of an open database, or replaces them by compacted ones. */
class KuzuFiles implements StoreFiles {
  readonly #database: KuzuDatabase;
  readonly #context: FilesContext;

  constructor(database: KuzuDatabase, context: FilesContext) {
    this.#database = database;
    this.#context = context;
  }

  paths(): readonly string[] {
    const { path } = this.#database;
    const replacement = replacementPath(path);
    const copies = [databaseCopy(path), walCopy(path)];
    return [path, replacement]
      .flatMap((file) => [file, walPath(file), shadowPath(file), sealPath(file)])
      .concat(copies);
  }

  async copy(to: string, { signal }: { signal?: AbortSignal | undefined } = {}): Promise<FilesCopy> {
    const { databaseId, state } = this.#context;
    const inside = async () => ({ databaseId: databaseId(), scopes: await state() });
    const { result, heldMilliseconds } = await this.#database.copyFiles(to, { signal, inside });
    return { files: [to, walPath(to), sealPath(to)], ...result, heldMilliseconds };
  }

  async compact(options: CompactionOptions = {}): Promise<Compaction> {
    const { path } = this.#database;
    const bytes = () => sizeOf(path) + sizeOf(walPath(path));
    const done = await this.#database.replaceFile(async () => {
      const bytesBefore = bytes();
      const rows = await buildCompacted(this.#database, this.#context.options, options);
      return { rows, bytesBefore };
    });
    this.#context.renamed(await readDatabaseId(this.#database));
    return { ...done, bytesAfter: bytes() };
  }
}

async function readDatabaseId(database: KuzuDatabase): Promise<string> {
  const [meta] = await database.read(cypher.readDatabaseId);
  return String(meta?.id);
}
