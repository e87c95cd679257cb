import type { Scope } from '../../model/ids.ts';
import type { NodeKind, NodeRows } from '../../model/nodes.ts';
import type { Relationship, RelationshipKind } from '../../model/relationships.ts';
import type { GraphStore } from '../../store/graph-store.ts';
import { breathe } from '../../util/breathe.ts';

/** Kinds of rows that ingestion derives from turns, without the hierarchy and store items. */
export const DERIVED_FROM_TURNS = ['segment', 'entity', 'profile', 'description', 'fact'] as const;
export type DerivedKind = (typeof DERIVED_FROM_TURNS)[number];
export const BASE_EDGES = [
  'NEXT',
  'IN_SEGMENT',
  'MENTIONS',
  'ABOUT',
  'EVIDENCED_BY',
  'SUPERSEDES',
  'RELATED',
  'POSSIBLY_SAME',
] as const satisfies readonly RelationshipKind[];
export type BaseEdge = (typeof BASE_EDGES)[number];

type ReadKind = 'episode' | DerivedKind | 'correction';

/**
 * The base graph of a scope: rows of all ages in order of creation; only profiles of entities. Turns may be added while
 * it is read: edges of those that were not read are left out.
 */
export interface ScopeRows {
  readonly nodes: { readonly [K in ReadKind]: ReadonlyMap<string, NodeRows[K]> };
  readonly edges: { readonly [K in BaseEdge]: readonly Relationship[] };
}

export async function readScopeRows(store: GraphStore, scope: Scope): Promise<ScopeRows> {
  const nodes: Record<string, ReadonlyMap<string, object>> = {};
  for (const kind of ['episode', ...DERIVED_FROM_TURNS, 'correction'] as const)
    nodes[kind] = await rowsOf(store, scope, kind);
  const { profile, entity } = nodes as unknown as ScopeRows['nodes'];
  nodes.profile = new Map([...profile].filter(([, { owner }]) => entity.has(owner)));
  const read = new Set(Object.values(nodes).flatMap((rows) => [...rows.keys()]));
  const edges: Record<string, readonly Relationship[]> = {};
  for (const kind of BASE_EDGES) {
    const all: Relationship[] = [];
    for await (const batch of store.relationships(scope, kind)) {
      for (const edge of batch) if (read.has(edge.from) && read.has(edge.to)) all.push(edge);
      await breathe();
    }
    edges[kind] = all;
  }
  return { nodes, edges } as unknown as ScopeRows;
}

async function rowsOf<K extends NodeKind>(
  store: GraphStore,
  scope: Scope,
  kind: K,
): Promise<ReadonlyMap<string, NodeRows[K]>> {
  type Row = Pick<NodeRows[K], keyof NodeRows[K]>;
  const rows: Row[] = [];
  for await (const batch of store.scan(scope, kind)) {
    for (const row of batch) rows.push(row);
    await breathe();
  }
  const made = (row: Row) => ('createdAt' in row ? Number(row.createdAt) : 0);
  rows.sort((a, b) => made(a) - made(b) || (a.id < b.id ? -1 : 1));
  return new Map(rows.map((row) => [row.id, row as NodeRows[K]]));
}
