import { randomInt } from 'node:crypto';
import type { GraphChanges, NodeCounts, RowRemoval } from '../model/graph-changes.ts';
import type { EpisodeId, Scope } from '../model/ids.ts';
import type { Embedding, EmbeddingFingerprint, Episode, NodeKind, NodeRows } from '../model/nodes.ts';
import type { Relationship, RelationshipKind } from '../model/relationships.ts';
import type { OpenedSearch } from './scope-search.ts';
import type { ScopeState } from './scope-state.ts';
import type { StoreFiles } from './store-files.ts';
import type { StoreSharing } from './store-sharing.ts';

export type { ScopeState };

/**
 * Which edges of a relationship to read: all of the scope, those that start at some nodes (`from`), those that end at
 * some nodes (`to`), or with both, those that do both.
 */
export interface RelationshipFilter {
  readonly from?: readonly string[];
  readonly to?: readonly string[];
}

export interface StoreDescription {
  /** Absolute path of the database file, or `:memory:`. */
  readonly path: string;
  readonly backend: string;
  /**
   * Random, created with the database and stored in it: distinguishes a snapshot of this database from one of another.
   */
  readonly databaseId: string;
  readonly schemaVersion: number;
  /** The embedder whose vectors are compared. */
  readonly fingerprint: EmbeddingFingerprint | null;
  /**
   * The embedder that the vectors are being moved to. Once it equals `fingerprint`, only rows of the former embedder
   * remain to be removed. Null if no move is unfinished.
   */
  readonly nextFingerprint: EmbeddingFingerprint | null;
  /**
   * Whether a due checkpoint failed, mostly for lack of disk space. Nothing is lost, but the log and its memory grow
   * until there is space for another copy of the file.
   */
  readonly checkpointOverdue: boolean;
}

/**
 * The graph store (docs/design.md, "The graph"): nodes, relationships and embeddings of many scopes in one durable
 * place.
 *
 * Every method on rows takes the scope, and never returns, joins or changes a row of another scope. Implementations
 * pass `test/contract/graph-store.ts`.
 */
export interface GraphStore extends EmbeddingTable {
  describe(): StoreDescription;

  /** Null for a store without files. */
  files(): StoreFiles | null;

  /**
   * Writes all changes in one transaction and returns the scope's new commit sequence (from 1, by one each). Once the
   * promise resolves, the changes survive a crash of the process; if it rejects, nothing was written.
   *
   * @throws ScopeViolationError when a relationship, unlink, update or removal names a node that the scope lacks.
   * @throws InvalidChangeError when a row violates the schema (wrong pair of kinds, an id that the scope has, in some
   *   stores also one that another scope has, a relationship that already exists, …).
   * @throws DiskFullError or StoreWriteError when the database rejects the write; StoreClosedError after `close`.
   */
  commit(scope: Scope, changes: GraphChanges): Promise<number>;

  /**
   * Shows whether anything was committed since an earlier call, also across restarts. Used as the stamp of index
   * snapshots.
   */
  state(scope: Scope): Promise<ScopeState>;

  /** Rows by id, in the order of `ids`; ids that the scope lacks are skipped. */
  get<K extends NodeKind>(scope: Scope, kind: K, ids: readonly string[]): Promise<NodeRows[K][]>;

  /**
   * All rows of a kind in batches, in no particular order; with `fields` only those fields, which is faster. Rows
   * committed during the scan may or may not appear.
   */
  scan<K extends NodeKind, F extends keyof NodeRows[K] = keyof NodeRows[K]>(
    scope: Scope,
    kind: K,
    fields?: readonly F[],
  ): AsyncIterable<readonly Pick<NodeRows[K], F>[]>;

  /** Relationships of a kind in batches. */
  relationships(
    scope: Scope,
    kind: RelationshipKind,
    filter?: RelationshipFilter,
  ): AsyncIterable<readonly Relationship[]>;

  /** The newest version (`expiredAt` null) of each episode key that the scope has. */
  episodesByKey(scope: Scope, keys: readonly string[]): Promise<ReadonlyMap<string, Episode>>;

  /**
   * The current episode (`expiredAt` null) for each reference, in order; null if the scope has none. If several turns
   * share a place: the highest version, then the latest `createdAt`, then the greater id.
   */
  findEpisodes(scope: Scope, references: readonly EpisodeReference[]): Promise<readonly (EpisodeId | null)[]>;

  /**
   * How to search a scope by words and by vectors of this embedder. Where it became too large to hold in memory, this
   * prepares it first, which takes long. Must not run during a commit of the scope.
   */
  openSearch(scope: Scope, fingerprint: EmbeddingFingerprint): Promise<OpenedSearch>;

  /**
   * Runs a job over the scope as it is after one commit, whatever is committed in the meantime. A store that only this
   * process uses runs it as it is: the caller lets no commit happen.
   */
  view<T>(scope: Scope, job: (store: GraphStore, state: ScopeState) => Promise<T>): Promise<T>;

  /** Null for a store that one process at a time has open. */
  sharing(): StoreSharing | null;

  /** Drops the caches of a scope, or of some of its rows; the next access reloads them. */
  dropCaches(scope: Scope, rows?: readonly RowRemoval[]): void;

  /** Removes the name and the last state of a scope without rows, so that `scopes` no longer lists it. */
  removeScope(scope: Scope): Promise<void>;

  count(scope: Scope): Promise<NodeCounts>;
  scopes(): Promise<readonly Scope[]>;

  /** Waits for running writes, then closes the file. Idempotent. */
  close(): Promise<void>;
}

export type EpisodeReference =
  | { readonly id: string }
  | { readonly session: string; readonly index: number }
  | { readonly source: string; readonly sourceId: string };

/**
 * The derived part of the graph: vectors, each marked with the embedder that made it (`embeddingModel`). Rows of
 * several embedders coexist while a memory is moved from one to another (docs/decisions/2026-11-21-reembedding.md);
 * only those of the current fingerprint are ever compared.
 */
interface EmbeddingTable {
  /**
   * Records the embedder of the vectors, when the first memory is written. Another one is accepted only while the store
   * has no embeddings, and cancels an unfinished move.
   *
   * @throws EmbeddingMismatchError otherwise.
   */
  setFingerprint(fingerprint: EmbeddingFingerprint): Promise<void>;

  /**
   * Records the embedder that the vectors are being moved to, so that the move can resume after a crash; null ends it.
   */
  setNextFingerprint(fingerprint: EmbeddingFingerprint | null): Promise<void>;

  /**
   * Makes the next fingerprint the current one, in one transaction. It also stays the next one, to show that rows of
   * the former embedder may remain, until `setNextFingerprint(null)`.
   *
   * @throws InvalidChangeError when no next fingerprint is set.
   */
  adoptNextFingerprint(): Promise<void>;

  /** The rows of one embedder, in batches, like `scan`. */
  embeddings<F extends keyof Embedding>(
    scope: Scope,
    model: string,
    fields: readonly F[],
  ): AsyncIterable<readonly Pick<Embedding, F>[]>;

  /** Number of rows of the scope by embedder; embedders without rows are not listed. */
  countEmbeddings(scope: Scope): Promise<ReadonlyMap<string, number>>;

  /**
   * Removes at most `limit` rows of one embedder in one transaction, which counts as a commit. Returns how many it
   * removed; 0, and no commit, if there were none.
   */
  removeEmbeddings(scope: Scope, model: string, limit: number): Promise<number>;
}

export const sameFingerprint = (a: EmbeddingFingerprint, b: EmbeddingFingerprint): boolean =>
  a.model === b.model && a.dimension === b.dimension;

/** The mark of an embedder's rows (`Embedding.model`). */
export const embeddingModel = ({ model, dimension }: EmbeddingFingerprint): string => `${model}@${dimension}`;

export const describeFingerprint = ({ model, dimension }: EmbeddingFingerprint): string =>
  `${model} (${dimension} dimensions)`;

/** Random token of a commit, from 1 to 2^48 - 1, which every store represents exactly. See `ScopeState`. */
export function newCommitToken(): number {
  return randomInt(1, 2 ** 48);
}

/** Relationships of a kind from or to rows; none for an empty list of rows. */
export async function edgesOf(
  { store, scope }: { readonly store: GraphStore; readonly scope: Scope },
  kind: RelationshipKind,
  filter: { from?: readonly string[]; to?: readonly string[] },
): Promise<Relationship[]> {
  if (filter.from?.length === 0 || filter.to?.length === 0) return [];
  const edges: Relationship[] = [];
  for await (const batch of store.relationships(scope, kind, filter)) edges.push(...batch);
  return edges;
}
