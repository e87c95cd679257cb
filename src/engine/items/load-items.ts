import type { Scope } from '../../model/ids.ts';
import type { Item } from '../../model/nodes.ts';
import type { GraphStore } from '../../store/graph-store.ts';
import { Breather } from '../../util/breathe.ts';
import { readItemJson } from './item-json.ts';
import { ItemTree } from './item-tree.ts';

interface Versions {
  newest: Item;
  readonly rows: Pick<Item, 'id' | 'createdAt' | 'expiredAt'>[];
}

/** Reads the items of a scope from the graph. Of several that stand, as after an import, the latest counts. */
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
