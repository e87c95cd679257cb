import type { GraphChanges, RowRemoval, RowUpdate, Unlink } from '../../model/graph-changes.ts';
import type { CategoryId, ProfileId } from '../../model/ids.ts';
import type { Category, Profile } from '../../model/nodes.ts';
import type { Relationship } from '../../model/relationships.ts';
import type { HierarchyIndex } from '../../search/hierarchy-index.ts';
import { aggregateSummary, type SummarizedChild } from '../describe/aggregate-summary.ts';
import { staleCategories, summariesOf, vectorsOf } from '../describe/refresh-summaries.ts';
import type { HierarchyContext } from '../hierarchy-context.ts';
import type { DraftCategory, HierarchyDraft } from './hierarchy-draft.ts';

/** Counts of what an update changed in the hierarchy. */
export interface HierarchyCounts {
  readonly created: number;
  readonly dissolved: number;
  readonly renamed: number;
  /** Nodes that were linked to a category. */
  readonly placed: number;
  /** Categories whose summary is out of date. */
  readonly stale: number;
}

/**
 * Graph changes that turn the stored hierarchy into the draft. Lower layers come first, since summaries draw on those
 * of children.
 */
export async function draftChanges(
  context: HierarchyContext,
  draft: HierarchyDraft,
): Promise<{ readonly changes: GraphChanges; readonly counts: HierarchyCounts }> {
  const { hierarchy } = context.index;
  const removed = removedFrom(hierarchy, draft);
  const edges = edgeChanges(hierarchy, draft, removed);
  const created = draft.all().filter(({ isKept }) => !isKept);
  // A category that lost its name is skipped until its layer is closed.
  const renamed = draft.all().filter((each) => each.isKept && each.name !== '' && isRenamed(each, hierarchy));
  const profile = await writtenProfiles(context, draft, [...created, ...renamed]);
  const old = [...removed, ...renamed.map(({ id }) => id)].flatMap((id) => hierarchy.profileOf(id)?.id ?? []);
  const removals: RowRemoval[] = [
    ...removed.map((id) => ({ kind: 'category' as const, id })),
    ...old.map((id) => ({ kind: 'profile' as const, id })),
    ...(await vectorsOf(context, new Set(old))),
  ];
  const written = new Set(profile.map(({ owner }) => owner as string));
  const stale = staleCategories(hierarchy, draft, {
    entities: context.index.entities,
    written,
    changed: edges.changed,
  });
  const now = context.clock();
  const updates = staleUpdates(hierarchy, draft, { stale, now });
  const category = created.map(({ id, layer }): Category => {
    return { id, layer, createdAt: now, expiredAt: null, staleSince: stale.has(id) ? now : null };
  });
  const embedding = await context.embed(profile);
  return {
    changes: {
      unlinks: edges.unlinks,
      nodes: { category, profile, embedding: [...embedding] },
      relationships: edges.relationships,
      updates,
      removals,
    },
    counts: {
      created: created.length,
      dissolved: removed.length,
      renamed: renamed.length,
      placed: edges.placed,
      stale: updates.filter(({ set }) => 'staleSince' in set && set.staleSince !== null).length,
    },
  };
}

function isRenamed({ id, ...draft }: DraftCategory, hierarchy: HierarchyIndex): boolean {
  const profile = hierarchy.profileOf(id);
  if (profile === undefined || profile.name !== draft.name) return true;
  const lists = (['tags', 'aliases'] as const).map((list) => [profile[list], draft[list]] as const);
  return lists.some(([before, now]) => before.join('\n') !== now.join('\n'));
}

function removedFrom(hierarchy: HierarchyIndex, draft: HierarchyDraft): CategoryId[] {
  return [...hierarchy.all()].filter((id) => draft.category(id) === undefined);
}

function edgeChanges(hierarchy: HierarchyIndex, draft: HierarchyDraft, removed: readonly string[]) {
  const isRemoved = new Set(removed);
  const [unlinks, relationships] = [[] as Unlink[], [] as Relationship[]];
  const [changed, placed] = [new Set<string>(), new Set<string>()];
  for (const { id, layer, name, children, former } of draft.all()) {
    // A nameless category keeps its edges until the layer is closed: its former children identify it.
    if (name === '' && former.size > 0) continue;
    const toKind = layer === 1 ? ('entity' as const) : ('category' as const);
    const edge = (to: string) =>
      ({ kind: 'CATEGORIZES', fromKind: 'category', from: id, toKind, to }) as const;
    const before = new Set<string>(hierarchy.childrenOf(id));
    for (const child of before)
      if (!children.has(child)) {
        changed.add(id);
        // Removing a row removes its edges.
        if (!isRemoved.has(child)) unlinks.push(edge(child));
      }
    for (const child of children)
      if (!before.has(child)) {
        changed.add(id);
        placed.add(child);
        relationships.push(edge(child));
      }
  }
  return { unlinks, relationships, changed, placed: placed.size };
}

/** Profiles of categories, lower layers first. */
async function writtenProfiles(
  context: HierarchyContext,
  draft: HierarchyDraft,
  categories: readonly DraftCategory[],
): Promise<Profile[]> {
  const sorted = categories.toSorted((a, b) => a.layer - b.layer);
  const own = new Set<string>(categories.map(({ id }) => id));
  const needed = sorted.flatMap(({ children }) => [...children].filter((child) => !own.has(child)));
  const summaries = new Map(await summariesOf(context, needed));
  const createdAt = context.clock();
  return sorted.map(({ id, name, tags, aliases, children }) => {
    const summarized = [...children].map((child): SummarizedChild => {
      return { name: draft.node(child)!.name, summary: summaries.get(child) ?? '' };
    });
    const summary = aggregateSummary(summarized);
    summaries.set(id, summary);
    const profile = context.newId() as ProfileId;
    return {
      id: profile,
      owner: id,
      name,
      aliases: [...aliases],
      summary,
      tags: [...tags],
      createdAt,
      expiredAt: null,
    };
  });
}

function staleUpdates(
  hierarchy: HierarchyIndex,
  draft: HierarchyDraft,
  { stale, now }: { stale: ReadonlySet<string>; now: number },
): RowUpdate[] {
  return draft.all().flatMap(({ id, isKept }) => {
    if (!isKept) return [];
    const since = hierarchy.category(id)?.staleSince ?? null;
    if (stale.has(id) === (since !== null)) return [];
    return [{ kind: 'category', id, set: { staleSince: stale.has(id) ? now : null } } as const];
  });
}
