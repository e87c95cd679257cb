import type { Scope } from '../model/ids.ts';
import type { Relationship, RelationshipKind } from '../model/relationships.ts';
import type { GraphStore } from './graph-store.ts';

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
