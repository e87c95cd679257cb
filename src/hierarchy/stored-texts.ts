import type { RowRemoval } from '../model/graph-changes.ts';
import type { HierarchyContext } from './hierarchy-context.ts';

/** Current summaries by entity or category. */
export async function summariesOf(
  {
    store,
    scope,
    index: { entities, hierarchy },
  }: Pick<HierarchyContext, 'scope' | 'index'> & { readonly store: Pick<HierarchyContext['store'], 'get'> },
  nodes: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const profiles = new Set(
    nodes.flatMap((id) => (entities.profileOf(id) ?? hierarchy.profileOf(id))?.id ?? []),
  );
  const rows = profiles.size === 0 ? [] : await store.get(scope, 'profile', [...profiles]);
  return new Map(rows.map(({ owner, summary }) => [owner, summary]));
}

/** The vectors of rows, under whatever embedder. */
export async function vectorsOf(
  { store, scope }: Pick<HierarchyContext, 'store' | 'scope'>,
  owners: ReadonlySet<string>,
): Promise<RowRemoval[]> {
  const removals: RowRemoval[] = [];
  if (owners.size === 0) return removals;
  for await (const rows of store.scan(scope, 'embedding', ['id', 'owner']))
    for (const { id, owner } of rows) if (owners.has(owner)) removals.push({ kind: 'embedding', id });
  return removals;
}
