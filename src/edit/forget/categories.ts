import type { IndexedScope, IngestContext, StoredScope } from '../../ingest/ingest-context.ts';
import type { RowUpdate } from '../../model/graph-changes.ts';
import type { ProfileId } from '../../model/ids.ts';
import type { Profile } from '../../model/nodes.ts';
import type { HierarchyIndex } from '../../search/hierarchy-index.ts';
import { edgesOf } from '../../store/graph-store.ts';
import { collect, groupBy } from '../../util/collections.ts';
import { entityNameKey, keySays } from '../../util/tidy.ts';

/** Categories with one of the names in their own name, tags or aliases. */
function categoriesWithNames(categories: HierarchyIndex, names: readonly string[]): ReadonlySet<string> {
  const keys = names.map(entityNameKey);
  const found = new Set<string>();
  if (keys.length === 0) return found;
  for (const id of categories.all()) {
    const text = textOf(categories, id);
    if (keys.some((key) => keySays(text, key))) found.add(id);
  }
  return found;
}

/** The names that occur in the name, tags or aliases of some category. */
export function namesInCategories(categories: HierarchyIndex, names: readonly string[]): string[] {
  // Search one joined text: most names occur in no category.
  const text = Array.from(categories.all(), (id) => textOf(categories, id)).join('\n');
  return text === '' ? [] : names.filter((name) => keySays(text, entityNameKey(name)));
}

/** One key per line, so that no name matches across two keys. */
function textOf(categories: HierarchyIndex, id: string): string {
  const profile = categories.profileOf(id);
  if (profile === undefined) return '';
  return [profile.name, ...profile.tags, ...profile.aliases].map(entityNameKey).join('\n');
}

interface CategoriesTouched {
  /** All versions of the profiles of these categories. */
  readonly profiles: readonly Profile[];
  /** Mark the categories as stale, so that the next update describes them again. */
  readonly updates: readonly RowUpdate[];
  /**
   * Removed summaries that no other text repeats. The summary of a category with one child repeats that child's; names
   * and tags are common words that may occur anywhere. The proof searches for neither.
   */
  readonly derived: readonly string[];
  /**
   * Of `profiles`, those where only the summary may contain removed text: no touched entity is below them, and their
   * name contains no removed name.
   */
  readonly summaryOnly: readonly Profile[];
}

const NONE: CategoriesTouched = { profiles: [], updates: [], derived: [], summaryOnly: [] };

interface RemovedContent {
  /** Ids of entities that are removed or lose something. */
  readonly entities: Iterable<string>;
  /** Names that no remaining text contains. */
  readonly obsolete: readonly string[];
  /** Id and owner of every profile in the scope. */
  readonly profiles: readonly Pick<Profile, 'id' | 'owner'>[];
}

/**
 * Categories whose name, tags or summary may contain removed text: ancestors of entities that lose something;
 * categories named after removed content and the ancestors of those, whose summaries list them by name; and stale
 * categories, whose text may describe former members. The categories and their edges stay. Their profiles are removed,
 * because a hierarchy keeps no history.
 */
export async function categoriesTouched(
  context: IndexedScope,
  { entities, obsolete, profiles }: RemovedContent,
): Promise<CategoriesTouched> {
  const { store, scope, clock, index } = context;
  const categories = await collect(store.scan(scope, 'category', ['id', 'staleSince']));
  if (categories.length === 0) return NONE;
  const above = await ancestorsOf(context, entities);
  const called = categoriesWithNames(index.hierarchy, obsolete);
  const summing = await ancestorsOf(context, called);
  const isAffected = (id: string) => above.has(id) || called.has(id);
  const touched = categories.filter(
    ({ id, staleSince }) => staleSince !== null || isAffected(id) || summing.has(id),
  );
  const ids = new Set<string>(touched.map(({ id }) => id));
  const own = profiles.flatMap(({ id, owner }) => (ids.has(owner) ? [id as string] : []));
  const staleSince = clock();
  const rows = own.length === 0 ? [] : await store.get(scope, 'profile', own);
  const several = await withSeveralChildren(context, above);
  return {
    profiles: rows,
    summaryOnly: rows.filter(({ owner, expiredAt }) => expiredAt === null && !isAffected(owner)),
    derived: rows.flatMap(({ owner, summary }) =>
      several.has(owner) && summary.trim() !== '' ? [summary] : [],
    ),
    updates: touched.flatMap(({ id, staleSince: since }) =>
      since === null ? [{ kind: 'category' as const, id, set: { staleSince } }] : [],
    ),
  };
}

async function withSeveralChildren(
  context: StoredScope,
  categories: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const edges = await edgesOf(context, 'CATEGORIZES', { from: [...categories] });
  const groups = groupBy(edges, ({ from }) => from);
  return new Set([...groups].flatMap(([id, group]) => (group.length > 1 ? [id] : [])));
}

async function ancestorsOf(context: StoredScope, entities: Iterable<string>): Promise<ReadonlySet<string>> {
  const above = new Set<string>();
  for (let nodes = [...new Set(entities)]; nodes.length > 0; ) {
    const edges = await edgesOf(context, 'CATEGORIZES', { to: nodes });
    const next = new Set(edges.map(({ from }) => from));
    nodes = [...next].filter((id) => !above.has(id));
    for (const id of nodes) above.add(id);
  }
  return above;
}

/** Copies of their profiles without a summary, except profiles with a removed name in their name, tags or aliases. */
export function withoutSummaries(
  { summaryOnly }: Pick<CategoriesTouched, 'summaryOnly'>,
  names: readonly string[],
  { newId, clock }: Pick<IngestContext, 'newId' | 'clock'>,
): Profile[] {
  const removed = names.map(entityNameKey);
  const isFree = ({ name, tags, aliases }: Profile) => {
    const text = entityNameKey([name, ...tags, ...aliases].join(' \n'));
    return !removed.some((each) => keySays(text, each));
  };
  return summaryOnly.filter(isFree).map((profile) => {
    return { ...profile, id: newId() as ProfileId, summary: '', createdAt: clock() };
  });
}
