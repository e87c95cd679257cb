import { StoreClosedError } from '../errors/index.ts';
import type { GraphChanges, NodeCounts } from '../model/graph-changes.ts';
import type { EpisodeId, Scope } from '../model/ids.ts';
import type { Embedding, EmbeddingFingerprint, Episode, NodeKind, NodeRows } from '../model/nodes.ts';
import type { Relationship, RelationshipKind } from '../model/relationships.ts';
import type {
  EpisodeReference,
  GraphStore,
  RelationshipFilter,
  ScopeState,
  StoreDescription,
} from './graph-store.ts';
import { HELD_IN_MEMORY, type OpenedSearch } from './scope-search.ts';
import type { StoreFiles } from './store-files.ts';
import type { StoreSharing } from './store-sharing.ts';

/** The reads of a database. Scopes and models are encoded. */
export interface RowReader {
  state(scope: string): Promise<ScopeState>;
  scopes(): Promise<Scope[]>;
  get<K extends NodeKind>(scope: string, kind: K, ids: readonly string[]): Promise<NodeRows[K][]>;
  scan<K extends NodeKind, F extends keyof NodeRows[K]>(
    scope: string,
    kind: K,
    fields?: readonly F[],
  ): AsyncIterable<readonly Pick<NodeRows[K], F>[]>;
  relationships(
    scope: string,
    kind: RelationshipKind,
    filter: RelationshipFilter,
  ): AsyncIterable<readonly Relationship[]>;
  count(scope: string): Promise<NodeCounts>;
  embeddings<F extends keyof Embedding>(
    scope: string,
    model: string,
    fields: readonly F[],
  ): AsyncIterable<readonly Pick<Embedding, F>[]>;
  countEmbeddings(scope: string): Promise<ReadonlyMap<string, number>>;
}

/** The embedders of a database's vectors; see the port. */
export interface Fingerprints {
  set(fingerprint: EmbeddingFingerprint): Promise<void>;
  setNext(fingerprint: EmbeddingFingerprint | null): Promise<void>;
  adoptNext(): Promise<void>;
}

interface DatabaseParts {
  readonly reader: RowReader;
  readonly fingerprints: Fingerprints;
  /** The database's form of a text that rows are found by. */
  readonly encode: (text: string) => string;
  readonly closeDatabase: () => Promise<void>;
}

/** What the stores on a database have in common: they read alike, and refuse every call once they are closed. */
export abstract class DatabaseStore implements GraphStore {
  readonly #parts: DatabaseParts;
  #closing: Promise<void> | null = null;

  constructor(parts: DatabaseParts) {
    this.#parts = parts;
  }

  abstract describe(): StoreDescription;
  abstract files(): StoreFiles | null;
  abstract commit(scope: Scope, changes: GraphChanges): Promise<number>;
  abstract episodesByKey(scope: Scope, keys: readonly string[]): Promise<ReadonlyMap<string, Episode>>;
  abstract findEpisodes(
    scope: Scope,
    references: readonly EpisodeReference[],
  ): Promise<readonly (EpisodeId | null)[]>;
  abstract dropCaches(scope: Scope): void;
  abstract removeScope(scope: Scope): Promise<void>;
  abstract removeEmbeddings(scope: Scope, model: string, limit: number): Promise<number>;

  async state(scope: Scope): Promise<ScopeState> {
    return this.#open.reader.state(this.#encode(scope));
  }

  async get<K extends NodeKind>(scope: Scope, kind: K, ids: readonly string[]): Promise<NodeRows[K][]> {
    const { reader } = this.#open;
    return ids.length === 0 ? [] : reader.get(this.#encode(scope), kind, ids);
  }

  async *scan<K extends NodeKind, F extends keyof NodeRows[K] = keyof NodeRows[K]>(
    scope: Scope,
    kind: K,
    fields?: readonly F[],
  ): AsyncIterable<readonly Pick<NodeRows[K], F>[]> {
    yield* this.#open.reader.scan<K, F>(this.#encode(scope), kind, fields);
  }

  async *relationships(
    scope: Scope,
    kind: RelationshipKind,
    filter: RelationshipFilter = {},
  ): AsyncIterable<readonly Relationship[]> {
    const { reader } = this.#open;
    if (filter.from?.length === 0 || filter.to?.length === 0) return;
    yield* reader.relationships(this.#encode(scope), kind, filter);
  }

  async openSearch(_scope: Scope, _fingerprint: EmbeddingFingerprint): Promise<OpenedSearch> {
    return HELD_IN_MEMORY;
  }

  async view<T>(scope: Scope, job: (store: GraphStore, state: ScopeState) => Promise<T>): Promise<T> {
    return job(this, await this.state(scope));
  }

  sharing(): StoreSharing | null {
    return null;
  }

  async count(scope: Scope): Promise<NodeCounts> {
    return this.#open.reader.count(this.#encode(scope));
  }

  async scopes(): Promise<readonly Scope[]> {
    return this.#open.reader.scopes();
  }

  async setFingerprint(fingerprint: EmbeddingFingerprint): Promise<void> {
    await this.#open.fingerprints.set(fingerprint);
  }

  async setNextFingerprint(fingerprint: EmbeddingFingerprint | null): Promise<void> {
    await this.#open.fingerprints.setNext(fingerprint);
  }

  async adoptNextFingerprint(): Promise<void> {
    await this.#open.fingerprints.adoptNext();
  }

  async *embeddings<F extends keyof Embedding>(
    scope: Scope,
    model: string,
    fields: readonly F[],
  ): AsyncIterable<readonly Pick<Embedding, F>[]> {
    yield* this.#open.reader.embeddings(this.#encode(scope), this.#encode(model), fields);
  }

  async countEmbeddings(scope: Scope): Promise<ReadonlyMap<string, number>> {
    return this.#open.reader.countEmbeddings(this.#encode(scope));
  }

  close(): Promise<void> {
    this.#closing ??= this.#parts.closeDatabase();
    return this.#closing;
  }

  /** @throws StoreClosedError */
  protected checkOpen(): void {
    if (this.#closing !== null) throw new StoreClosedError();
  }

  get #open(): DatabaseParts {
    this.checkOpen();
    return this.#parts;
  }

  #encode(text: string): string {
    return this.#parts.encode(text);
  }
}
