import type { Milliseconds } from '../model/ids.ts';
import type { ItemFields, ItemValue } from '../store/item-json.ts';

interface Branch {
  readonly branches: Map<string, Branch>;
  readonly items: Map<string, ItemEntry>;
}

/** The items of one scope by namespace and key; labels are compared as a whole. Contains user text. */
export class ItemTree {
  readonly #root: Branch = { branches: new Map(), items: new Map() };

  get(namespace: readonly string[], key: string): ItemEntry | null {
    return this.#find(namespace)?.items.get(key) ?? null;
  }

  /** Items in this namespace and below it, in no order. */
  under(prefix: readonly string[]): ItemEntry[] {
    const start = this.#find(prefix);
    return start === null ? [] : [...itemsOf(start)];
  }

  all(): Iterable<ItemEntry> {
    return itemsOf(this.#root);
  }

  /** Namespaces that directly contain an item, sorted label by label. */
  namespaces(): string[][] {
    return [...namespacesOf(this.#root, [])];
  }

  set(entry: ItemEntry): void {
    let branch = this.#root;
    for (const label of entry.namespace) {
      const next = branch.branches.get(label) ?? { branches: new Map(), items: new Map() };
      branch.branches.set(label, next);
      branch = next;
    }
    branch.items.set(entry.key, entry);
  }

  delete(namespace: readonly string[], key: string): void {
    removeFrom(this.#root, namespace, key);
  }

  #find(namespace: readonly string[]): Branch | null {
    let branch: Branch | undefined = this.#root;
    for (const label of namespace) branch = branch?.branches.get(label);
    return branch ?? null;
  }
}

/** Removes empty branches too, because their labels are text. */
function removeFrom(branch: Branch, [label, ...rest]: readonly string[], key: string): void {
  if (label === undefined) {
    branch.items.delete(key);
    return;
  }
  const next = branch.branches.get(label);
  if (next === undefined) return;
  removeFrom(next, rest, key);
  if (next.items.size === 0 && next.branches.size === 0) branch.branches.delete(label);
}

function* itemsOf({ items, branches }: Branch): Iterable<ItemEntry> {
  yield* items.values();
  for (const branch of branches.values()) yield* itemsOf(branch);
}

function* namespacesOf({ items, branches }: Branch, namespace: readonly string[]): Iterable<string[]> {
  if (items.size > 0) yield [...namespace];
  for (const label of [...branches.keys()].sort())
    yield* namespacesOf(branches.get(label)!, [...namespace, label]);
}

/** The oldest first. Rows of the same millisecond are ordered by their ids, which begin with the time. */
export function byAge(one: ItemEntry, other: ItemEntry): number {
  if (one.createdAt !== other.createdAt) return one.createdAt - other.createdAt;
  const first = one.versions[0]!;
  const second = other.versions[0]!;
  return first < second ? -1 : first > second ? 1 : 0;
}

/** An item in the directory of a scope. A new version is a new entry. */
export interface ItemEntry {
  readonly namespace: readonly string[];
  readonly key: string;
  readonly value: ItemValue;
  /** Undefined if the writer did not set it; the reader then decides. */
  readonly fields: ItemFields | undefined;
  readonly createdAt: Milliseconds;
  readonly updatedAt: Milliseconds;
  /** Row ids of all versions, the newest last. */
  readonly versions: readonly string[];
  /** Ids of the versions that no other replaced: one, or several after an import. */
  readonly live: readonly string[];
}
