import type { EntityIndex } from '../search/entity-index.ts';
import type { HierarchyIndex } from '../search/hierarchy-index.ts';
import type { ScopeIndex } from '../search/scope-index.ts';
import type { DraftCategory, HierarchyDraft } from './hierarchy-draft.ts';

/**
 * Categories whose summary does not tell of what is below them now: their children are others, or a child's profile is
 * younger than theirs or stale itself. A summary is written anew when somebody needs it.
 */
export function staleCategories(
  hierarchy: HierarchyIndex,
  draft: HierarchyDraft,
  {
    entities,
    written,
    changed,
  }: {
    readonly entities: EntityIndex;
    /** Ids of categories whose profile is written in this update. */
    readonly written: ReadonlySet<string>;
    /** Ids of categories with other children than before. */
    readonly changed: ReadonlySet<string>;
  },
): Set<string> {
  const stale = new Set<string>();
  const isYounger = (child: string, than: number) =>
    written.has(child) ||
    stale.has(child) ||
    (entities.profileOf(child) ?? hierarchy.profileOf(child))!.createdAt > than;
  const isStale = ({ id, children }: DraftCategory) => {
    // Of new ones only those whose children are stale: they draw on the summaries that are there.
    if (written.has(id)) return [...children].some((child) => stale.has(child));
    if (changed.has(id) || (hierarchy.category(id)?.staleSince ?? null) !== null) return true;
    const { createdAt } = hierarchy.profileOf(id)!;
    return [...children].some((child) => isYounger(child, createdAt));
  };
  for (let layer = 1; layer <= draft.depth; layer++)
    for (const category of draft.categories(layer)) if (isStale(category)) stale.add(category.id);
  return stale;
}

/**
 * The same as the graph has it now. Since the last update a child may have been told anew, corrected or merged into
 * another, so that more is stale than is marked so.
 */
export class Staleness {
  readonly #index: Pick<ScopeIndex, 'hierarchy' | 'entities'>;
  readonly #known = new Map<string, boolean>();

  constructor(index: Pick<ScopeIndex, 'hierarchy' | 'entities'>) {
    this.#index = index;
  }

  of(category: string): boolean {
    const known = this.#known.get(category);
    if (known !== undefined) return known;
    const stale = this.#find(category);
    this.#known.set(category, stale);
    return stale;
  }

  #find(category: string): boolean {
    const { hierarchy, entities } = this.#index;
    const profile = hierarchy.profileOf(category);
    if (profile === undefined || hierarchy.category(category)!.staleSince !== null) return true;
    return hierarchy.childrenOf(category).some((child) => {
      const { createdAt } = hierarchy.profileOf(child) ?? entities.profileOf(child) ?? {};
      if (createdAt === undefined || createdAt > profile.createdAt) return true;
      return hierarchy.has(child) && this.of(child);
    });
  }
}
