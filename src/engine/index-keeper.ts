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
import { type EmbeddingInUse, wordsAlone } from './embedding/embedding-switch.ts';
import type { EngineContext } from './engine-context.ts';

/** Raise it when an index of the same graph would come out otherwise (analyzer, layout). */
const INDEX_VERSION = 6;
/** With more rows gone than this share, the next open had better rebuild. */
const TOO_MANY_GONE = 0.25;

/** An index and what embeds the questions that it is asked: they belong together. */
export interface LoadedIndex {
  readonly index: ScopeIndex;
  readonly questions: Embedder;
  readonly embedding: EmbeddingInUse;
}

/** The search index of one scope: loaded when first asked for, from its snapshot or from the graph. */
export class IndexKeeper {
  readonly #scope: Scope;
  readonly #context: EngineContext;
  #loading: Promise<LoadedIndex> | null = null;
  #loaded: LoadedIndex | null = null;
  /** Stamp of the snapshot on disk, if it is of this graph. */
  #snapshotOf: string | null = null;

  constructor(scope: Scope, context: EngineContext) {
    this.#scope = scope;
    this.#context = context;
  }

  /** The index, if somebody has asked for it: as a promise, since it may still be loading. */
  get asked(): Promise<LoadedIndex> | null {
    return this.#loading;
  }

  /** The index, once it is loaded. */
  get loaded(): LoadedIndex | null {
    return this.#loaded;
  }

  /** Not to be called while a commit of the scope is under way. */
  load(): Promise<LoadedIndex> {
    this.#loading ??= this.#load().catch((error: unknown) => {
      this.#loading = null;
      throw error;
    });
    return this.#loading;
  }

  /** Lets go of an index that may have fallen behind the graph; the next `load` builds it anew. */
  distrust(): void {
    this.#loading = null;
    this.#loaded = null;
    this.#snapshotOf = null;
  }

  /** Lets go of an index that is in step with the graph; the next `load` takes its snapshot, if it was saved. */
  release(): void {
    this.#loading = null;
    this.#loaded = null;
  }

  /** As `distrust`, and of the snapshot nothing is left either: part of forgetting. */
  async discard(): Promise<void> {
    this.distrust();
    const path = this.#path();
    if (path !== null) await removeSnapshot(path);
  }

  /** An index made from the graph of a store, which nobody else is shown. */
  async fresh(store: GraphStore): Promise<LoadedIndex> {
    const { current } = this.#context.embedding;
    const source = graphSource(store, this.#scope, current);
    return loaded(await ScopeIndex.load(dimensionOf(current), source), current);
  }

  /** An index over the vectors of another embedder, for `replace`; null when nobody has asked for one yet. */
  async build(embedding: EmbeddingInUse): Promise<LoadedIndex | null> {
    return this.#loading === null ? null : loaded(await this.#fromGraph(embedding), embedding);
  }

  /** Searches under way go on with the index that they began with; nothing writes to that any more. */
  replace(by: LoadedIndex): void {
    this.#loading = Promise.resolve(by);
    this.#loaded = by;
    this.#snapshotOf = null;
  }

  /** Writes the snapshot if it is stale. A failure is only reported: the graph holds everything. */
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
    const index = (await this.#fromSnapshot(embedding)) ?? (await this.#fromGraph(embedding));
    this.#loaded = loaded(index, embedding);
    return this.#loaded;
  }

  async #fromSnapshot(embedding: EmbeddingInUse): Promise<ScopeIndex | null> {
    const path = this.#path();
    if (path === null) return null;
    const stamp = await this.#stamp(embedding);
    const { snapshot } = await readSnapshot(path, stamp);
    const index = snapshot && scopeIndexFromSections(dimensionOf(embedding), snapshot.sections);
    if (index) this.#snapshotOf = stamp;
    // Words of another time, and what interrupted writes left. If it fails, so will writing, and that is reported.
    else await removeSnapshot(path).catch(() => undefined);
    return index;
  }

  async #fromGraph(embedding: EmbeddingInUse): Promise<ScopeIndex> {
    const source = graphSource(this.#context.store, this.#scope, embedding);
    return ScopeIndex.load(dimensionOf(embedding), source);
  }

  /**
   * The commit that an index follows. The token tells it from another of its number, made after a backup came back.
   * An index without vectors has a stamp of its own: its commit is also that of a full one.
   */
  async #stamp({ embedder, comparesVectors }: EmbeddingInUse): Promise<string> {
    const { databaseId, schemaVersion } = this.#context.store.describe();
    const { model, dimension } = embedder.fingerprint;
    const { sequence, token } = await this.#context.store.state(this.#scope);
    const commit = [databaseId, schemaVersion, this.#scope, sequence, token];
    return JSON.stringify([INDEX_VERSION, ...commit, comparesVectors ? model : null, dimension]);
  }

  /** Scope names may hold anything, so the file is named by their hash. */
  #path(): string | null {
    const name = createHash('sha256').update(this.#scope).digest('hex').slice(0, 32);
    const { snapshotFolder } = this.#context;
    return snapshotFolder === null ? null : join(snapshotFolder, `${name}.index`);
  }
}

function loaded(index: ScopeIndex, embedding: EmbeddingInUse): LoadedIndex {
  const { embedder, comparesVectors } = embedding;
  return { index, embedding, questions: comparesVectors ? embedder : wordsAlone(embedder) };
}

function dimensionOf({ embedder }: EmbeddingInUse): number {
  return embedder.fingerprint.dimension;
}

function tooManyGone({ episodes, facts }: ScopeIndex): boolean {
  const rows = episodes.length + facts.length;
  const live = episodes.conversation.size + facts.lexical.size;
  return rows > 1_000 && live < (1 - TOO_MANY_GONE) * rows;
}
