import { randomUUID } from 'node:crypto';
import {
  EmbeddingMismatchError,
  InvalidChangeError,
  ScopeViolationError,
  StoreClosedError,
} from '../../errors/index.ts';
import type { GraphChanges, NodeCounts } from '../../model/graph-changes.ts';
import type { EpisodeId, Scope } from '../../model/ids.ts';
import {
  type Embedding,
  type EmbeddingFingerprint,
  type Episode,
  NODE_KINDS,
  type NodeKind,
  type NodeRows,
} from '../../model/nodes.ts';
import type { Relationship, RelationshipKind } from '../../model/relationships.ts';
import {
  checkChanges,
  type IdsByKind,
  relationshipKey,
  repeatedId,
  repeatedRelationship,
  unlinkKey,
} from '../change-check.ts';
import { EpisodeDirectory } from '../episode-directory.ts';
import {
  describeFingerprint,
  type EpisodeReference,
  type GraphStore,
  newCommitToken,
  type RelationshipFilter,
  type ScopeState,
  type StoreDescription,
  sameFingerprint,
} from '../graph-store.ts';
import { SCHEMA_VERSION } from '../schema.ts';
import { HELD_IN_MEMORY, type OpenedSearch } from '../scope-search.ts';

const BATCH = 1000;
const NO_COMMIT: ScopeState = { sequence: 0, token: 0 };

interface ScopeRows {
  state: ScopeState;
  readonly nodes: { readonly [K in NodeKind]: Map<string, NodeRows[K]> };
  readonly edges: Map<string, Relationship>;
  directory: EpisodeDirectory;
}

interface InMemoryOptions {
  /** Whether it keeps the rows of a commit themselves, which nobody may change afterwards. Default: it copies them. */
  readonly sharesRows?: boolean;
}

/** A store that keeps nothing after `close`: for tests and trials, and as the second implementation of the port. */
export class InMemoryStore implements GraphStore {
  readonly #sharesRows: boolean;
  readonly #scopes = new Map<string, ScopeRows>();
  readonly #databaseId = randomUUID();
  #fingerprint: EmbeddingFingerprint | null = null;
  #nextFingerprint: EmbeddingFingerprint | null = null;
  #closed = false;

  constructor({ sharesRows = false }: InMemoryOptions = {}) {
    this.#sharesRows = sharesRows;
  }

  describe(): StoreDescription {
    return {
      path: ':memory:',
      backend: 'in-memory',
      databaseId: this.#databaseId,
      schemaVersion: SCHEMA_VERSION,
      fingerprint: this.#fingerprint,
      nextFingerprint: this.#nextFingerprint,
      checkpointOverdue: false,
    };
  }

  files(): null {
    return null;
  }

  async commit(scope: Scope, changes: GraphChanges): Promise<number> {
    this.#checkOpen();
    const { required, added } = checkChanges(changes);
    const rows = this.#scopes.get(scope) ?? emptyScope();
    this.#checkAgainstRows(rows, changes, { required, added });
    const copy = this.#sharesRows ? changes : structuredClone(changes);
    unlinkRows(rows, copy);
    addRows(rows, copy);
    updateRows(rows, copy);
    removeRows(rows, copy);
    if (!rows.directory.follow(copy)) rows.directory = new EpisodeDirectory(rows.nodes.episode.values());
    this.#scopes.set(scope, rows);
    rows.state = { sequence: rows.state.sequence + 1, token: newCommitToken() };
    return rows.state.sequence;
  }

  async state(scope: Scope): Promise<ScopeState> {
    this.#checkOpen();
    return this.#scopes.get(scope)?.state ?? NO_COMMIT;
  }

  async get<K extends NodeKind>(scope: Scope, kind: K, ids: readonly string[]): Promise<NodeRows[K][]> {
    this.#checkOpen();
    const rows = this.#scopes.get(scope)?.nodes[kind];
    return ids.flatMap((id) => rows?.get(id) ?? []);
  }

  async *scan<K extends NodeKind, F extends keyof NodeRows[K] = keyof NodeRows[K]>(
    scope: Scope,
    kind: K,
    fields?: readonly F[],
  ): AsyncIterable<readonly Pick<NodeRows[K], F>[]> {
    this.#checkOpen();
    const rows = [...(this.#scopes.get(scope)?.nodes[kind].values() ?? [])];
    yield* batches(fields === undefined ? rows : rows.map((row) => picked(row, fields)));
  }

  async *relationships(
    scope: Scope,
    kind: RelationshipKind,
    filter: RelationshipFilter = {},
  ): AsyncIterable<readonly Relationship[]> {
    this.#checkOpen();
    const from = filter.from && new Set(filter.from);
    const to = filter.to && new Set(filter.to);
    const edges = [...(this.#scopes.get(scope)?.edges.values() ?? [])];
    yield* batches(
      edges.filter(
        (edge) => edge.kind === kind && (from?.has(edge.from) ?? true) && (to?.has(edge.to) ?? true),
      ),
    );
  }

  async episodesByKey(scope: Scope, keys: readonly string[]): Promise<ReadonlyMap<string, Episode>> {
    this.#checkOpen();
    const found = new Map<string, Episode>();
    const rows = this.#scopes.get(scope);
    for (const key of keys) {
      const episode = rows?.nodes.episode.get(rows.directory.byKey(key) ?? '');
      if (episode !== undefined) found.set(key, episode);
    }
    return found;
  }

  async findEpisodes(
    scope: Scope,
    references: readonly EpisodeReference[],
  ): Promise<readonly (EpisodeId | null)[]> {
    this.#checkOpen();
    const directory = this.#scopes.get(scope)?.directory;
    return references.map((reference) => directory?.find(reference) ?? null);
  }

  async openSearch(): Promise<OpenedSearch> {
    return HELD_IN_MEMORY;
  }

  /** There is no cache: the store holds only the rows. */
  dropCaches(): void {}

  async view<T>(scope: Scope, job: (store: GraphStore, state: ScopeState) => Promise<T>): Promise<T> {
    return job(this, await this.state(scope));
  }

  sharing(): null {
    return null;
  }

  async count(scope: Scope): Promise<NodeCounts> {
    this.#checkOpen();
    const nodes = this.#scopes.get(scope)?.nodes;
    return Object.fromEntries(
      NODE_KINDS.map((kind) => [kind, nodes?.[kind].size ?? 0]),
    ) as unknown as NodeCounts;
  }

  async removeScope(scope: Scope): Promise<void> {
    this.#checkOpen();
    this.#scopes.delete(scope);
  }

  async scopes(): Promise<readonly Scope[]> {
    this.#checkOpen();
    return [...this.#scopes.keys()].sort() as Scope[];
  }

  async setFingerprint(fingerprint: EmbeddingFingerprint): Promise<void> {
    this.#checkOpen();
    const found = this.#fingerprint;
    const embedded = [...this.#scopes.values()].some((rows) => rows.nodes.embedding.size > 0);
    if (found !== null && embedded && !sameFingerprint(found, fingerprint))
      throw new EmbeddingMismatchError(describeFingerprint(found), describeFingerprint(fingerprint));
    if (found === null || !sameFingerprint(found, fingerprint)) this.#nextFingerprint = null;
    this.#fingerprint = { ...fingerprint };
  }

  async setNextFingerprint(fingerprint: EmbeddingFingerprint | null): Promise<void> {
    this.#checkOpen();
    this.#nextFingerprint = fingerprint && { ...fingerprint };
  }

  async adoptNextFingerprint(): Promise<void> {
    this.#checkOpen();
    if (this.#nextFingerprint === null) throw new InvalidChangeError('no next embedder is recorded');
    this.#fingerprint = this.#nextFingerprint;
  }

  async *embeddings<F extends keyof Embedding>(
    scope: Scope,
    model: string,
    fields: readonly F[],
  ): AsyncIterable<readonly Pick<Embedding, F>[]> {
    this.#checkOpen();
    yield* batches(this.#madeBy(scope, model).map((row) => picked(row, fields)));
  }

  async countEmbeddings(scope: Scope): Promise<ReadonlyMap<string, number>> {
    this.#checkOpen();
    const counts = new Map<string, number>();
    for (const { model } of this.#scopes.get(scope)?.nodes.embedding.values() ?? [])
      counts.set(model, (counts.get(model) ?? 0) + 1);
    return counts;
  }

  async removeEmbeddings(scope: Scope, model: string, limit: number): Promise<number> {
    this.#checkOpen();
    const removals = this.#madeBy(scope, model)
      .slice(0, limit)
      .map(({ id }) => ({ kind: 'embedding' as const, id }));
    if (removals.length > 0) await this.commit(scope, { removals });
    return removals.length;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#scopes.clear();
  }

  #madeBy(scope: Scope, model: string): Embedding[] {
    const rows = this.#scopes.get(scope)?.nodes.embedding.values() ?? [];
    return [...rows].filter((row) => row.model === model);
  }

  #checkOpen(): void {
    if (this.#closed) throw new StoreClosedError();
  }

  #checkAgainstRows(
    rows: ScopeRows,
    changes: GraphChanges,
    summary: { required: IdsByKind; added: IdsByKind },
  ): void {
    for (const [kind, ids] of summary.required)
      for (const id of ids)
        if (!rows.nodes[kind].has(id)) throw new ScopeViolationError(`A ${kind} of the change`);
    for (const [kind, ids] of summary.added)
      for (const other of [...this.#scopes.values(), rows])
        for (const id of ids) if (other.nodes[kind].has(id)) throw repeatedId(kind);
    const unlinked = new Set(changes.unlinks?.map(unlinkKey));
    for (const edge of changes.relationships ?? [])
      if (rows.edges.has(relationshipKey(edge)) && !unlinked.has(unlinkKey(edge)))
        throw repeatedRelationship(edge);
  }
}

function emptyScope(): ScopeRows {
  const nodes = Object.fromEntries(NODE_KINDS.map((kind) => [kind, new Map()]));
  return {
    state: NO_COMMIT,
    nodes: nodes as unknown as ScopeRows['nodes'],
    edges: new Map(),
    directory: new EpisodeDirectory(),
  };
}

function unlinkRows(rows: ScopeRows, { unlinks = [] }: GraphChanges): void {
  if (unlinks.length === 0) return;
  const unlinked = new Set(unlinks.map(unlinkKey));
  for (const [key, edge] of rows.edges) if (unlinked.has(unlinkKey(edge))) rows.edges.delete(key);
}

function addRows(rows: ScopeRows, changes: GraphChanges): void {
  for (const kind of NODE_KINDS) {
    const table = rows.nodes[kind] as Map<string, NodeRows[NodeKind]>;
    for (const row of changes.nodes?.[kind] ?? []) table.set(row.id, row);
  }
  for (const edge of changes.relationships ?? []) rows.edges.set(relationshipKey(edge), edge);
}

function updateRows(rows: ScopeRows, changes: GraphChanges): void {
  for (const { kind, id, set } of changes.updates ?? []) {
    const table = rows.nodes[kind] as Map<string, NodeRows[NodeKind]>;
    const row = table.get(id);
    if (row !== undefined) table.set(id, { ...row, ...set } as NodeRows[NodeKind]);
  }
}

function removeRows(rows: ScopeRows, changes: GraphChanges): void {
  if ((changes.removals ?? []).length === 0) return;
  const removed = new Set(changes.removals?.map(({ kind, id }) => `${kind}:${id}`));
  for (const { kind, id } of changes.removals ?? []) rows.nodes[kind].delete(id);
  for (const [key, edge] of rows.edges)
    if (removed.has(`${edge.fromKind}:${edge.from}`) || removed.has(`${edge.toKind}:${edge.to}`))
      rows.edges.delete(key);
}

function* batches<T>(rows: readonly T[]): Iterable<readonly T[]> {
  for (let start = 0; start < rows.length; start += BATCH) yield rows.slice(start, start + BATCH);
}

function picked<T extends object, F extends keyof T>(row: T, fields: readonly F[]): Pick<T, F> {
  return Object.fromEntries(fields.map((field) => [field, row[field]])) as Pick<T, F>;
}
