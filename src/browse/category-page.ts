import { InvalidInputError } from '../errors/index.ts';
import { entitiesBelow } from '../hierarchy/traverse/hierarchy-view.ts';
import type { IndexedScope } from '../ingest/ingest-context.ts';
import type { CategoryId, EntityId, Milliseconds } from '../model/ids.ts';
import type { ScopeIndex } from '../search/scope-index.ts';
import { Breather, gradually } from '../util/breathe.ts';
import { type CategoryStep, membersOf, pathsUp } from './shown-categories.ts';

/** A member of a category, or a node beside it. */
export interface CategoryMember {
  readonly id: CategoryId | EntityId;
  readonly name: string;
  /** 0 for an entity. */
  readonly layer: number;
  readonly tags: readonly string[];
  /** Number of entities below a category, or of live facts about an entity. */
  readonly size: number;
}

/** What the page of a category shows besides its facts. */
export interface CategoryPage {
  readonly id: CategoryId;
  readonly name: string;
  readonly aliases: readonly string[];
  readonly summary: string;
  readonly tags: readonly string[];
  readonly layer: number;
  readonly createdAt: Milliseconds;
  /** Since when its summary no longer describes all that is below; null while it does. */
  readonly staleSince: Milliseconds | null;
  /** For each category that holds it: the way from there to the top. */
  readonly paths: readonly (readonly CategoryStep[])[];
  /** Categories before entities, the largest first. */
  readonly children: readonly CategoryMember[];
  /** Number of members beyond `limit`. */
  readonly more: number;
  /** Number of entities below it, in all layers. */
  readonly entities: number;
}

/** Which category, by id, and how many of its members: from 1 to 500, 60 by default. */
export interface CategoryPageRequest {
  readonly category: string;
  readonly limit?: number | undefined;
}

const DEFAULT_LIMIT = 60;

/**
 * The page of a category. Reads the index, and one row.
 *
 * @throws InvalidInputError if the scope has no such category.
 */
export async function categoryPage(
  { index, store, scope }: IndexedScope,
  { category: id, limit = DEFAULT_LIMIT }: CategoryPageRequest,
): Promise<CategoryPage> {
  const category = index.hierarchy.category(id);
  const profile = index.hierarchy.profileOf(id);
  if (category === undefined || profile === undefined)
    throw new InvalidInputError(
      'No category of this scope has that id: the categories may have been rebuilt',
    );
  const [written] = await store.get(scope, 'profile', [profile.id]);
  const facts = await gradually(index.factCounts(), new Breather());
  const members = membersOf(index, id)
    .map((member) => memberOf(index, member, facts))
    .sort(byRank);
  return {
    id: category.id,
    name: profile.name,
    aliases: profile.aliases,
    tags: profile.tags,
    layer: category.layer,
    summary: written?.summary ?? '',
    createdAt: category.createdAt,
    staleSince: category.staleSince,
    paths: pathsUp(index, id),
    children: members.slice(0, limit),
    more: Math.max(0, members.length - limit),
    entities: entitiesBelow(id, index.hierarchy).length,
  };
}

function byRank(a: CategoryMember, b: CategoryMember): number {
  return (
    Number(b.layer > 0) - Number(a.layer > 0) ||
    b.size - a.size ||
    (a.name < b.name ? -1 : a.name > b.name ? 1 : a.id < b.id ? -1 : 1)
  );
}

function memberOf(index: ScopeIndex, id: string, facts: Uint32Array): CategoryMember {
  const { hierarchy } = index;
  const { name, tags } = index.profileOf(id)!;
  const layer = hierarchy.category(id)?.layer ?? 0;
  const size =
    layer === 0 ? (facts[index.entities.ids.ordinalOf(id) ?? -1] ?? 0) : entitiesBelow(id, hierarchy).length;
  return { id: id as CategoryId | EntityId, name, layer, tags, size };
}
