import { collect } from '../../ingest/forget/collect.ts';
import { countRemovals, type RemovedCounts } from '../../ingest/forget/removal.ts';
import { type RemovedTexts, textsOf } from '../../ingest/forget/texts-of.ts';
import type { IngestContext } from '../../ingest/ingest-context.ts';
import type { GraphChanges, RowRemoval } from '../../model/graph-changes.ts';
import type { NodeKind, NodeRows } from '../../model/nodes.ts';
import { itemTexts } from '../items/item-json.ts';

/** What searches show goes first. */
const ORDER = [
  'episode',
  'fact',
  'profile',
  'segment',
  'description',
  'entity',
  'category',
  'hierarchy',
  'failure',
  'item',
  'correction',
  'embedding',
] as const satisfies readonly NodeKind[];

const DATED = ORDER.filter((kind) => kind !== 'hierarchy' && kind !== 'embedding');

type Sources = Pick<IngestContext, 'store' | 'scope'>;

/** When the youngest row of a scope was made; null for an empty one. */
export async function youngestRow({ store, scope }: Sources): Promise<number | null> {
  let youngest: number | null = null;
  for (const kind of DATED)
    for await (const rows of store.scan(scope, kind, ['createdAt'] as never))
      for (const { createdAt } of rows as readonly { readonly createdAt: number }[])
        youngest = Math.max(youngest ?? createdAt, createdAt);
  return youngest;
}

export interface RemoveAllOptions {
  /** Id of the record of the forgetting. */
  readonly keep: string;
  /** Rows that were made later came after the forgetting was begun: they stay. */
  readonly until: number;
  readonly rows: number;
}

/** Everything a scope held at a time, but tombstones and the record of this forgetting, in steps of so many rows. */
export async function* removalsOfAll(
  { store, scope }: Sources,
  { keep, until, rows }: RemoveAllOptions,
): AsyncGenerator<{ readonly changes: GraphChanges; readonly counts: RemovedCounts }> {
  let removals: RowRemoval[] = [];
  const step = () => {
    const changes = { removals };
    removals = [];
    return { changes, counts: countRemovals(changes.removals) };
  };
  const staying = new Set<string>([keep]);
  for (const kind of DATED)
    for await (const batch of store.scan(scope, kind, ['id', 'createdAt'] as never))
      for (const { id, createdAt } of batch as readonly { readonly id: string; readonly createdAt: number }[])
        if (createdAt > until) staying.add(id);
  for (const kind of ORDER) {
    const fields = kind === 'embedding' ? ['id', 'owner'] : ['id'];
    for (const row of await collect(store.scan(scope, kind, fields as never))) {
      const { id, owner = id } = row as { readonly id: string; readonly owner?: string };
      if (staying.has(owner)) continue;
      removals.push({ kind, id });
      if (removals.length >= rows) yield step();
    }
  }
  if (removals.length > 0) yield step();
}

/** What all rows of a scope hold in words. */
export async function* textsOfAll({ store, scope }: Sources): AsyncGenerator<RemovedTexts> {
  const none = { episode: [], segment: [], fact: [], description: [], profile: [] };
  for (const kind of ['episode', 'fact', 'profile', 'segment', 'description'] as const)
    for await (const rows of store.scan(scope, kind))
      yield textsOf({ ...none, [kind]: rows as readonly NodeRows[typeof kind][] });
  for await (const rows of store.scan(scope, 'item', ['value']))
    yield { said: itemTexts(rows), told: new Set() };
}
