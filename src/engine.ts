import { z } from 'zod';
import { ChangeFeed, ReportedStore } from './browse/feed/change-feed.ts';
import type { ForgetEvent, ForgetReport } from './edit/forget/forget-event.ts';
import type { EngineContext, IngestSettings } from './engine/engine-context.ts';
import { afterRemoval } from './engine/forgetting/after-removal.ts';
import { deleteScope } from './engine/forgetting/delete-scope.ts';
import { hierarchySetup, updateAfterForgetting } from './engine/hierarchy/hierarchy-setup.ts';
import type { IndexCache, LoadedIndex } from './engine/index-cache.ts';
import { endWork } from './engine/ingestion/consolidate.ts';
import { MemoryScope } from './engine/memory-scope.ts';
import { useFile } from './engine/open-files.ts';
import {
  checkEmbedder,
  checkOpenOptions,
  type MemoryPlace,
  type OpenOptions,
} from './engine/open-options.ts';
import { OpenScopes } from './engine/open-scopes.ts';
import { Run } from './engine/run.ts';
import { ScopeResidency } from './engine/scope-residency.ts';
import { ScopeSession } from './engine/scope-session.ts';
import type { SearchOptions } from './engine/search-options.ts';
import { type ScopesSearch, searchScopes } from './engine/search-scopes.ts';
import { InvalidInputError, StoreClosedError, UnfinishedCopyError } from './errors/index.ts';
import type { BackupSummary } from './files/backup/backup.ts';
import type { CheckReport } from './files/backup/check-report.ts';
import type { CompactEvent, CompactReport } from './files/backup/compact.ts';
import type { RepairOptions, RepairReport } from './files/backup/repair.ts';
import { type MatchOptions, matchEmbedder } from './files/match-embedder.ts';
import type { ReembedEvent, ReembedResult } from './files/reembed/reembed.ts';
import {
  AbsentEmbedder,
  type EmbeddingInUse,
  EmbeddingSwitch,
} from './inference/embedder/embedding-switch.ts';
import { StaticEmbedder } from './inference/embedder/static-embedder.ts';
import type { Embedder } from './inference/embedder.ts';
import type { Admission } from './ingest/admit/admission.ts';
import { compileNeverRemember } from './ingest/admit/never-remember.ts';
import { DEFAULT_LLM_PROFILE, DEFAULT_LOCAL_PROFILE, profileNamed } from './ingest/profile.ts';
import { stagesOf } from './ingest/stages.ts';
import type { CallOptions } from './model/call-options.ts';
import type { Scope } from './model/ids.ts';
import { analyze } from './search/analyzer.ts';
import { CachedStore } from './store/cached-store.ts';
import { unfinishedCopyOf } from './store/copy-mark.ts';
import { type GraphStore, type StoreDescription, sameFingerprint } from './store/graph-store.ts';
import { InMemoryStore } from './store/in-memory/in-memory-store.ts';
import { SharedStore } from './store/shared-store.ts';
import { withoutPassword } from './util/database-url.ts';
import { newId } from './util/new-id.ts';

export type { MemoryPlace, OpenOptions } from './engine/open-options.ts';

/** Scope names are compared exactly: two names that differ name two memories. */
const scopeSchema = z
  .string()
  .min(1)
  .max(200)
  .refine((name) => name === name.trim() && name.isWellFormed());

/**
 * Which embedder `Mnemis.reembed` moves the memory to. If `signal` aborts, the move stops; vectors already moved are
 * kept.
 */
export interface ReembedOptions extends CallOptions {
  /** Default: the embedder that the engine was opened with. */
  readonly embedder?: Embedder;
}

/** What every `Mnemis` of one open memory shares. */
interface Opened {
  readonly context: EngineContext;
  readonly scopes: OpenScopes;
  readonly move: {
    isRunning: boolean;
    /** A move that did not end may have stored vectors that searches do not compare yet. */
    isBrokenOff: boolean;
  };
}

/**
 * An open memory. One process at a time has a file open; a second open fails and names that process, or waits for it
 * (`wait`). Within a process, every open of a file gives the same memory, which the last `close` closes.
 */
export class Mnemis {
  readonly #context: EngineContext;
  readonly #scopes: OpenScopes;
  readonly #move: Opened['move'];
  readonly #close: () => Promise<void>;
  #closing: Promise<void> | null = null;

  private constructor(opened: Opened, close: () => Promise<void>) {
    // JavaScript can call it, although TypeScript forbids it.
    if ((opened as Partial<Opened> | undefined)?.context === undefined)
      throw new InvalidInputError('A memory is not made with new; open it with: await Mnemis.open({ path })');
    this.#context = opened.context;
    this.#scopes = opened.scopes;
    this.#move = opened.move;
    this.#close = close;
  }

  /**
   * Opens a memory, creates its file and folder if missing, and locks the file until `close`. It needs no network and
   * calls no model; each scope loads its indexes on first use. A file that this process has open is not opened again.
   *
   * @throws InvalidInputError, also for other options than those of the first open in this process;
   *   FolderNotWritableError, DatabaseLockedError, DatabaseCorruptError, SchemaTooNewError, EmbeddingMismatchError,
   *   UnfinishedCopyError, CancelledError: the file is unchanged.
   */
  static async open(options: OpenOptions & MemoryPlace): Promise<Mnemis> {
    checkOpenOptions(options);
    const open = async () => {
      const opened = await openMemory(options);
      const engine = (close: () => Promise<void>) => new Mnemis(opened, close);
      return { engine, close: () => closeMemory(opened) };
    };
    const path = isInProcess(options) ? null : await (await import('./files/open-store.ts')).fileOf(options);
    const { engine, close } = path === null ? await open() : await useFile(path, options, open);
    return engine(close);
  }

  /** The memory of one user, agent or project. The same name returns the same object. */
  scope(name: string): MemoryScope {
    if (this.#closing !== null) throw new StoreClosedError();
    const parsed = scopeSchema.safeParse(name);
    if (!parsed.success)
      throw new InvalidInputError(
        'A scope’s name must have 1 to 200 characters, none of them white space at its ends or half a surrogate pair',
      );
    const known = this.#scopes.get(parsed.data);
    if (known !== undefined) return known;
    const session = new ScopeSession(parsed.data as Scope, this.#context);
    const scope = new MemoryScope(session);
    this.#scopes.add(session, scope);
    return scope;
  }

  /**
   * Searches several scopes, and nothing of any other: the caller vouches that whoever asks may read all of them. `items`
   * holds the most relevant of all, each with its scope.
   *
   * @throws InvalidInputError, CancelledError.
   */
  async searchScopes(
    scopes: readonly string[],
    query: string,
    options: SearchOptions = {},
  ): Promise<ScopesSearch> {
    return searchScopes(scopes, { ...options, query, open: (scope) => this.scope(scope) });
  }

  /** Names of the scopes that hold at least one row. */
  async scopes(): Promise<readonly string[]> {
    return this.#context.store.scopes();
  }

  /**
   * Removes a scope with everything in it, its name, its tombstones and its records, and proves it as `forget` does. Await
   * it for the report, or iterate over its progress. What is added meanwhile goes too. Interrupted, it has forgotten
   * everything or nothing of the scope; call it again. Afterwards `scope(name)` gives a new, empty memory, and older objects
   * of the scope refuse every call. The name stays in the file until `compact`.
   *
   * @throws InvalidInputError, CancelledError, ForgettingStoppedError.
   */
  deleteScope(name: string, options: CallOptions = {}): Run<ForgetEvent, ForgetReport> {
    const { name: scope } = this.scope(name);
    return deleteScope(this.#scopes.session(scope)!, this.#scopes, options);
  }

  /**
   * Describes the store: path, backend, schema version, the embedder whose vectors are compared (null if there is
   * none yet), and the embedder of an unfinished move, if any. Reads no rows.
   */
  describe(): StoreDescription {
    return this.#context.store.describe();
  }

  /** The ingest profile in use and its tier. */
  describeIngestion(): { readonly profile: string; readonly tier: 'local' | 'llm' } {
    const { name, tier } = this.#context.ingest.profile;
    return { profile: name, tier };
  }

  /**
   * Moves the whole memory to another embedder: embeds every text again, switches searches over
   * in one step, and removes the old vectors. Until the switch, searches and adds use the old embedder, and added
   * texts are moved too. With the embedder in use, it only adds missing vectors. Await it for the result, or iterate
   * over its progress; after any interruption another call resumes it.
   *
   * @throws NotEnoughRoomError before anything is changed: the old and the new vectors are both stored until the
   *   switch.
   * @throws CancelledError, ReembedStoppedError when the embedder fails, DiskFullError, StoreWriteError: moved
   *   vectors are kept, and the memory works as before.
   */
  reembed(options: ReembedOptions = {}): Run<ReembedEvent, ReembedResult> {
    return new Run((signal) => this.#reembed({ ...options, signal }), options.signal);
  }

  async *#reembed(options: ReembedOptions): AsyncGenerator<ReembedEvent> {
    const { embedding, newId, shared } = this.#context;
    const store = shared?.unread ?? this.#context.store;
    if (this.#closing !== null) throw new StoreClosedError();
    if (this.#move.isRunning) throw new InvalidInputError('The memory is being moved to an embedder already');
    const { embedder = embedding.current.embedder, signal } = options;
    checkEmbedder(embedder);
    if (embedder instanceof AbsentEmbedder)
      throw new InvalidInputError(
        'The memory was opened without an embedder; hand reembed the one to move to',
      );
    const hasFiles = store.files() !== null;
    this.#move.isRunning = true;
    const wasBrokenOff = this.#move.isBrokenOff;
    this.#move.isBrokenOff = true;
    try {
      const [{ reembed }, { measureRoom }] = await Promise.all([
        import('./files/reembed/reembed.ts'),
        import('./files/reembed/move.ts'),
      ]);
      yield* reembed({
        store,
        embedder,
        newId,
        signal,
        room: async () => (hasFiles ? measureRoom(store.describe().path) : null),
        comparesVectors: embedding.current.comparesVectors && !wasBrokenOff,
        switchOver: (complete) => this.#switchOver(embedder, complete),
      });
      this.#move.isBrokenOff = false;
    } finally {
      this.#move.isRunning = false;
    }
  }

  /** Runs while nobody writes or loads an index. Every step that can fail comes before the step that changes state. */
  async #switchOver(embedder: Embedder, complete: () => Promise<void>): Promise<void> {
    const { store, embedding } = this.#context;
    await embedding.gate.exclusive(async () => {
      await complete();
      const built: (readonly [IndexCache, LoadedIndex])[] = [];
      for (const cache of this.#scopes.indexes()) {
        const index = await cache.build({ embedder, comparesVectors: true });
        if (index !== null) built.push([cache, index]);
      }
      const { fingerprint } = store.describe();
      if (fingerprint === null || !sameFingerprint(fingerprint, embedder.fingerprint))
        await store.adoptNextFingerprint();
      embedding.replace(embedder);
      for (const [cache, index] of built) cache.replace(index);
    });
  }

  /**
   * Copies the memory while it is in use: database, log and indexes, with a manifest of checksums, into a new folder.
   * If a forgetting cannot be completed, its record is copied too, and opening the copy completes it.
   *
   * @throws InvalidInputError, NotEnoughRoomError, CancelledError, DiskFullError: the incomplete backup is deleted.
   */
  async backup(target: string, options: CallOptions = {}): Promise<BackupSummary> {
    if (this.#closing !== null) throw new StoreClosedError();
    for (const name of await this.#context.store.scopes())
      await this.scope(name)
        .settle()
        .catch(() => undefined); // the summary says which forgettings are pending
    const { backup } = await import('./files/backup/backup.ts');
    return backup(this.#context, target, options);
  }

  /**
   * Copies every row into a new file and replaces the old file with it, so that removed rows are erased from disk.
   * Searches wait during the last step, adds during all of it. Await it for the report, or iterate over its progress.
   *
   * @throws InvalidInputError for an in-memory store, NotEnoughRoomError, CancelledError, DiskFullError,
   *   StoreWriteError: the memory is unchanged.
   */
  compact(options: CallOptions = {}): Run<CompactEvent, CompactReport> {
    return new Run((signal) => this.#compact({ signal }), options.signal);
  }

  async *#compact(options: CallOptions): AsyncGenerator<CompactEvent> {
    if (this.#closing !== null) throw new StoreClosedError();
    await this.#settle();
    const { compact } = await import('./files/backup/compact.ts');
    yield* compact({ ...this.#context, indexes: this.#scopes.indexes() }, options);
  }

  /** Checks every row, edge and vector of the memory. Writes wait until it ends. */
  async verify(options: CallOptions = {}): Promise<CheckReport> {
    if (this.#closing !== null) throw new StoreClosedError();
    const { checkMemory } = await import('./files/backup/check-memory.ts');
    return this.#context.embedding.gate.exclusive(() => checkMemory(this.#context, options));
  }

  /**
   * Repairs what `verify` finds and reports what remains and what to do about it. Makes a backup first if rows
   * change.
   *
   * @throws InvalidInputError, NotEnoughRoomError for the backup: nothing is changed. CancelledError, DiskFullError,
   *   StoreWriteError: completed repairs are kept, and another call resumes.
   */
  async repair(options: RepairOptions = {}): Promise<RepairReport> {
    if (this.#closing !== null) throw new StoreClosedError();
    const { store, embedding, snapshotFolder, clock, newId } = this.#context;
    const { embedder, comparesVectors } = embedding.current;
    const { signal } = options;
    const [{ repair }, { backup }] = await Promise.all([
      import('./files/backup/repair.ts'),
      import('./files/backup/backup.ts'),
    ]);
    return repair(
      {
        store,
        snapshotFolder,
        clock,
        newId,
        settle: (scope) => this.scope(scope).settle(),
        backup: (folder) => backup(this.#context, folder, signal ? { signal } : {}),
        exclusive: (job) => embedding.gate.exclusive(job),
        changed: () => {
          for (const index of this.#scopes.indexes()) index.invalidate();
        },
        embed:
          embedder instanceof AbsentEmbedder || !comparesVectors
            ? null
            : async () => void (await this.reembed(signal ? { signal } : {})),
      },
      options,
    );
  }

  /** Completes pending forgettings, so that no copy of the memory contains forgotten rows. */
  async #settle(): Promise<void> {
    for (const name of await this.#context.store.scopes()) await this.scope(name).settle();
  }

  /**
   * Waits for running work, saves the indexes and releases the file, unless this process has opened the file elsewhere
   * too. Idempotent.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Same as `close`, for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

async function openMemory(options: OpenOptions): Promise<Opened> {
  const embedder = options.embedder === undefined ? await StaticEmbedder.load(analyze) : options.embedder;
  const logger = options.logger ?? { warn: (message) => process.emitWarning(message, 'MnemisWarning') };
  const { whenEmbedderDiffers = 'refuse' } = options;
  const ingest = ingestSettings(options);
  const hierarchy = hierarchySetup(options, ingest);
  const admission = admissionOf(options);
  const clock = options.clock ?? Date.now;
  const feed = new ChangeFeed(clock);
  const { store, shared } = await openStore(options, feed);
  const hasFiles = store.files() !== null;
  let embedding: EmbeddingInUse;
  try {
    refuseUnfinishedCopy(store);
    embedding = await embeddingFor(store, embedder, { whenEmbedderDiffers, logger });
  } catch (error) {
    await store.close();
    throw error;
  }
  const context: EngineContext = {
    store,
    shared,
    embedding: new EmbeddingSwitch(embedding),
    ingest,
    admission,
    hierarchy,
    languageModel: options.languageModel,
    reranker: options.reranker,
    textHolders: options.textHolders ?? [],
    updateHierarchy: updateAfterForgetting(hierarchy),
    retention: options.retention,
    // Without snapshots, every reload of a scope would rebuild its indexes from the graph.
    residency: hasFiles || shared !== undefined ? residencyOf(options, shared !== undefined) : undefined,
    afterRemoval: afterRemoval({ ingest }),
    feed,
    clock,
    newId: options.newId ?? newId,
    logger,
    snapshotFolder: hasFiles ? `${store.describe().path}.indexes` : null,
  };
  const scopes = new OpenScopes({
    areKept: context.residency === undefined,
    dropped: (name) => context.shared?.unwatch(name as Scope),
  });
  return { context, scopes, move: { isRunning: false, isBrokenOff: false } };
}

/** Closes every scope even if one fails; throws the first failure. */
async function closeMemory({ context, scopes: open }: Opened): Promise<void> {
  const failures: unknown[] = [];
  const scopes = [...open.all()]; // held until the end: the residency lets go of them
  try {
    await context.residency?.close();
    for (const scope of scopes) await endWork(scope).catch((error: unknown) => void failures.push(error));
    if (failures.length > 0) throw failures[0];
  } finally {
    await context.feed?.close();
    await context.store.close();
  }
}

/** A process of a service has many scopes in use, most of them small: only their size counts. */
function residencyOf({ scopeMemoryMb }: OpenOptions, isShared: boolean): ScopeResidency {
  return new ScopeResidency({
    ...(scopeMemoryMb !== undefined && { mostBytes: scopeMemoryMb * 2 ** 20 }),
    ...(isShared && { mostScopes: Number.POSITIVE_INFINITY }),
  });
}

function ingestSettings({
  languageModel,
  profile,
  extractor,
  automatic = true,
}: OpenOptions): IngestSettings {
  const name = profile ?? (languageModel === undefined ? DEFAULT_LOCAL_PROFILE : DEFAULT_LLM_PROFILE);
  const settled = typeof name === 'string' ? profileNamed(name) : name;
  const stages = stagesOf(settled, { model: languageModel, extractor });
  const isRepeatable = settled.tier === 'local' && extractor === undefined;
  return { profile: settled, stages, isAutomatic: automatic, isRepeatable };
}

function admissionOf({ redactSecrets = true, neverRemember = [] }: OpenOptions): Admission {
  return {
    redactsSecrets: redactSecrets,
    neverRemember: neverRemember.length === 0 ? null : compileNeverRemember(neverRemember),
  };
}

/** @throws UnfinishedCopyError, because searches would not find what is not copied yet. */
function refuseUnfinishedCopy(store: GraphStore): void {
  const description = store.describe();
  if (unfinishedCopyOf(description) !== null)
    throw new UnfinishedCopyError(withoutPassword(description.path));
}

async function embeddingFor(
  store: GraphStore,
  embedder: Embedder | null,
  options: MatchOptions,
): Promise<EmbeddingInUse> {
  if (embedder !== null) return { embedder, comparesVectors: await matchEmbedder(store, embedder, options) };
  return { embedder: new AbsentEmbedder(store.describe().fingerprint), comparesVectors: false };
}

async function openStore(
  options: OpenOptions,
  feed: ChangeFeed,
): Promise<Pick<EngineContext, 'store' | 'shared'>> {
  if (isInProcess(options)) return { store: new ReportedStore(new InMemoryStore(), feed) };
  const [{ fileOf, openNamedStore }, { whenFree }] = await Promise.all([
    import('./files/open-store.ts'),
    import('./files/when-free.ts'),
  ]);
  const path = await fileOf(options);
  const open = () => openNamedStore(options);
  const named = path === null ? await open() : await whenFree(path, options, open);
  const port = named.sharing();
  const shared = port === null ? undefined : new SharedStore(named, port);
  return { store: new CachedStore(new ReportedStore(shared ?? named, feed)), shared };
}

function isInProcess({ path }: OpenOptions): boolean {
  return path?.trim() === ':memory:';
}
