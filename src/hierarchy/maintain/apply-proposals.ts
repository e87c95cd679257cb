import type { ProposedCategory } from '../categorizer.ts';
import { categoryKey, categoryNames, isFirstPerson, SPEAKER } from '../category-name.ts';
import { MOST_CATEGORIES_OF_NODE } from '../defaults.ts';
import { isSpeaker } from './close-layer.ts';
import type { CategoryText, DraftCategory, HierarchyDraft } from './hierarchy-draft.ts';

const MOST_TAGS = 5;

export interface ApplyOptions {
  /** The proposals cover the whole layer: nodes that they do not name lose their categories. */
  readonly whole: boolean;
  /** Whether a node is newer than the proposals, which cannot name it: it keeps its categories. Default: none is. */
  readonly isNew?: (node: string) => boolean;
}

/**
 * Moves nodes into the categories proposed for them and out of their former ones. A category with an equal name
 * (`categoryKey`) is the same one and keeps its id. Ids that are not nodes of the layer below are ignored.
 */
export function applyProposals(
  draft: HierarchyDraft,
  layer: number,
  {
    categories,
    whole,
    isNew = () => false,
  }: ApplyOptions & { readonly categories: readonly ProposedCategory[] },
): void {
  const below = new Map(draft.nodes(layer - 1).map((node) => [node.id, node]));
  const book = new CategoriesByKey(draft, layer, whole);
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
    const isSpeakerNode = layer === 1 && isFirstPerson(node);
    if (isSpeakerNode) book.keyOf({ name: SPEAKER, tags: ['person'] });
    const keys = isSpeakerNode ? new Set([categoryKey(SPEAKER)]) : wanted.get(id);
    // A node alone in its category stays there unless a proposal names it.
    if (keys === undefined && (!whole || draft.isLoose(id) || isNew(id))) continue;
    moveNode(
      draft,
      id,
      new Set([...(keys ?? [])].map((key) => book.categoryOf(key, nodesOf.get(key) ?? new Set([id])).id)),
    );
  }
}

/**
 * Moves children of a category that is too large into the finer ones proposed for them; the others stay in it. A
 * finer category with too few children is not created.
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
  const book = new CategoriesByKey(draft, large.layer, false);
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

/** The category of a promoted node stays until the layer is closed: the new category may be dissolved. */
function moveNode(draft: HierarchyDraft, id: string, to: ReadonlySet<string>): void {
  for (const parent of draft.parentsOf(id))
    if (!to.has(parent.id) && !draft.isPromoted(parent)) draft.unlink(parent.id, id);
  for (const parent of to) draft.link(parent, id);
}

/** The categories of a layer by key; creates a category when its first node needs it. */
class CategoriesByKey {
  readonly #draft: HierarchyDraft;
  readonly #layer: number;
  readonly #renews: boolean;
  readonly #known = new Map<string, DraftCategory>();
  readonly #proposed = new Map<string, CategoryText>();

  /** @param renews Whether existing categories get the proposed tags and aliases. */
  constructor(draft: HierarchyDraft, layer: number, renews: boolean) {
    this.#renews = renews;
    this.#draft = draft;
    this.#layer = layer;
    // Among categories with the same key, groups come before promoted nodes, then the oldest.
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
