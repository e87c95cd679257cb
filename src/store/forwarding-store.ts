import type { GraphChanges, NodeCounts, RowRemoval } from '../model/graph-changes.ts';
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
import type { OpenedSearch } from './scope-search.ts';
import type { StoreFiles } from './store-files.ts';
import type { StoreSharing } from './store-sharing.ts';

/** Forwards every call to another store; a subclass overrides what it changes. */
export abstract class ForwardingStore implements GraphStore {
  protected readonly store: GraphStore;

  constructor(store: GraphStore) {
    this.store = store;
  }

  openSearch(scope: Scope, fingerprint: EmbeddingFingerprint): Promise<OpenedSearch> {
    return this.store.openSearch(scope, fingerprint);
  }

  get<K extends NodeKind>(scope: Scope, kind: K, ids: readonly string[]): Promise<NodeRows[K][]> {
    return this.store.get(scope, kind, ids);
  }

  commit(scope: Scope, changes: GraphChanges): Promise<number> {
    return this.store.commit(scope, changes);
  }

  dropCaches(scope: Scope, rows?: readonly RowRemoval[]): void {
    this.store.dropCaches(scope, rows);
  }

  view<T>(scope: Scope, job: (store: GraphStore, state: ScopeState) => Promise<T>): Promise<T> {
    return this.store.view(scope, job);
  }

  sharing(): StoreSharing | null {
    return this.store.sharing();
  }

  describe(): StoreDescription {
    return this.store.describe();
  }

  files(): StoreFiles | null {
    return this.store.files();
  }

  state(scope: Scope): Promise<ScopeState> {
    return this.store.state(scope);
  }

  scan<K extends NodeKind, F extends keyof NodeRows[K] = keyof NodeRows[K]>(
    scope: Scope,
    kind: K,
    fields?: readonly F[],
  ): AsyncIterable<readonly Pick<NodeRows[K], F>[]> {
    return this.store.scan(scope, kind, fields);
  }

  relationships(
    scope: Scope,
    kind: RelationshipKind,
    filter?: RelationshipFilter,
  ): AsyncIterable<readonly Relationship[]> {
    return this.store.relationships(scope, kind, filter);
  }

  episodesByKey(scope: Scope, keys: readonly string[]): Promise<ReadonlyMap<string, Episode>> {
    return this.store.episodesByKey(scope, keys);
  }

  findEpisodes(
    scope: Scope,
    references: readonly EpisodeReference[],
  ): Promise<readonly (EpisodeId | null)[]> {
    return this.store.findEpisodes(scope, references);
  }

  removeScope(scope: Scope): Promise<void> {
    return this.store.removeScope(scope);
  }

  count(scope: Scope): Promise<NodeCounts> {
    return this.store.count(scope);
  }

  scopes(): Promise<readonly Scope[]> {
    return this.store.scopes();
  }

  setFingerprint(fingerprint: EmbeddingFingerprint): Promise<void> {
    return this.store.setFingerprint(fingerprint);
  }

  setNextFingerprint(fingerprint: EmbeddingFingerprint | null): Promise<void> {
    return this.store.setNextFingerprint(fingerprint);
  }

  adoptNextFingerprint(): Promise<void> {
    return this.store.adoptNextFingerprint();
  }

  embeddings<F extends keyof Embedding>(
    scope: Scope,
    model: string,
    fields: readonly F[],
  ): AsyncIterable<readonly Pick<Embedding, F>[]> {
    return this.store.embeddings(scope, model, fields);
  }

  countEmbeddings(scope: Scope): Promise<ReadonlyMap<string, number>> {
    return this.store.countEmbeddings(scope);
  }

  removeEmbeddings(scope: Scope, model: string, limit: number): Promise<number> {
    return this.store.removeEmbeddings(scope, model, limit);
  }

  close(): Promise<void> {
    return this.store.close();
  }
}
