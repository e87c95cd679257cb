import { LRUCache } from 'lru-cache';
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
import type { StoreFiles } from './store-files.ts';

/**
 * What a search shows, and what the next stage of ingestion reads of the one before it. Other rows are read in bulk,
 * and would only push these out.
 */
const KEPT: ReadonlySet<NodeKind> = new Set(['episode', 'segment', 'fact', 'profile']);
/** Kept as soon as they are committed: consolidation reads them back at once. */
const KEPT_WHEN_NEW = ['episode', 'segment'] as const;
/** In UTF-16 code units of text, about half of the bytes. */
const DEFAULT_SIZE = 32 * 2 ** 20;

export interface CachedRow {
  readonly kind: NodeKind;
  readonly scope: Scope;
  readonly row: NodeRows[NodeKind];
}

/**
 * A store that keeps the rows read last: Kùzu takes 0.3 ms for a row by its id, and a search shows fifty. Rows
 * change only by `commit`, which drops those it names; new turns and segments it keeps, unless something else was
 * committed or forgotten meanwhile, which might have changed them already.
 */
export class CachedStore implements GraphStore {
  readonly #store: GraphStore;
  readonly #rows: LRUCache<string, NodeRows[NodeKind]>;
  /** Counts the beginnings and ends of commits, so that a read or commit that overlaps one keeps nothing. */
  #commits = 0;

  constructor(store: GraphStore, size = DEFAULT_SIZE) {
    this.#store = store;
    this.#rows = new LRUCache({ maxSize: size, sizeCalculation: textSize });
  }

  async get<K extends NodeKind>(scope: Scope, kind: K, ids: readonly string[]): Promise<NodeRows[K][]> {
    if (!KEPT.has(kind)) return this.#store.get(scope, kind, ids);
    const before = this.#commits;
    const found = new Map<string, NodeRows[K]>();
    for (const id of ids) {
      const row = this.#rows.get(keyOf(scope, kind, id)) as NodeRows[K] | undefined;
      if (row !== undefined) found.set(id, row);
    }
    const missing = ids.filter((id) => !found.has(id));
    const read = missing.length === 0 ? [] : await this.#store.get(scope, kind, missing);
    for (const row of read) {
      found.set(row.id, row);
      if (this.#commits === before) this.#rows.set(keyOf(scope, kind, row.id), row);
    }
    return ids.flatMap((id) => found.get(id) ?? []);
  }

  async commit(scope: Scope, changes: GraphChanges): Promise<number> {
    const begun = ++this.#commits;
    const named = [...(changes.updates ?? []), ...(changes.removals ?? [])].map(({ kind, id }) =>
      keyOf(scope, kind, id),
    );
    const added = newRows(scope, changes);
    try {
      const sequence = await this.#store.commit(scope, changes);
      if (this.#commits === begun) for (const [key, row] of added) this.#rows.set(key, row);
      return sequence;
    } finally {
      this.#commits++;
      for (const key of named) this.#rows.delete(key);
    }
  }

  /** Drops every row kept: part of forgetting, which must leave no text behind. */
  clear(): void {
    this.#commits++;
    this.#rows.clear();
  }

  letGo(scope: Scope): void {
    this.#commits++; // what is being read now is not kept
    for (const key of [...this.#rows.keys()]) if (key.split('\n', 2)[1] === scope) this.#rows.delete(key);
    this.#store.letGo(scope);
  }

  /** The rows kept at this moment: the cache is one of the places that hold text. */
  *cachedRows(): Iterable<CachedRow> {
    for (const [key, row] of this.#rows.entries()) {
      const [kind, scope] = key.split('\n') as [NodeKind, Scope];
      yield { kind, scope, row };
    }
  }

  describe(): StoreDescription {
    return this.#store.describe();
  }

  files(): StoreFiles | null {
    return this.#store.files();
  }

  state(scope: Scope): Promise<ScopeState> {
    return this.#store.state(scope);
  }

  scan<K extends NodeKind, F extends keyof NodeRows[K] = keyof NodeRows[K]>(
    scope: Scope,
    kind: K,
    fields?: readonly F[],
  ): AsyncIterable<readonly Pick<NodeRows[K], F>[]> {
    return this.#store.scan(scope, kind, fields);
  }

  relationships(
    scope: Scope,
    kind: RelationshipKind,
    filter?: RelationshipFilter,
  ): AsyncIterable<readonly Relationship[]> {
    return this.#store.relationships(scope, kind, filter);
  }

  episodesByKey(scope: Scope, keys: readonly string[]): Promise<ReadonlyMap<string, Episode>> {
    return this.#store.episodesByKey(scope, keys);
  }

  findEpisodes(
    scope: Scope,
    references: readonly EpisodeReference[],
  ): Promise<readonly (EpisodeId | null)[]> {
    return this.#store.findEpisodes(scope, references);
  }

  count(scope: Scope): Promise<NodeCounts> {
    return this.#store.count(scope);
  }

  scopes(): Promise<readonly Scope[]> {
    return this.#store.scopes();
  }

  setFingerprint(fingerprint: EmbeddingFingerprint): Promise<void> {
    return this.#store.setFingerprint(fingerprint);
  }

  setNextFingerprint(fingerprint: EmbeddingFingerprint | null): Promise<void> {
    return this.#store.setNextFingerprint(fingerprint);
  }

  adoptNextFingerprint(): Promise<void> {
    return this.#store.adoptNextFingerprint();
  }

  embeddings<F extends keyof Embedding>(
    scope: Scope,
    model: string,
    fields: readonly F[],
  ): AsyncIterable<readonly Pick<Embedding, F>[]> {
    return this.#store.embeddings(scope, model, fields);
  }

  countEmbeddings(scope: Scope): Promise<ReadonlyMap<string, number>> {
    return this.#store.countEmbeddings(scope);
  }

  removeEmbeddings(scope: Scope, model: string, limit: number): Promise<number> {
    return this.#store.removeEmbeddings(scope, model, limit);
  }

  async close(): Promise<void> {
    this.clear();
    await this.#store.close();
  }
}

/** Copies: the caller's rows are its own again once the commit has begun. */
function newRows(scope: Scope, { nodes }: GraphChanges): [string, NodeRows[NodeKind]][] {
  return KEPT_WHEN_NEW.flatMap((kind) =>
    (nodes?.[kind] ?? []).map((row): [string, NodeRows[NodeKind]] => [
      keyOf(scope, kind, row.id),
      structuredClone(row),
    ]),
  );
}

function keyOf(scope: Scope, kind: NodeKind, id: string): string {
  return `${kind}\n${scope}\n${id}`;
}

/** The texts of a row; the rest is small and counted as one amount. */
function textSize(row: NodeRows[NodeKind]): number {
  let size = 500;
  for (const value of Object.values(row)) if (typeof value === 'string') size += value.length;
  return size;
}
