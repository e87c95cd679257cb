import type { ProposedCategory } from '../categorizer.ts';
import { categoryKey, categoryNames, isFirstPerson, SPEAKER } from '../category-name.ts';
import { isSpeaker } from './close-layer.ts';
import type { CategoryText, DraftCategory, HierarchyDraft } from './hierarchy-draft.ts';

/** One node has so many facets at most; a reply that puts everything everywhere says nothing. */
export const MOST_CATEGORIES_OF_NODE = 6;
const MOST_TAGS = 5;

export interface ApplyOptions {
  /** The proposals speak for the whole layer: nodes that they do not name have no category any more. */
  readonly whole: boolean;
}

/**
 * Gives nodes the categories that were proposed for them, and takes away those that they had. A category of an equal
 * name (`categoryKey`) is the same one and keeps its id. Ids that are not nodes of the layer below are passed over.
 */
export function applyProposals(
  draft: HierarchyDraft,
  layer: number,
  { categories, whole }: ApplyOptions & { readonly categories: readonly ProposedCategory[] },
): void {
  const below = new Map(draft.nodes(layer - 1).map((node) => [node.id, node]));
  const book = new CategoryBook(draft, layer, whole);
  const wanted = new Map<string, Set<string>>();
  for (const { name, tags, aliases, nodes } of categories)
    for (const each of categoryNames(name)) {
      for (const id of nodes) {
        const node = below.get(id);
        if (node === undefined || isSpeakerName(each, layer) || (layer === 1 && isFirstPerson(node)))
          continue;
        const chosen = wanted.get(id) ?? new Set();
        if (chosen.size < MOST_CATEGORIES_OF_NODE)
          wanted.set(id, chosen.add(book.keyOf({ name: each, tags, aliases })));
      }
    }
  const nodesOf = new Map<string, Set<string>>();
  for (const [id, keys] of wanted)
    for (const key of keys) nodesOf.set(key, (nodesOf.get(key) ?? new Set()).add(id));
  for (const node of below.values()) {
    const { id } = node;
    const speaks = layer === 1 && isFirstPerson(node);
    if (speaks) book.keyOf({ name: SPEAKER, tags: ['person'] });
    const keys = speaks ? new Set([categoryKey(SPEAKER)]) : wanted.get(id);
    // What stands alone goes on to, unless something was proposed for it.
    if (keys === undefined && (!whole || draft.isLoose(id))) continue;
    moveNode(
      draft,
      id,
      new Set([...(keys ?? [])].map((key) => book.categoryOf(key, nodesOf.get(key) ?? new Set([id])).id)),
    );
  }
}

/**
 * Gives children of a category that is too large the finer ones that were proposed for them; the rest stay in it. A
 * finer one that would have too few children is not made.
 */
export function applySplit(
  draft: HierarchyDraft,
  id: string,
  {
    categories,
    minimumChildren,
  }: { readonly categories: readonly ProposedCategory[]; readonly minimumChildren: number },
): void {
  const large = draft.category(id);
  if (large === undefined) return;
  const book = new CategoryBook(draft, large.layer, false);
  const before = new Set(large.children);
  for (const { name, tags, aliases, nodes } of categories) {
    const children = new Set(nodes.filter((node) => before.has(node)));
    if (children.size < minimumChildren || children.size === before.size) continue;
    for (const each of categoryNames(name)) {
      if (categoryKey(each) === categoryKey(large.name) || isSpeakerName(each, large.layer)) continue;
      const finer = book.categoryOf(book.keyOf({ name: each, tags, aliases }), children);
      for (const child of children) {
        draft.link(finer.id, child);
        draft.unlink(id, child);
      }
    }
  }
}

function isSpeakerName(name: string, layer: number): boolean {
  return layer === 1 && categoryKey(name) === categoryKey(SPEAKER);
}

/** What stands for the node alone stays until the layer is closed: its new category may come to nothing. */
function moveNode(draft: HierarchyDraft, id: string, to: ReadonlySet<string>): void {
  for (const parent of draft.parentsOf(id))
    if (!to.has(parent.id) && !draft.isPromoted(parent)) draft.unlink(parent.id, id);
  for (const parent of to) draft.link(parent, id);
}

/** The categories of a layer by key, made when a node first needs one. */
class CategoryBook {
  readonly #draft: HierarchyDraft;
  readonly #layer: number;
  readonly #renews: boolean;
  readonly #known = new Map<string, DraftCategory>();
  readonly #proposed = new Map<string, CategoryText>();

  /** @param renews Whether categories that are there get the tags and aliases that were proposed for them. */
  constructor(draft: HierarchyDraft, layer: number, renews: boolean) {
    this.#renews = renews;
    this.#draft = draft;
    this.#layer = layer;
    // Of several that stand for nodes of one name a group comes first, then the oldest.
    const named = draft
      .categories(layer)
      .filter((each) => each.name !== '' && (!isSpeakerName(each.name, layer) || isSpeaker(draft, each)))
      .toReversed();
    for (const category of named)
      if (draft.isPromoted(category)) this.#known.set(categoryKey(category.name), category);
    for (const category of named)
      if (!draft.isPromoted(category)) this.#known.set(categoryKey(category.name), category);
  }

  keyOf({ name, tags, aliases = [] }: CategoryText): string {
    const key = categoryKey(name);
    if (!this.#proposed.has(key))
      this.#proposed.set(key, {
        name,
        tags: tags.slice(0, MOST_TAGS),
        aliases: aliases.slice(0, MOST_TAGS),
      });
    return key;
  }

  categoryOf(key: string, nodes: ReadonlySet<string>): DraftCategory {
    const { name, tags, aliases = [] } = this.#proposed.get(key)!;
    const known = this.#known.get(key) ?? this.#draft.create(this.#layer, { name, tags, aliases }, nodes);
    if (this.#renews && !this.#draft.isPromoted(known)) Object.assign(known, { tags, aliases });
    this.#known.set(key, known);
    return known;
  }
}
