import { type EmbeddingInUse, wordsAlone } from '../inference/embedder/embedding-switch.ts';
import type { Embedder } from '../inference/embedder.ts';
import { graphSource } from '../ingest/graph-source.ts';
import type { Scope } from '../model/ids.ts';
import { ScopeIndex } from '../search/scope-index.ts';
import { scopeIndexFromSections, scopeIndexSections } from '../search/scope-index-sections.ts';
import type { GraphStore, ScopeState } from '../store/graph-store.ts';
import type { ScopeSearch } from '../store/scope-search.ts';
import type { EngineContext } from './engine-context.ts';
import type { ScopeSharing } from './sharing/scope-sharing.ts';
import { canFollow, withVectorsOf } from './sharing/scope-sharing.ts';
import { fileSnapshot, NO_SNAPSHOT, type SnapshotPlace, sharedSnapshot } from './snapshot-place.ts';

/** Increase it when the same graph gives a different index (analyzer, layout). */
const INDEX_VERSION = 8;
/** If a larger share of the rows is deleted, the next open should rebuild the index. */
const TOO_MANY_GONE = 0.25;

/** An index and the embedder for its queries; their vectors must match. */
export interface LoadedIndex {
  readonly index: ScopeIndex;
  readonly questions: Embedder;
  readonly embedding: EmbeddingInUse;
  /** The state of the scope that it was loaded from; commits have been applied since. */
  readonly state: ScopeState;
  /** Searches the scope in the store, where the index is slim; else null. */
  readonly search: ScopeSearch | null;
}

/** The search index of one scope: loaded on first use, from its snapshot or from the graph. */
export class IndexCache {
  readonly #scope: Scope;
  readonly #context: EngineContext;
  readonly #sharing: Pick<ScopeSharing, 'noteSeen' | 'newer'>;
  readonly #place: SnapshotPlace;
  #loading: Promise<LoadedIndex> | null = null;
  #loaded: LoadedIndex | null = null;
  /** Stamp of the snapshot on disk, if it matches this graph. */
  #snapshotOf: string | null = null;

  constructor(scope: Scope, context: EngineContext, sharing: Pick<ScopeSharing, 'noteSeen' | 'newer'>) {
    this.#scope = scope;
    this.#context = context;
    this.#sharing = sharing;
    this.#place = placeOf(scope, context);
  }

  /** The index, if its load was requested; a promise, because it may still be loading. */
  get requested(): Promise<LoadedIndex> | null {
    return this.#loading;
  }

  /** The index, if it is loaded. */
  get loaded(): LoadedIndex | null {
    return this.#loaded;
  }

  /** Must not run during a commit of the scope. */
  load(): Promise<LoadedIndex> {
    this.#loading ??= this.#load().catch((error: unknown) => {
      this.#loading = null;
      throw error;
    });
    return this.#loading;
  }

  /** Drops an index that may lag behind the graph; the next `load` rebuilds it. */
  invalidate(): void {
    this.release();
    this.#snapshotOf = null;
  }

  /** Drops an index that matches the graph; the next `load` reads its snapshot, if one was saved. */
  release(): void {
    this.#loading = null;
    this.#loaded = null;
    this.#sharing.noteSeen(null);
  }

  /** As `invalidate`, and also deletes the snapshot: part of forgetting. */
  async discard(): Promise<void> {
    this.invalidate();
    await this.#place.remove();
  }

  /**
   * Drops what removed rows left in the index, in memory and on disk. The next `load` gives an index without it: the same
   * one, if it followed every commit and nothing else is left in it.
   *
   * @param followed An index that holds every commit so far; null: build one from the graph.
   */
  async shed(followed: ScopeIndex | null): Promise<void> {
    const loaded = this.#loaded;
    const isShared = this.#context.shared !== undefined;
    if (loaded === null || isShared || loaded.search !== null) return this.discard();
    if (loaded.index !== followed || !followed.dropRemoved()) return this.discard();
    this.#snapshotOf = null;
    await this.#place.remove();
  }

  /**
   * Builds an index from the graph of a store without publishing it, for a writer that is alone: its commits follow what
   * this index holds.
   */
  async fresh(store: GraphStore): Promise<LoadedIndex> {
    const built = await this.#built(this.#context.embedding.current, store);
    this.#sharing.noteSeen(built.state);
    return built;
  }

  /** Builds an index over the vectors of another embedder, for `replace`; null if no index was requested yet. */
  async build(embedding: EmbeddingInUse): Promise<LoadedIndex | null> {
    return this.#loading === null ? null : this.#built(embedding);
  }

  /** Running searches keep the index that they began with; nothing writes to it any more. */
  replace(by: LoadedIndex): void {
    this.#loading = Promise.resolve(by);
    this.#loaded = by;
    this.#sharing.noteSeen(by.state);
    this.#snapshotOf = null;
  }

  /** Has the next `save` write the snapshot. */
  forgetSnapshot(): void {
    this.#snapshotOf = null;
  }

  /** Builds the index from the graph again and saves it. If that fails, the next search rebuilds it. */
  async rebuild(embedding: EmbeddingInUse): Promise<void> {
    try {
      const index = await this.build(embedding);
      if (index !== null) this.replace(index);
      await this.save();
    } catch {
      this.invalidate();
    }
  }

  /** Writes the snapshot if it is stale. A failure is only logged, because the graph holds everything. */
  async save(): Promise<void> {
    if (this.#loaded === null || this.#loaded.search !== null || tooManyGone(this.#loaded.index)) return;
    const { index, embedding } = this.#loaded;
    const state = await this.#context.store.state(this.#scope);
    const stampOf = this.#stampsOf(embedding);
    if (stampOf(state) === this.#snapshotOf) return;
    try {
      const isWritten = await this.#place.write(stampOf, { state, sections: scopeIndexSections(index) });
      if (isWritten) this.#snapshotOf = stampOf(state);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : null;
      if (typeof code !== 'string') throw error;
      this.#context.logger.warn(`The index snapshot was not written (${code}); the next open rebuilds it.`);
    }
  }

  async #load(): Promise<LoadedIndex> {
    const embedding = this.#context.embedding.current;
    const search = await this.#openSearch(embedding);
    const snapshot = search === null ? await this.#fromSnapshot(embedding) : null;
    this.#loaded = snapshot ?? (await this.#fromGraph(embedding, search, this.#context.store));
    this.#sharing.noteSeen(this.#loaded.state);
    return this.#loaded;
  }

  /** What other processes committed since is applied to it, if that can be followed. */
  async #fromSnapshot(embedding: EmbeddingInUse): Promise<LoadedIndex | null> {
    const stampOf = this.#stampsOf(embedding);
    const found = await this.#place.read(stampOf);
    const index = found && scopeIndexFromSections(dimensionOf(embedding), found.sections);
    const state = index && (await this.#followed(index, embedding, found!.state));
    if (index !== null && state !== null) {
      this.#snapshotOf = stampOf(found!.state);
      return loaded({ index, search: null, state }, embedding);
    }
    // Deletes a stale snapshot and the files of interrupted writes. If this fails, writing fails too and is logged.
    await this.#place.remove().catch(() => undefined);
    return null;
  }

  /** Applies the commits of other processes since a state; null if that is not possible. */
  async #followed(
    index: ScopeIndex,
    embedding: EmbeddingInUse,
    from: ScopeState,
  ): Promise<ScopeState | null> {
    this.#sharing.noteSeen(from);
    const commits = await this.#sharing.newer();
    if (commits === null || !commits.every(canFollow)) return null;
    for (const { changes } of commits) {
      const followed = withVectorsOf(changes, embedding);
      await index.prepare(followed);
      index.apply(followed);
    }
    return commits.at(-1)?.state ?? from;
  }

  async #built(embedding: EmbeddingInUse, store = this.#context.store): Promise<LoadedIndex> {
    return this.#fromGraph(embedding, await this.#openSearch(embedding), store);
  }

  #fromGraph(embedding: EmbeddingInUse, search: ScopeSearch | null, store: GraphStore): Promise<LoadedIndex> {
    return store.view(this.#scope, async (view, state) => {
      const source = graphSource(view, this.#scope, embedding);
      // Rows and measures of one commit, read on one connection.
      const inView = search && (await this.#openSearch(embedding, view));
      const options = inView === null ? {} : { measured: () => inView.measures() };
      const index = await ScopeIndex.load(dimensionOf(embedding), source, options);
      return loaded({ index, search: inView && search, state }, embedding);
    });
  }

  async #openSearch(
    { embedder, comparesVectors }: EmbeddingInUse,
    store = this.#context.store,
  ): Promise<ScopeSearch | null> {
    const { logger } = this.#context;
    const fingerprint = comparesVectors ? embedder.fingerprint : store.describe().fingerprint;
    if (fingerprint === null) return null;
    const { search, missing } = await store.openSearch(this.#scope, fingerprint);
    if (missing !== null) logger.warn(`A large scope is held in memory: ${missing}`);
    return search;
  }

  /**
   * Identifies the commit that an index matches. The token distinguishes equal commit numbers after a backup was
   * restored. An index without vectors has another stamp than a full index of the same commit.
   */
  #stampsOf({ embedder, comparesVectors }: EmbeddingInUse): (state: ScopeState) => string {
    const { databaseId, schemaVersion } = this.#context.store.describe();
    const { model, dimension } = embedder.fingerprint;
    return ({ sequence, token }) => {
      const commit = [databaseId, schemaVersion, this.#scope, sequence, token];
      return JSON.stringify([INDEX_VERSION, ...commit, comparesVectors ? model : null, dimension]);
    };
  }
}

function placeOf(scope: Scope, { shared, store, snapshotFolder }: EngineContext): SnapshotPlace {
  if (shared !== undefined) return sharedSnapshot(shared.port.snapshots, scope);
  if (snapshotFolder === null) return NO_SNAPSHOT;
  return fileSnapshot(snapshotFolder, { scope, stateOf: () => store.state(scope) });
}

function loaded(
  built: Pick<LoadedIndex, 'index' | 'search' | 'state'>,
  embedding: EmbeddingInUse,
): LoadedIndex {
  const { embedder, comparesVectors } = embedding;
  return { ...built, embedding, questions: comparesVectors ? embedder : wordsAlone(embedder) };
}

function dimensionOf({ embedder }: EmbeddingInUse): number {
  return embedder.fingerprint.dimension;
}

function tooManyGone({ episodes, facts }: ScopeIndex): boolean {
  const rows = episodes.length + facts.length;
  const live = episodes.conversation.size + facts.lexical.size;
  return rows > 1_000 && live < (1 - TOO_MANY_GONE) * rows;
}
