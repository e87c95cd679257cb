import type { HierarchyIndex } from '../../search/hierarchy-index.ts';

/** Entities below a category, each once, the oldest branch first; a cycle in the data is walked once. */
export function entitiesBelow(
  category: string,
  hierarchy: Pick<HierarchyIndex, 'has' | 'childrenOf'>,
): readonly string[] {
  const met = new Set<string>();
  const entities: string[] = [];
  const open = [category];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (met.has(id)) continue;
    met.add(id);
    if (!hierarchy.has(id)) entities.push(id);
    else for (const child of hierarchy.childrenOf(id).toReversed()) open.push(child);
  }
  return entities;
}
