import { CancelledError } from '../../errors/index.ts';
import {
  childrenSummaries,
  type DescribeCategories,
  refreshedSummaries,
  staleIn,
} from '../../hierarchy/refresh-summaries.ts';
import type { CategoryId } from '../../model/ids.ts';
import type { ScopeIndex } from '../../search/scope-index.ts';
import { type HierarchyAccess, hierarchyContext } from './hierarchy-steps.ts';

export interface RefreshOptions {
  /** Whether summaries are written anew that still tell what is in their category. Default false. */
  readonly all?: boolean | undefined;
  /** Share of the entities below that must be told of otherwise since, from 0 to 1. Default 0: any change will do. */
  readonly least?: number | undefined;
  /** Writes them; default: by rule, from those of the children. */
  readonly describe?: DescribeCategories | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Of one transaction. */
const BY_RULE = 500;
/** A few calls' worth: what was paid for is kept when the work stops. */
const BY_MODEL = 36;

/**
 * Writes summaries of categories anew, some in each transaction and those of lower layers first, since a summary draws
 * on those below it; how many. A model is not asked while others wait to write.
 */
export async function refreshSummaries(
  access: HierarchyAccess,
  { all = false, least = 0, describe, signal }: RefreshOptions,
): Promise<number> {
  const written = new Set<CategoryId>();
  for (;;) {
    if (signal?.aborted)
      throw new CancelledError(`${written.size} summaries are written anew and kept`, signal.reason);
    const reading = await access.read();
    const most = describe === undefined ? BY_RULE : BY_MODEL;
    const some = nextOf(reading.index, { all, least, written, most });
    if (some.length === 0) return written.size;
    const read = some.map((id) => childrenOf(reading.index, id));
    const told = await describe?.(await childrenSummaries(reading, some));
    const changes = await access.write(async (context) => {
      // What was told of children that are others now, or are told of otherwise, may be wrong, or forgotten.
      const isAsRead = (id: CategoryId, at: number) => childrenOf(context.index, id) === read[at];
      const summaries = new Map(
        some.map((id, at) => [id as string, isAsRead(id, at) ? (told?.[at] ?? null) : null]),
      );
      const refreshed = await refreshedSummaries(hierarchyContext(context, access.settings), some, summaries);
      await context.store.commit(context.scope, refreshed);
      context.index.apply(refreshed);
      return refreshed;
    });
    for (const id of some) written.add(id);
    await access.committed(changes);
  }
}

/** What a summary of the category draws on: the profiles that tell of its children. */
function childrenOf({ hierarchy, entities }: ScopeIndex, category: CategoryId): string {
  const profileOf = (id: string) => (hierarchy.profileOf(id) ?? entities.profileOf(id))?.id ?? '';
  return hierarchy.childrenOf(category).map(profileOf).sort().join(' ');
}

/** Categories of the lowest layer that has some to write. */
function nextOf(
  index: ScopeIndex,
  {
    all,
    least,
    written,
    most,
  }: { all: boolean; least: number; written: ReadonlySet<CategoryId>; most: number },
): CategoryId[] {
  const { hierarchy } = index;
  const layerOf = (id: CategoryId) => hierarchy.category(id)!.layer;
  const candidates = all
    ? [...hierarchy.all()].sort((a, b) => layerOf(a) - layerOf(b))
    : staleIn(index, least);
  const open = candidates.filter((id) => hierarchy.profileOf(id) !== undefined && !written.has(id));
  return open.filter((id) => layerOf(id) === layerOf(open[0]!)).slice(0, most);
}
