import { collect } from '../../ingest/forget/collect.ts';
import { countRemovals, type RemovedCounts } from '../../ingest/forget/removal.ts';
import { type RemovedTexts, textsOf } from '../../ingest/forget/texts-of.ts';
import type { IngestContext } from '../../ingest/ingest-context.ts';
import type { GraphChanges, RowRemoval } from '../../model/graph-changes.ts';
import type { NodeKind, NodeRows } from '../../model/nodes.ts';
import { itemTexts } from '../items/item-texts.ts';

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

type Sources = Pick<IngestContext, 'store' | 'scope'>;

/** Everything a scope holds, but tombstones and the record of this forgetting, in steps of at most so many rows. */
export async function* removalsOfAll(
  { store, scope }: Sources,
  { keep, rows }: { readonly keep: string; readonly rows: number },
): AsyncGenerator<{ readonly changes: GraphChanges; readonly counts: RemovedCounts }> {
  let removals: RowRemoval[] = [];
  const step = () => {
    const changes = { removals };
    removals = [];
    return { changes, counts: countRemovals(changes.removals) };
  };
  for (const kind of ORDER)
    for (const { id } of await collect(store.scan(scope, kind, ['id'] as never))) {
      if ((id as string) === keep) continue;
      removals.push({ kind, id });
      if (removals.length >= rows) yield step();
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
