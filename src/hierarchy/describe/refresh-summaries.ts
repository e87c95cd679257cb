import type { GraphChanges, RowRemoval, RowUpdate } from '../../model/graph-changes.ts';
import type { CategoryId, ProfileId } from '../../model/ids.ts';
import type { Profile } from '../../model/nodes.ts';
import type { EntityIndex } from '../../search/entity-index.ts';
import type { HierarchyIndex } from '../../search/hierarchy-index.ts';
import type { ScopeIndex } from '../../search/scope-index.ts';
import type { HierarchyContext } from '../hierarchy-context.ts';
import type { DraftCategory, HierarchyDraft } from '../maintain/hierarchy-draft.ts';
import { entitiesBelow } from '../traverse/hierarchy-view.ts';
import { aggregateSummary, type SummarizedChild } from './aggregate-summary.ts';

type Reading = Pick<HierarchyContext, 'index' | 'scope'> & {
  readonly store: Pick<HierarchyContext['store'], 'get'>;
};

/** Writes summaries of categories by another way than rules; null where it cannot. */
export type DescribeCategories = (
  categories: readonly { readonly name: string; readonly children: readonly SummarizedChild[] }[],
) => Promise<readonly (string | null)[]>;

/**
 * Returns categories whose summary is out of date, lower layers first.
 *
 * @param least Minimum share, from 0 to 1, of the entities below that are new or changed since the summary was
 * written.
 */
export function staleIn(index: Reading['index'], least = 0): CategoryId[] {
  const { hierarchy } = index;
  const staleness = new Staleness(index);
  const stale: CategoryId[] = [];
  for (let layer = 1; layer <= hierarchy.depth; layer++)
    for (const id of hierarchy.layer(layer)) if (staleness.of(id)) stale.push(id);
  return least === 0 ? stale : stale.filter((id) => changedShare(index, id) >= least);
}

/** Share of the entities below a category that are new or changed since its summary was written. */
function changedShare({ hierarchy, entities }: Reading['index'], category: CategoryId): number {
  const profile = hierarchy.profileOf(category);
  const below = entitiesBelow(category, hierarchy);
  if (profile === undefined || below.length === 0) return 1;
  const isNewer = (id: string) => (entities.profileOf(id)?.createdAt ?? 0) > profile.createdAt;
  return below.filter(isNewer).length / below.length;
}

/** Current summaries of categories: rebuilt by rule if stale, otherwise as stored. */
export async function currentSummaries(
  context: Reading,
  categories: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { hierarchy } = context.index;
  const staleness = new Staleness(context.index);
  const stale = new Set<string>();
  const collect = (id: string) => {
    if (stale.has(id) || !staleness.of(id)) return;
    stale.add(id);
    for (const child of hierarchy.childrenOf(id)) if (hierarchy.has(child)) collect(child);
  };
  for (const id of categories) collect(id);
  const needed = [...categories, ...[...stale].flatMap((id) => hierarchy.childrenOf(id))];
  const summaries = new Map(await summariesOf(context, needed));
  const upwards = [...stale].sort((a, b) => hierarchy.category(a)!.layer - hierarchy.category(b)!.layer);
  for (const id of upwards) summaries.set(id, aggregateSummary(summarizedChildren(context, id, summaries)));
  return new Map(categories.map((id) => [id, summaries.get(id) ?? '']));
}

/** The children of categories with their current summaries, as input for new summaries. */
export async function childrenSummaries(
  context: Reading,
  categories: readonly CategoryId[],
): Promise<{ readonly name: string; readonly children: readonly SummarizedChild[] }[]> {
  const { hierarchy } = context.index;
  const summaries = await summariesOf(
    context,
    categories.flatMap((id) => hierarchy.childrenOf(id)),
  );
  return categories.map((id) => {
    return { name: hierarchy.profileOf(id)!.name, children: summarizedChildren(context, id, summaries) };
  });
}

/** Graph changes that write new summaries of categories: the given ones, else by rule. Skips deleted categories. */
export async function refreshedSummaries(
  context: HierarchyContext,
  categories: readonly CategoryId[],
  given: ReadonlyMap<string, string | null>,
): Promise<GraphChanges> {
  const { hierarchy } = context.index;
  const named = categories.filter((id) => hierarchy.profileOf(id) !== undefined);
  const summarized = await childrenSummaries(context, named);
  const createdAt = context.clock();
  const profile = named.map((id, at): Profile => {
    const { name, aliases, tags } = hierarchy.profileOf(id)!;
    const summary = given.get(id) ?? aggregateSummary(summarized[at]!.children);
    const newId = context.newId() as ProfileId;
    return { id: newId, owner: id, name, aliases, tags, summary, createdAt, expiredAt: null };
  });
  const old = named.map((id) => hierarchy.profileOf(id)!.id);
  const removals: RowRemoval[] = [
    ...old.map((id) => ({ kind: 'profile' as const, id })),
    ...(await vectorsOf(context, new Set(old))),
  ];
  const updates = named.map((id): RowUpdate => ({ kind: 'category', id, set: { staleSince: null } }));
  return { nodes: { profile, embedding: [...(await context.embed(profile))] }, updates, removals };
}

function summarizedChildren(
  { index: { entities, hierarchy } }: Reading,
  category: string,
  summaries: ReadonlyMap<string, string>,
): SummarizedChild[] {
  return hierarchy.childrenOf(category).flatMap((child) => {
    const name = (entities.profileOf(child) ?? hierarchy.profileOf(child))?.name;
    return name === undefined ? [] : [{ name, summary: summaries.get(child) ?? '' }];
  });
}

/**
 * Returns categories whose summary is out of date: their children changed, or a child's profile is newer or stale
 * itself. A summary is rebuilt when it is next needed.
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
    /** Ids of categories whose children changed. */
    readonly changed: ReadonlySet<string>;
  },
): Set<string> {
  const stale = new Set<string>();
  const isYounger = (child: string, than: number) =>
    written.has(child) ||
    stale.has(child) ||
    (entities.profileOf(child) ?? hierarchy.profileOf(child))!.createdAt > than;
  const isStale = ({ id, children }: DraftCategory) => {
    // A new summary draws on the stored summaries of its children, so it is stale only if they are.
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
 * Finds stale summaries in the stored graph. A child may have been described again, corrected or merged since the
 * last update, so that more are stale than are marked.
 */
class Staleness {
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

/** Current summaries by entity or category id. */
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

/** The vectors of rows, for every embedder. */
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
