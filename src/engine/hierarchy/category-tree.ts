import { z } from 'zod';
import { InvalidInputError } from '../../errors/index.ts';
import { categoryKey } from '../../hierarchy/category-name.ts';
import type { CategoryId, EntityId } from '../../model/ids.ts';
import type { ScopeIndex } from '../../search/scope-index.ts';
import { describeIssues } from '../../util/describe-issues.ts';

/** A node of the category hierarchy and what is below it, as one browses it. */
export interface CategoryTree {
  readonly id: CategoryId | EntityId;
  readonly name: string;
  /** 0 for an entity. */
  readonly layer: number;
  readonly tags: readonly string[];
  /** Entities below it, each counted once; 0 for an entity. */
  readonly entities: number;
  /** Other categories that it belongs to. */
  readonly alsoIn: readonly string[];
  readonly children: readonly CategoryTree[];
  /** Children that are left out of `children`. */
  readonly more: number;
}

/**
 * Which part of the hierarchy `ScopeHierarchy.tree` lists. A large one is best browsed level by level: `depth: 1`,
 * then `of` one of its names.
 */
export interface TreeOptions {
  /** A category by id or name: what is below it. Default: the top layer. */
  readonly of?: string;
  /** Levels below the first, from 0. Default: all. */
  readonly depth?: number;
  /** Children that are listed of each node, the largest first. Default: all. */
  readonly limit?: number;
}

const optionsSchema = z.strictObject({
  of: z.string().min(1).optional(),
  depth: z.number().int().min(0).optional(),
  limit: z.number().int().min(1).optional(),
});

/**
 * The hierarchy from the top, or from one category. A category that stands for the one node below it is not shown. A node
 * with several categories comes up under each of them.
 *
 * @throws InvalidInputError when there is no such category, and for options that are none.
 */
export function categoryTree(index: ScopeIndex, options: TreeOptions = {}): CategoryTree[] {
  const parsed = optionsSchema.safeParse(options);
  if (!parsed.success)
    throw new InvalidInputError(`What to show of the tree is not valid: ${describeIssues(parsed.error)}`);
  const { of, depth = 100, limit } = parsed.data;
  const browser = new Browser(index, limit ?? Number.POSITIVE_INFINITY);
  const roots = of === undefined ? index.hierarchy.layer(index.hierarchy.depth) : [categoryNamed(index, of)];
  return browser.list(roots, { depth, under: null });
}

function categoryNamed({ hierarchy }: ScopeIndex, of: string): CategoryId {
  if (hierarchy.has(of)) return of as CategoryId;
  const key = categoryKey(of);
  const found = [...hierarchy.all()].filter((id) => categoryKey(hierarchy.profileOf(id)?.name ?? '') === key);
  // Of a category and those that stand for it in higher layers the one with most below it.
  const [best] = found.sort((a, b) => hierarchy.childCount(b) - hierarchy.childCount(a));
  if (best === undefined) throw new InvalidInputError(noCategory(of, hierarchy));
  return best;
}

const MOST_NEAR = 5;

/** With names that have the asked one in them, or a word of it. */
function noCategory(of: string, hierarchy: ScopeIndex['hierarchy']): string {
  const words = categoryKey(of).split(' ');
  const names = [...hierarchy.all()].flatMap((id) => hierarchy.profileOf(id)?.name ?? []);
  const near = new Set(names.filter((name) => words.some((word) => categoryKey(name).includes(word))));
  const hint = near.size === 0 ? '' : `; there is ${[...near].slice(0, MOST_NEAR).join(', ')}`;
  return `There is no category ${JSON.stringify(of)}${hint}`;
}

class Browser {
  readonly #index: ScopeIndex;
  readonly #limit: number;
  readonly #below = new Map<string, ReadonlySet<string>>();

  constructor(index: ScopeIndex, limit: number) {
    this.#index = index;
    this.#limit = limit;
  }

  list(ids: readonly string[], { depth, under }: { depth: number; under: string | null }): CategoryTree[] {
    const shown = new Set(ids.map((id) => this.#standsFor(id)));
    const nodes = [...shown].map((id) => this.#node(id, { depth, under }));
    return nodes.sort((a, b) => b.entities - a.entities || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  }

  #node(id: string, { depth, under }: { depth: number; under: string | null }): CategoryTree {
    const { hierarchy, entities } = this.#index;
    const profile = hierarchy.profileOf(id) ?? entities.profileOf(id);
    const all = depth > 0 ? this.list(hierarchy.childrenOf(id), { depth: depth - 1, under: id }) : [];
    const children = all.slice(0, this.#limit);
    return {
      id: id as CategoryId | EntityId,
      name: profile?.name ?? '…',
      layer: hierarchy.category(id)?.layer ?? 0,
      tags: profile?.tags ?? [],
      entities: hierarchy.has(id) ? this.#entitiesBelow(id).size : 0,
      alsoIn: this.#others(id, under),
      children,
      more: hierarchy.childCount(id) - children.length,
    };
  }

  /** The node below a chain of categories with one child each. */
  #standsFor(id: string): string {
    const { hierarchy } = this.#index;
    let node = id;
    for (let [only, ...more] = hierarchy.childrenOf(node); only !== undefined && more.length === 0; ) {
      if (only === node || !this.#isPromotionOf(node, only)) break;
      node = only;
      [only, ...more] = hierarchy.childrenOf(node);
    }
    return node;
  }

  #isPromotionOf(category: string, child: string): boolean {
    const { hierarchy, entities } = this.#index;
    const nameOf = (id: string) => (hierarchy.profileOf(id) ?? entities.profileOf(id))?.name ?? '';
    return categoryKey(nameOf(category)) === categoryKey(nameOf(child));
  }

  #others(id: string, under: string | null): string[] {
    const { hierarchy } = this.#index;
    return hierarchy
      .parentsOf(id)
      .filter((parent) => parent !== under && hierarchy.childCount(parent) > 1)
      .flatMap((parent) => hierarchy.profileOf(parent)?.name ?? []);
  }

  #entitiesBelow(id: string): ReadonlySet<string> {
    const known = this.#below.get(id);
    if (known !== undefined) return known;
    const { hierarchy } = this.#index;
    const below = new Set<string>();
    // Before its children, so that damaged data cannot lead round in a circle.
    this.#below.set(id, below);
    for (const child of hierarchy.childrenOf(id))
      if (!hierarchy.has(child)) below.add(child);
      else for (const each of this.#entitiesBelow(child)) below.add(each);
    return below;
  }
}
