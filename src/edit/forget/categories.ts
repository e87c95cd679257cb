import type { IngestContext } from '../../ingest/ingest-context.ts';
import type { RowUpdate } from '../../model/graph-changes.ts';
import type { ProfileId } from '../../model/ids.ts';
import type { Profile } from '../../model/nodes.ts';
import type { HierarchyIndex } from '../../search/hierarchy-index.ts';
import { collect, groupBy } from '../../util/collections.ts';
import { entityNameKey, keySays } from '../../util/tidy.ts';

type Categories = Pick<HierarchyIndex, 'all' | 'profileOf'>;

/** Categories whose name, a tag or an alias says one of the names. */
function categoriesSaying(categories: Categories, names: readonly string[]): ReadonlySet<string> {
  const keys = names.map(entityNameKey);
  const saying = new Set<string>();
  if (keys.length === 0) return saying;
  for (const id of categories.all()) {
    const text = textOf(categories, id);
    if (keys.some((key) => keySays(text, key))) saying.add(id);
  }
  return saying;
}

/** Of the names those that some category says. */
export function namesInCategories(categories: Categories, names: readonly string[]): string[] {
  // One long text for all: most names stand nowhere in it.
  const text = Array.from(categories.all(), (id) => textOf(categories, id)).join('\n');
  return text === '' ? [] : names.filter((name) => keySays(text, entityNameKey(name)));
}

/** Key by key on lines of their own, so that no name is read across two. */
function textOf(categories: Categories, id: string): string {
  const profile = categories.profileOf(id);
  if (profile === undefined) return '';
  return [profile.name, ...profile.tags, ...profile.aliases].map(entityNameKey).join('\n');
}

interface CategoriesTouched {
  /** Every profile of theirs. */
  readonly profiles: readonly Profile[];
  /** From now on they wait to be told of anew. */
  readonly updates: readonly RowUpdate[];
  /**
   * Summaries that nothing else repeats. One that stands for a single child says what that says; names and tags are
   * common words, which may stand anywhere.
   */
  readonly told: readonly string[];
  /** Of those `profiles` the ones whose summary alone may tell of what goes: no entity below them does, nor their name. */
  readonly elsewhere: readonly Profile[];
}

const NONE: CategoriesTouched = { profiles: [], updates: [], told: [], elsewhere: [] };

/** Of what goes, what categories may tell. */
interface ToldOf {
  /** Ids of entities that go or of which something goes. */
  readonly entities: Iterable<string>;
  /** Names that nothing which stays says. */
  readonly unsaid: readonly string[];
  /** Of every profile of the scope, whose it is. */
  readonly profiles: readonly Pick<Profile, 'id' | 'owner'>[];
}

/**
 * Categories whose name, tags and summary may tell of what goes: those above entities of which something goes, at any
 * height; those that are called after it, wherever they are, and those above these, which sum them up by name; and those
 * that are stale, since what they tell of may have left them. They and their edges stay; their profiles go, as a
 * hierarchy has no history.
 */
export async function categoriesTouched(
  context: Pick<IngestContext, 'store' | 'scope' | 'clock' | 'index'>,
  { entities, unsaid, profiles }: ToldOf,
): Promise<CategoriesTouched> {
  const { store, scope, clock, index } = context;
  const categories = await collect(store.scan(scope, 'category', ['id', 'staleSince']));
  if (categories.length === 0) return NONE;
  const above = await ancestorsOf(context, entities);
  const called = categoriesSaying(index.hierarchy, unsaid);
  const summing = await ancestorsOf(context, called);
  const tells = (id: string) => above.has(id) || called.has(id);
  const touched = categories.filter(
    ({ id, staleSince }) => staleSince !== null || tells(id) || summing.has(id),
  );
  const ids = new Set<string>(touched.map(({ id }) => id));
  const own = profiles.flatMap(({ id, owner }) => (ids.has(owner) ? [id as string] : []));
  const staleSince = clock();
  const rows = own.length === 0 ? [] : await store.get(scope, 'profile', own);
  const several = await withSeveralChildren(context, above);
  return {
    profiles: rows,
    elsewhere: rows.filter(({ owner, expiredAt }) => expiredAt === null && !tells(owner)),
    told: rows.flatMap(({ owner, summary }) =>
      several.has(owner) && summary.trim() !== '' ? [summary] : [],
    ),
    updates: touched.flatMap(({ id, staleSince: since }) =>
      since === null ? [{ kind: 'category' as const, id, set: { staleSince } }] : [],
    ),
  };
}

async function withSeveralChildren(
  { store, scope }: Pick<IngestContext, 'store' | 'scope'>,
  categories: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  if (categories.size === 0) return new Set();
  const edges = await collect(store.relationships(scope, 'CATEGORIZES', { from: [...categories] }));
  const groups = groupBy(edges, ({ from }) => from);
  return new Set([...groups].flatMap(([id, group]) => (group.length > 1 ? [id] : [])));
}

async function ancestorsOf(
  { store, scope }: Pick<IngestContext, 'store' | 'scope'>,
  entities: Iterable<string>,
): Promise<ReadonlySet<string>> {
  const above = new Set<string>();
  for (let nodes = [...new Set(entities)]; nodes.length > 0; ) {
    const edges = await collect(store.relationships(scope, 'CATEGORIZES', { to: nodes }));
    const next = new Set(edges.map(({ from }) => from));
    nodes = [...next].filter((id) => !above.has(id));
    for (const id of nodes) above.add(id);
  }
  return above;
}

/** Their profiles without a summary, unless a name, tag or alias says one of the names that go. */
export function withoutSummaries(
  { elsewhere }: Pick<CategoriesTouched, 'elsewhere'>,
  names: readonly string[],
  { newId, clock }: Pick<IngestContext, 'newId' | 'clock'>,
): Profile[] {
  const going = names.map(entityNameKey);
  const isFree = ({ name, tags, aliases }: Profile) => {
    const text = entityNameKey([name, ...tags, ...aliases].join(' \n'));
    return !going.some((each) => keySays(text, each));
  };
  return elsewhere.filter(isFree).map((profile) => {
    return { ...profile, id: newId() as ProfileId, summary: '', createdAt: clock() };
  });
}
