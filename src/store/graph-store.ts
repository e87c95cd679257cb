import { randomInt } from 'node:crypto';
import type { GraphChanges, NodeCounts } from '../model/graph-changes.ts';
import type { EpisodeId, Scope } from '../model/ids.ts';
import type { Embedding, EmbeddingFingerprint, Episode, NodeKind, NodeRows } from '../model/nodes.ts';
import type { Relationship, RelationshipKind } from '../model/relationships.ts';
import type { StoreFiles } from './store-files.ts';

/**
 * Which edges of a relationship to read: all of the scope, or those that leave (`from`) or reach (`to`) some
 * nodes; with both, those that do both.
 */
export interface RelationshipFilter {
  readonly from?: readonly string[];
  readonly to?: readonly string[];
}

export interface StoreDescription {
  /** Absolute path of the database file, or `:memory:`. */
  readonly path: string;
  readonly backend: string;
  /** Random, made with the database and kept in it: tells a snapshot of this database from one of another. */
  readonly databaseId: string;
  readonly schemaVersion: number;
  /** The embedder whose vectors are compared. */
  readonly fingerprint: EmbeddingFingerprint | null;
  /**
   * The embedder that the vectors are being moved to; once it is `fingerprint` itself, only rows of the former one
   * are left to remove. Null when there is nothing to go on with.
   */
  readonly nextFingerprint: EmbeddingFingerprint | null;
  /**
   * Whether the log could not be folded into the file when it was due, mostly for want of disk room: nothing is
   * lost, but the log and its memory grow until there is room for another copy of the file.
   */
  readonly checkpointOverdue: boolean;
}

/** Where a scope stands; both 0 for a scope that is not there. */
export interface ScopeState {
  /** How many commits it has seen. */
  readonly sequence: number;
  /**
   * Random, new with every commit. When an older copy of the files is put back the sequence comes again with
   * other content, but not with this.
   */
  readonly token: number;
}

/**
 * The graph of record (docs/design.md, "The graph"): nodes, relationships and embeddings of many scopes in one durable
 * place.
 *
 * Every method that touches rows takes the scope, and no row of another scope is ever returned, joined or
 * changed. Implementations pass `test/contract/graph-store.ts`.
 */
export interface GraphStore extends EmbeddingTable {
  describe(): StoreDescription;

  /** Null for a store that keeps nothing on disk. */
  files(): StoreFiles | null;

  /**
   * Writes all changes in one transaction and returns the scope's new commit sequence (from 1, by one each).
   * When the promise resolves the changes survive a crash of the process; when it rejects nothing was written.
   *
   * @throws ScopeViolationError when a relationship, unlink, update or removal names a node that the scope lacks.
   * @throws InvalidChangeError when a row breaks the schema (wrong pair of kinds, an id that any scope has, a
   *   relationship that is there already, …).
   * @throws DiskFullError or StoreWriteError when the database refused; StoreClosedError after `close`.
   */
  commit(scope: Scope, changes: GraphChanges): Promise<number>;

  /** Tells whether anything was committed since it was asked before, also across restarts. Stamps index snapshots. */
  state(scope: Scope): Promise<ScopeState>;

  /** Rows by id, in the order asked; ids that the scope lacks are left out. */
  get<K extends NodeKind>(scope: Scope, kind: K, ids: readonly string[]): Promise<NodeRows[K][]>;

  /**
   * All rows of a kind in batches, in no particular order; with `fields` only those, which is quicker. Rows
   * committed while it runs may or may not appear.
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

  /** The newest version (`expiredAt` null) of each episode key that the scope knows. */
  episodesByKey(scope: Scope, keys: readonly string[]): Promise<ReadonlyMap<string, Episode>>;

  /**
   * The current episode (`expiredAt` null) that each reference names, in the order asked; null where the scope
   * has none. Several turns of one place: the highest version, then the latest `createdAt`, then the greater id.
   */
  findEpisodes(scope: Scope, references: readonly EpisodeReference[]): Promise<readonly (EpisodeId | null)[]>;

  /** Lets go of what is kept in memory of a scope for speed; what asks for it next reads it again. */
  letGo(scope: Scope): void;

  count(scope: Scope): Promise<NodeCounts>;
  scopes(): Promise<readonly Scope[]>;

  /** Waits for writes in flight, then frees the file. Idempotent. */
  close(): Promise<void>;
}

export type EpisodeReference =
  | { readonly id: string }
  | { readonly session: string; readonly index: number }
  | { readonly source: string; readonly sourceId: string };

/**
 * The part of the graph of record that is derived: vectors, each marked with the embedder that made it
 * (`embeddingModel`). Rows of several embedders may stand side by side while a memory is moved from one to another
 * (docs/decisions/2026-11-21-reembedding.md); only those of the fingerprint in use are ever compared.
 */
interface EmbeddingTable {
  /**
   * Records which embedder the vectors come from, when the first memory is written. Another one is accepted
   * only while the store holds no embedding, and ends a move that was begun.
   *
   * @throws EmbeddingMismatchError otherwise.
   */
  setFingerprint(fingerprint: EmbeddingFingerprint): Promise<void>;

  /** Records where the vectors are being moved to, for whoever opens the store after a crash; null ends it. */
  setNextFingerprint(fingerprint: EmbeddingFingerprint | null): Promise<void>;

  /**
   * Makes the next fingerprint the one in use, in one transaction. It stays the next one too, as a sign that rows
   * of the former embedder may be left, until `setNextFingerprint(null)`.
   *
   * @throws InvalidChangeError when no next fingerprint is set.
   */
  adoptNextFingerprint(): Promise<void>;

  /** The rows that one embedder made, in batches, as `scan` gives them. */
  embeddings<F extends keyof Embedding>(
    scope: Scope,
    model: string,
    fields: readonly F[],
  ): AsyncIterable<readonly Pick<Embedding, F>[]>;

  /** How many rows of the scope each embedder made; those that made none are left out. */
  countEmbeddings(scope: Scope): Promise<ReadonlyMap<string, number>>;

  /**
   * Removes some rows that one embedder made, at most `limit`, in one transaction that counts as a commit, and
   * returns how many; 0, and no commit, when there was none.
   */
  removeEmbeddings(scope: Scope, model: string, limit: number): Promise<number>;
}

export const sameFingerprint = (a: EmbeddingFingerprint, b: EmbeddingFingerprint): boolean =>
  a.model === b.model && a.dimension === b.dimension;

/** How the rows of an embedder are marked (`Embedding.model`). */
export const embeddingModel = ({ model, dimension }: EmbeddingFingerprint): string => `${model}@${dimension}`;

export const describeFingerprint = ({ model, dimension }: EmbeddingFingerprint): string =>
  `${model} (${dimension} dimensions)`;

/** What a commit is told from another of the same number by: from 1 to 2^48 - 1, which every store holds exactly. */
export function newCommitToken(): number {
  return randomInt(1, 2 ** 48);
}

/** Relationships of a kind from or to rows; an empty list of rows has none. */
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
