import type { HierarchyIndex } from '../../search/hierarchy-index.ts';
import { entityNameKey, keySays } from '../../util/tidy.ts';

type Categories = Pick<HierarchyIndex, 'all' | 'profileOf'>;

/** Categories whose name, a tag or an alias says one of the names. */
export function categoriesSaying(categories: Categories, names: readonly string[]): ReadonlySet<string> {
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
