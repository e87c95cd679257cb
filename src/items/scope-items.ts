import { CancelledError } from '../errors/index.ts';
import type { IndexedScope, IngestContext } from '../ingest/ingest-context.ts';
import type { Scope } from '../model/ids.ts';
import type { Item } from '../model/nodes.ts';
import type { ScopeIndex } from '../search/scope-index.ts';
import type { GraphStore } from '../store/graph-store.ts';
import {
  type FoundItem,
  type ItemFields,
  type ItemValue,
  readItemJson,
  type StoredItem,
} from '../store/item-json.ts';
import { Breather } from '../util/breathe.ts';
import { draftItems, type ItemWrite } from './draft-items.ts';
import {
  type ItemOperation,
  type ItemSearchOptions,
  type NamespaceCondition,
  type NamespaceOptions,
  type ReadOperation,
  readOperation,
} from './item-operations.ts';
import { byAge, type ItemEntry, ItemTree } from './item-tree.ts';
import { ItemRanker } from './rank-items.ts';

interface Versions {
  newest: Item;
  readonly rows: Pick<Item, 'id' | 'createdAt' | 'expiredAt'>[];
}

/**
 * Reads the items of a scope from the graph. If an item has several live versions, as after an import, the latest
 * wins.
 */
export async function loadItems(store: Pick<GraphStore, 'scan'>, scope: Scope): Promise<ItemTree> {
  const breather = new Breather();
  const found = new Map<string, Versions>();
  for await (const rows of store.scan(scope, 'item'))
    for (const row of rows) {
      await breather.breathe();
      note(found, row);
    }
  const tree = new ItemTree();
  for (const versions of found.values()) addTo(tree, versions);
  return tree;
}

function note(found: Map<string, Versions>, row: Item): void {
  const address = JSON.stringify([row.namespace, row.key]);
  const { id, createdAt, expiredAt } = row;
  const versions = found.get(address);
  if (versions === undefined) {
    found.set(address, { newest: row, rows: [{ id, createdAt, expiredAt }] });
    return;
  }
  versions.rows.push({ id, createdAt, expiredAt });
  if (isNewer(row, versions.newest)) versions.newest = row;
}

function addTo(tree: ItemTree, { newest, rows }: Versions): void {
  if (newest.expiredAt !== null) return;
  const content = readItemJson(newest.value);
  if (content === null) return;
  const sorted = rows.toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
  tree.set({
    ...content,
    namespace: newest.namespace,
    key: newest.key,
    createdAt: sorted[0]!.createdAt,
    updatedAt: newest.createdAt,
    versions: sorted.map(({ id }) => id),
    live: sorted.filter(({ expiredAt }) => expiredAt === null).map(({ id }) => id),
  });
}

function isNewer(one: Item, other: Item): boolean {
  const stands = Number(one.expiredAt === null) - Number(other.expiredAt === null);
  if (stands !== 0) return stands > 0;
  return one.createdAt > other.createdAt || (one.createdAt === other.createdAt && one.id > other.id);
}

interface NamespaceListing {
  readonly conditions: readonly NamespaceCondition[];
  readonly maxDepth?: number | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** The sorted namespaces that meet all conditions, cut to the maximum depth, without duplicates. */
function matchNamespaces(
  namespaces: readonly string[][],
  { conditions, maxDepth, limit, offset }: NamespaceListing,
): string[][] {
  const cut = new Map<string, string[]>();
  for (const namespace of namespaces) {
    if (!conditions.every((condition) => meets(namespace, condition))) continue;
    const labels = namespace.slice(0, maxDepth);
    cut.set(JSON.stringify(labels), labels);
  }
  return [...cut.values()].slice(offset, offset + limit);
}

function meets(namespace: readonly string[], { at, path }: NamespaceCondition): boolean {
  if (path.length > namespace.length) return false;
  const start = at === 'prefix' ? 0 : namespace.length - path.length;
  return path.every((label, place) => label === '*' || label === namespace[start + place]);
}

type Search = Extract<ReadOperation, { op: 'search' }>;
interface WriteGroup {
  readonly writes: ItemWrite[];
  done: Promise<void>;
}

/** The scope that items belong to. */
interface ItemScope {
  read(): Promise<IngestContext>;
  /** Runs a job while no other writer runs; `waits`: after what forgettings left to derive is derived (default). */
  write<T>(job: (context: IngestContext) => Promise<T>, options: { readonly waits: boolean }): Promise<T>;
}

type Call = { readonly signal?: AbortSignal | undefined };
/** The result of an operation: an item or null, found items, namespaces, or nothing for a write. */
export type ItemResult = StoredItem | null | readonly FoundItem[] | readonly string[][] | undefined;

/**
 * Values under namespaces and keys, separate from turns: an agent's own storage, as in LangGraph's stores. Every
 * version of a value is kept; a delete removes all of them. The newest versions are held in memory.
 */
export class ScopeItems {
  readonly #scope: ItemScope;
  readonly #ranker = new ItemRanker();
  /** Keyed by the index of the scope, so that dropping the index, as in forgetting, drops these too. */
  #trees = new WeakMap<ScopeIndex, Promise<ItemTree>>();
  /** Writes that wait for the write queue. */
  #next: WriteGroup | null = null;

  constructor(scope: ItemScope) {
    this.#scope = scope;
  }

  /** The newest version; null if there is no such item. */
  async get(namespace: readonly string[], key: string): Promise<StoredItem | null> {
    const [item] = await this.batch([{ op: 'get', namespace, key }]);
    return item as StoredItem | null;
  }

  /** Items in a namespace and below it; labels are compared as a whole. */
  async search(
    prefix: readonly string[],
    { signal, ...options }: ItemSearchOptions & Call = {},
  ): Promise<readonly FoundItem[]> {
    const [found] = await this.batch([{ op: 'search', prefix, ...options }], { signal });
    return found as readonly FoundItem[];
  }

  /** Adds a version, which is on disk when this resolves. If several writers set one key, the last one wins. */
  async put(
    namespace: readonly string[],
    key: string,
    value: ItemValue,
    options: { readonly fields?: ItemFields | undefined } = {},
  ): Promise<void> {
    await this.batch([{ op: 'put', namespace, key, value, ...options }]);
  }

  /** Deletes an item with all its versions; the file contains its text until `compact`. */
  async delete(namespace: readonly string[], key: string): Promise<void> {
    await this.batch([{ op: 'delete', namespace, key }]);
  }

  /** Namespaces that contain items, sorted label by label. */
  async namespaces(options: NamespaceOptions = {}): Promise<readonly string[][]> {
    const [namespaces] = await this.batch([{ op: 'namespaces', ...options }]);
    return namespaces as readonly string[][];
  }

  /**
   * Several operations: reads see the state before the batch, writes are one transaction.
   *
   * @throws InvalidInputError if an operation is invalid: then nothing of the batch is done.
   * @throws DiskFullError, StoreWriteError: nothing of the batch is stored.
   */
  async batch(operations: readonly ItemOperation[], { signal }: Call = {}): Promise<ItemResult[]> {
    const sound = operations.map(readOperation);
    const writes = sound.flatMap((operation) => (operation.op === 'write' ? [operation.write] : []));
    const results = await this.#read(sound, signal);
    if (writes.length > 0) await this.#write(writes);
    return results;
  }

  /** Drops the cached items after another writer changed some; the next use reads the graph. */
  letGo(): void {
    this.#trees = new WeakMap();
  }

  /** The items cached for an index of the scope; the proof of forgetting searches them. */
  heldWith(index: ScopeIndex): Promise<ItemTree> | null {
    return this.#trees.get(index) ?? null;
  }

  async #read(operations: readonly ReadOperation[], signal: AbortSignal | undefined): Promise<ItemResult[]> {
    if (operations.every(({ op }) => op === 'write')) return operations.map(() => undefined);
    const tree = await this.#tree();
    const results: ItemResult[] = [];
    const searches: { readonly at: number; readonly search: Search; readonly entries: ItemEntry[] }[] = [];
    // Reads everything first, because ranking takes time.
    for (const [at, operation] of operations.entries())
      if (operation.op === 'search')
        searches.push({ at, search: operation, entries: tree.under(operation.prefix) });
      else results[at] = readAtOnce(tree, operation);
    for (const { at, search, entries } of searches) results[at] = await this.#search(entries, search, signal);
    return results;
  }

  async #search(
    entries: readonly ItemEntry[],
    { holds, query, fields, offset, limit }: Search,
    signal: AbortSignal | undefined,
  ): Promise<readonly FoundItem[]> {
    if (signal?.aborted) throw new CancelledError('memory is unchanged', signal.reason);
    const kept = entries.filter(({ value }) => holds(value));
    const wanted = query?.toWellFormed().trim() ?? '';
    if (wanted === '')
      return kept
        .sort(byAge)
        .slice(offset, offset + limit)
        .map((entry) => ({ ...itemOf(entry), score: null }));
    const { embedder } = await this.#scope.read();
    const ranked = await this.#ranker.rank(kept, { query: wanted, embedder, fields, signal });
    return ranked.slice(offset, offset + limit).map(({ entry, score }) => ({ ...itemOf(entry), score }));
  }

  /** Joins the group of writes that already waits for the write queue, if there is one. */
  #write(writes: readonly ItemWrite[]): Promise<void> {
    if (this.#next !== null) {
      this.#next.writes.push(...writes);
      return this.#next.done;
    }
    const group: WriteGroup = { writes: [...writes], done: Promise.resolve() };
    const close = () => {
      if (this.#next === group) this.#next = null;
    };
    this.#next = group;
    group.done = this.#scope
      .write(
        (context) => {
          close();
          return this.#commitAll(context, group.writes);
        },
        { waits: false },
      )
      .finally(close);
    return group.done;
  }

  async #commitAll({ store, scope, index, newId, clock }: IngestContext, writes: readonly ItemWrite[]) {
    const tree = await this.#treeFor({ store, scope, index });
    const { changes, apply } = draftItems(tree, writes, { newId, now: clock() });
    const { nodes, updates, removals } = changes;
    if ((nodes?.item?.length ?? 0) + (updates?.length ?? 0) + (removals?.length ?? 0) === 0) return;
    await store.commit(scope, changes);
    apply();
  }

  async #tree(): Promise<ItemTree> {
    const { index } = await this.#scope.read();
    return this.#trees.get(index) ?? this.#scope.write((context) => this.#treeFor(context), { waits: false });
  }

  /** Must run while no writer runs. */
  #treeFor({ store, scope, index }: Omit<IndexedScope, 'clock'>): Promise<ItemTree> {
    const known = this.#trees.get(index);
    if (known !== undefined) return known;
    const trees = this.#trees;
    const tree = loadItems(store, scope);
    trees.set(index, tree);
    tree.catch(() => trees.delete(index));
    return tree;
  }
}

function readAtOnce(tree: ItemTree, operation: Exclude<ReadOperation, { op: 'search' }>): ItemResult {
  if (operation.op === 'write') return undefined;
  if (operation.op === 'namespaces') return matchNamespaces(tree.namespaces(), operation);
  const entry = tree.get(operation.namespace, operation.key);
  return entry === null ? null : itemOf(entry);
}

function itemOf({ namespace, key, value, createdAt, updatedAt }: ItemEntry): StoredItem {
  return { namespace: [...namespace], key, value: structuredClone(value), createdAt, updatedAt };
}
