import type { Scope } from '../../model/ids.ts';
import { NODE_KINDS, type NodeKind } from '../../model/nodes.ts';
import type { CachedRow } from '../../store/cached-store.ts';
import type { GraphStore } from '../../store/graph-store.ts';
import { type ColumnType, NODE_TABLES } from '../../store/schema.ts';
import { Breather } from '../../util/breathe.ts';
import { stringsIn } from './strings-in.ts';
import { HeldTally, type TextHolder } from './text-holder.ts';

const TEXT_TYPES: readonly ColumnType['type'][] = ['name', 'optionalName', 'text', 'json', 'interval'];
/** A fact's event says when in the user's own words. */
export const TEXT_COLUMNS: ReadonlyMap<NodeKind, readonly string[]> = new Map(
  NODE_KINDS.map((kind) => {
    const columns = Object.entries(NODE_TABLES[kind].columns as Readonly<Record<string, ColumnType>>);
    return [kind, columns.flatMap(([name, { type }]) => (TEXT_TYPES.includes(type) ? [name] : []))];
  }),
);

/** The graph of record: every column that holds text, of one scope or of all, and the names of scopes. */
export function graphHolder(store: GraphStore, scope: Scope | null = null): TextHolder {
  return {
    name: 'graph',
    async holds(texts, { signal } = {}) {
      const tally = new HeldTally();
      const breather = new Breather();
      for (const each of scope === null ? await store.scopes() : [scope]) {
        // Who asks about one scope knows what it is called, and it stays.
        if (scope === null) tally.addFoundIn(each, texts, 'scope');
        for (const kind of NODE_KINDS)
          for await (const rows of store.scan(each, kind, TEXT_COLUMNS.get(kind) as never))
            for (const row of rows) {
              signal?.throwIfAborted();
              await breather.breathe();
              searchRow(kind, row, { texts, tally });
            }
      }
      return tally.all();
    },
  };
}

/** Rows that are kept in memory for speed. */
export function rowCacheHolder(
  cache: { cachedRows(): Iterable<CachedRow> },
  only: Scope | null = null,
): TextHolder {
  return {
    name: 'row cache',
    async holds(texts) {
      const tally = new HeldTally();
      for (const { kind, scope, row } of cache.cachedRows()) {
        if (only !== null && scope !== only) continue;
        if (only === null) tally.addFoundIn(scope, texts, 'scope');
        searchRow(kind, row, { texts, tally });
      }
      return tally.all();
    },
  };
}

function searchRow(
  kind: NodeKind,
  row: object,
  { texts, tally }: { readonly texts: readonly string[]; readonly tally: HeldTally },
): void {
  const columns = new Set(TEXT_COLUMNS.get(kind));
  for (const [column, value] of Object.entries(row))
    if (columns.has(column))
      for (const string of stringsIn(value)) tally.addFoundIn(string, texts, `${kind}.${column}`);
}
