import type { GraphChanges, NewNodes } from '../../../model/graph-changes.ts';
import type { Scope } from '../../../model/ids.ts';
import { NODE_KINDS, type NodeKind, type NodeRows } from '../../../model/nodes.ts';
import type { GraphStore, ScopeState } from '../../graph-store.ts';
import type { LoggedCommit } from '../../store-sharing.ts';
import type { LoggedChanges } from '../commit-log.ts';

type Entry = { readonly state: ScopeState; readonly changes: LoggedChanges };

/** Puts rows in the place of their ids, with one query for each kind. */
export async function withRows(
  store: Pick<GraphStore, 'get'>,
  scope: Scope,
  entries: readonly Entry[],
): Promise<LoggedCommit[]> {
  const rows = new Map<NodeKind, ReadonlyMap<string, NodeRows[NodeKind]>>();
  for (const kind of NODE_KINDS) {
    const ids = entries.flatMap(({ changes }) => changes.nodes?.[kind] ?? []);
    const found = ids.length === 0 ? [] : await store.get(scope, kind, ids);
    rows.set(kind, new Map(found.map((row) => [row.id as string, row])));
  }
  return entries.map(({ state, changes: { nodes = {}, ...changes } }) => {
    const kinds = Object.entries(nodes) as [NodeKind, readonly string[]][];
    const whole = kinds.map(([kind, ids]) => [kind, ids.flatMap((id) => rows.get(kind)?.get(id) ?? [])]);
    return {
      state,
      changes: { ...changes, nodes: Object.fromEntries(whole) as NewNodes } satisfies GraphChanges,
    };
  });
}
