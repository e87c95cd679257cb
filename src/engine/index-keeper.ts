import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Embedder } from '../inference/embedder.ts';
import { graphSource } from '../ingest/graph-source.ts';
import type { Scope } from '../model/ids.ts';
import { ScopeIndex } from '../search/scope-index.ts';
import { scopeIndexFromSections, scopeIndexSections } from '../search/scope-index-sections.ts';
import { readSnapshot, removeSnapshot, writeSnapshot } from '../search/snapshot.ts';
import type { GraphStore } from '../store/graph-store.ts';
import type { ScopeSearch } from '../store/scope-search.ts';
import { type EmbeddingInUse, wordsAlone } from './embedding/embedding-switch.ts';
import type { EngineContext } from './engine-context.ts';

/** Increase it when the same graph gives a different index (analyzer, layout). */
const INDEX_VERSION = 7;
/** If a larger share of the rows is deleted, the next open should rebuild the index. */
const TOO_MANY_GONE = 0.25;

/** An index and the embedder for its queries; their vectors must match. */
export interface LoadedIndex {
  readonly index: ScopeIndex;
  readonly questions: Embedder;
  readonly embedding: EmbeddingInUse;
  /** Searches the scope in the store, where the index is slim; else null. */
  readonly search: ScopeSearch | null;
}

/** The search index of one scope: loaded on first use, from its snapshot or from the graph. */
export class IndexKeeper {
  readonly #scope: Scope;
  readonly #context: EngineContext;
  #loading: Promise<LoadedIndex> | null = null;
  #loaded: LoadedIndex | null = null;
  /** Stamp of the snapshot on disk, if it matches this graph. */
  #snapshotOf: string | null = null;

  constructor(scope: Scope, context: EngineContext) {
    this.#scope = scope;
    this.#context = context;
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
    this.#loading = null;
    this.#loaded = null;
    this.#snapshotOf = null;
  }

  /** Drops an index that matches the graph; the next `load` reads its snapshot, if one was saved. */
  release(): void {
    this.#loading = null;
    this.#loaded = null;
  }

  /** As `invalidate`, and also deletes the snapshot: part of forgetting. */
  async discard(): Promise<void> {
    this.invalidate();
    const path = this.#path();
    if (path !== null) await removeSnapshot(path);
  }

  /** Builds an index from the graph of a store without publishing it. */
  async fresh(store: GraphStore): Promise<LoadedIndex> {
    const { current } = this.#context.embedding;
    return loaded(await this.#fromGraph(current, store), current);
  }

  /** Builds an index over the vectors of another embedder, for `replace`; null if no index was requested yet. */
  async build(embedding: EmbeddingInUse): Promise<LoadedIndex | null> {
    return this.#loading === null ? null : loaded(await this.#fromGraph(embedding), embedding);
  }

  /** Running searches keep the index that they began with; nothing writes to it any more. */
  replace(by: LoadedIndex): void {
    this.#loading = Promise.resolve(by);
    this.#loaded = by;
    this.#snapshotOf = null;
  }

  /** Writes the snapshot if it is stale. A failure is only logged, because the graph holds everything. */
  async save(): Promise<void> {
    const path = this.#path();
    if (this.#loaded === null || path === null || tooManyGone(this.#loaded.index)) return;
    const { index, embedding } = this.#loaded;
    const stamp = await this.#stamp(embedding);
    if (stamp === this.#snapshotOf) return;
    try {
      await mkdir(this.#context.snapshotFolder!, { recursive: true, mode: 0o700 });
      await writeSnapshot(path, stamp, scopeIndexSections(index));
      this.#snapshotOf = stamp;
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : null;
      if (typeof code !== 'string') throw error;
      this.#context.logger.warn(`The index snapshot was not written (${code}); the next open rebuilds it.`);
    }
  }

  async #load(): Promise<LoadedIndex> {
    const embedding = this.#context.embedding.current;
    const snapshot = await this.#fromSnapshot(embedding);
    const built = snapshot === null ? await this.#fromGraph(embedding) : { index: snapshot, search: null };
    this.#loaded = loaded(built, embedding);
    return this.#loaded;
  }

  async #fromSnapshot(embedding: EmbeddingInUse): Promise<ScopeIndex | null> {
    const path = this.#path();
    if (path === null) return null;
    const stamp = await this.#stamp(embedding);
    const { snapshot } = await readSnapshot(path, stamp);
    const index = snapshot && scopeIndexFromSections(dimensionOf(embedding), snapshot.sections);
    if (index) this.#snapshotOf = stamp;
    // Deletes a stale snapshot and the files of interrupted writes. If this fails, writing fails too and is logged.
    else await removeSnapshot(path).catch(() => undefined);
    return index;
  }

  async #fromGraph(embedding: EmbeddingInUse, store = this.#context.store): Promise<Built> {
    const source = graphSource(store, this.#scope, embedding);
    const search = await this.#openSearch(embedding);
    return {
      index: await ScopeIndex.load(
        dimensionOf(embedding),
        source,
        search === null ? {} : { measured: () => search.measures() },
      ),
      search,
    };
  }

  async #openSearch({ embedder, comparesVectors }: EmbeddingInUse): Promise<ScopeSearch | null> {
    const { store, logger } = this.#context;
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
  async #stamp({ embedder, comparesVectors }: EmbeddingInUse): Promise<string> {
    const { databaseId, schemaVersion } = this.#context.store.describe();
    const { model, dimension } = embedder.fingerprint;
    const { sequence, token } = await this.#context.store.state(this.#scope);
    const commit = [databaseId, schemaVersion, this.#scope, sequence, token];
    return JSON.stringify([INDEX_VERSION, ...commit, comparesVectors ? model : null, dimension]);
  }

  /** The file is named by a hash, because scope names may contain any character. */
  #path(): string | null {
    const name = createHash('sha256').update(this.#scope).digest('hex').slice(0, 32);
    const { snapshotFolder } = this.#context;
    return snapshotFolder === null ? null : join(snapshotFolder, `${name}.index`);
  }
}

type Built = Pick<LoadedIndex, 'index' | 'search'>;

function loaded(built: Built, embedding: EmbeddingInUse): LoadedIndex {
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
