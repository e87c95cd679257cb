import type { CategoryId } from '../../model/ids.ts';
import type { ScopeIndex } from '../../search/scope-index.ts';
import type { LayerNode } from '../categorizer.ts';
import { categoryKey } from '../category-name.ts';

/** A category of a draft. */
export interface DraftCategory {
  readonly id: CategoryId;
  readonly layer: number;
  name: string;
  tags: readonly string[];
  aliases: readonly string[];
  readonly vector: Float32Array | null;
  /** Whether it is in the graph already. */
  readonly isKept: boolean;
  readonly children: Set<string>;
  /** Its children when its name was forgotten; they are no children of the draft. */
  readonly former: ReadonlySet<string>;
}

export interface CategoryText extends Pick<LayerNode, 'name' | 'tags'> {
  readonly aliases?: readonly string[] | undefined;
}

const NOTHING: ReadonlySet<string> = new Set();
/** Minimum share of a nameless category's former children for reusing it. */
const MINIMUM_SHARED = 0.5;

/**
 * A working copy of the hierarchy: categories by layer over live entities. Edges lead from a layer to the one below,
 * so that no cycle can arise. Deleted children are omitted.
 */
export class HierarchyDraft {
  /** Nodes of layer 0, oldest first. */
  readonly entities: ReadonlyMap<string, LayerNode>;
  readonly #newId: () => string;
  readonly #categories = new Map<string, DraftCategory>();
  readonly #layers: Set<string>[] = [];
  readonly #parents = new Map<string, Set<string>>();

  constructor(entities: ReadonlyMap<string, LayerNode>, newId: () => string) {
    this.entities = entities;
    this.#newId = newId;
  }

  static of({ hierarchy, entities }: ScopeIndex, newId: () => string): HierarchyDraft {
    const aged = entities
      .current()
      .map((profile) => ({ profile, age: entities.ids.ordinalOf(profile.owner)! }));
    aged.sort((a, b) => a.age - b.age);
    const nodes = aged.map(({ profile: { owner, id, name, tags } }): [string, LayerNode] => {
      // Lazy: copying all vectors would dominate the cost, and few are read.
      const vector = () => entities.nameVectors.get(entities.profiles.ids.ordinalOf(id)!);
      const node = {
        id: owner,
        name,
        tags,
        get vector() {
          return vector();
        },
      };
      return [owner, node];
    });
    const draft = new HierarchyDraft(new Map(nodes), newId);
    for (let layer = 1; layer <= hierarchy.depth; layer++)
      for (const id of hierarchy.layer(layer)) {
        const { name = '', tags = [], aliases = [] } = hierarchy.profileOf(id) ?? {};
        const ordinal = hierarchy.ordinalOf(id);
        const vector = ordinal === undefined ? null : hierarchy.nameVectors.get(ordinal);
        const children = hierarchy.childrenOf(id).filter((child) => draft.#isIn(layer - 1, child));
        const former = name === '' ? new Set<string>(children) : NOTHING;
        draft.#put({ id, layer, name, tags, aliases, vector, isKept: true, children: new Set(), former });
        if (name !== '') for (const child of children) draft.link(id, child);
      }
    return draft;
  }

  /** The highest layer that has a category. */
  get depth(): number {
    return this.#layers.findLastIndex((ids) => ids !== undefined && ids.size > 0) + 1 || 0;
  }

  category(id: string): DraftCategory | undefined {
    return this.#categories.get(id);
  }

  /** Categories of a layer from 1, oldest first. */
  categories(layer: number): DraftCategory[] {
    return [...(this.#layers[layer - 1] ?? [])].map((id) => this.#categories.get(id)!);
  }

  all(): DraftCategory[] {
    return [...this.#categories.values()];
  }

  /** Nodes of a layer from 0. */
  nodes(layer: number): LayerNode[] {
    return layer === 0 ? [...this.entities.values()] : this.categories(layer);
  }

  node(id: string): LayerNode | undefined {
    return this.entities.get(id) ?? this.#categories.get(id);
  }

  parentsOf(id: string): DraftCategory[] {
    return [...(this.#parents.get(id) ?? [])].map((parent) => this.#categories.get(parent)!);
  }

  hasParent(id: string): boolean {
    return this.#parents.has(id);
  }

  /** Whether the category just holds one node that could not be grouped. */
  isPromoted({ children, name }: DraftCategory): boolean {
    const [only] = children;
    return children.size === 1 && categoryKey(this.node(only!)!.name) === categoryKey(name);
  }

  /** Whether the node's only category holds it alone. */
  isLoose(node: string): boolean {
    const [parent, ...others] = this.parentsOf(node);
    return parent !== undefined && others.length === 0 && this.isPromoted(parent);
  }

  /** Returns a category for the nodes: reuses the nameless one that held most of them, else creates one. */
  create(
    layer: number,
    { name, tags, aliases = [] }: CategoryText,
    nodes: ReadonlySet<string>,
  ): DraftCategory {
    const nameless = this.categories(layer).find(
      (each) => each.name === '' && share(each.former, nodes) >= MINIMUM_SHARED,
    );
    if (nameless !== undefined) return Object.assign(nameless, { name, tags, aliases });
    const id = this.#newId() as CategoryId;
    const rest = { vector: null, isKept: false, children: new Set<string>(), former: NOTHING };
    return this.#put({ id, layer, name, tags, aliases, ...rest });
  }

  link(parent: string, child: string): void {
    this.#categories.get(parent)!.children.add(child);
    this.#parents.set(child, (this.#parents.get(child) ?? new Set()).add(parent));
  }

  unlink(parent: string, child: string): void {
    this.#categories.get(parent)?.children.delete(child);
    const parents = this.#parents.get(child);
    parents?.delete(parent);
    if (parents?.size === 0) this.#parents.delete(child);
  }

  remove(id: string): void {
    const category = this.#categories.get(id);
    if (category === undefined) return;
    for (const child of [...category.children]) this.unlink(id, child);
    for (const parent of this.parentsOf(id)) this.unlink(parent.id, id);
    this.#layers[category.layer - 1]!.delete(id);
    this.#categories.delete(id);
  }

  /** Removes a layer and all above it. */
  removeFrom(layer: number): void {
    for (let each = this.depth; each >= layer; each--)
      for (const { id } of this.categories(each)) this.remove(id);
  }

  #put(category: DraftCategory): DraftCategory {
    this.#categories.set(category.id, category);
    for (let below = this.#layers.length; below < category.layer; below++) this.#layers.push(new Set());
    this.#layers[category.layer - 1]!.add(category.id);
    return category;
  }

  #isIn(layer: number, id: string): boolean {
    return layer === 0 ? this.entities.has(id) : this.#categories.get(id)?.layer === layer;
  }
}

function share(former: ReadonlySet<string>, nodes: ReadonlySet<string>): number {
  let common = 0;
  for (const id of former) if (nodes.has(id)) common++;
  return former.size === 0 ? 0 : common / former.size;
}

/**
 * The nodes below a layer in the order of their age, which does not change: new nodes come last. So two ids stand for
 * all nodes between them.
 */
export class LayerNodes {
  readonly all: readonly LayerNode[];
  readonly #positions: ReadonlyMap<string, number>;

  private constructor(nodes: readonly LayerNode[]) {
    this.all = nodes;
    this.#positions = new Map(nodes.map(({ id }, position) => [id, position]));
  }

  static below(draft: HierarchyDraft, layer: number): LayerNodes {
    return new LayerNodes(draft.nodes(layer - 1));
  }

  get last(): string | null {
    return this.all.at(-1)?.id ?? null;
  }

  /** Null, as the place before the first node, is always there. */
  has(id: string | null): boolean {
    return id === null || this.#positions.has(id);
  }

  /** The nodes after one up to another. Null is the place before the first node. */
  between(after: string | null, until: string | null): readonly LayerNode[] {
    return this.all.slice(this.#position(after) + 1, this.#position(until) + 1);
  }

  /** Whether a node is newer than another; null is the place before the first node. */
  isAfter(id: string, other: string | null): boolean {
    return this.#position(id) > this.#position(other);
  }

  #position(id: string | null): number {
    return id === null ? -1 : (this.#positions.get(id) ?? -1);
  }
}
