import { categoryKey } from '../../hierarchy/category-name.ts';
import type { HierarchyIndex } from '../../search/hierarchy-index.ts';
import type { ScopeIndex } from '../../search/scope-index.ts';

/** A node of the hierarchy as one browses it. */
export interface ShownNode {
  readonly id: string;
  /** 0 for an entity. */
  readonly layer: number;
  readonly name: string;
  /** Other names that it goes by. */
  readonly aliases: readonly string[];
  readonly tags: readonly string[];
  /** What is right below it, each once, in no order; none for an entity. */
  readonly children: readonly ShownNode[];
  /** Numbers of the entities below it, each once; of an entity its own. */
  readonly below: readonly number[];
}

const NONE: readonly never[] = [];

/**
 * The hierarchy of now as one browses it, whatever state a run left it in: every entity is in it, in a category or at
 * the top. A category without a name is shown as its children are, one that stands for the only node below it (of its
 * name) as that node, one with nothing below it not at all. A child counts only where it lies in a lower layer than its
 * parent, so that no data can make a cycle.
 */
export class ShownHierarchy {
  /** Nodes that are below no other: categories of any layer, and entities. In no order. */
  readonly top: readonly ShownNode[];
  readonly #nodes = new Map<string, ShownNode>();
  /** By each category: what is shown of it. */
  readonly #shown = new Map<string, readonly ShownNode[]>();
  readonly #parents = new Map<string, ShownNode[]>();
  /** By each entity's number: the last category that was found above it. */
  readonly #metBy: Int32Array;

  constructor({ entities, hierarchy }: Pick<ScopeIndex, 'entities' | 'hierarchy'>) {
    const current = entities.current();
    this.#metBy = new Int32Array(current.length);
    for (const [number, { owner: id, name, aliases, tags }] of current.entries())
      this.#nodes.set(id, { id, layer: 0, name, aliases, tags, children: NONE, below: [number] });
    const layerOf = (id: string) => hierarchy.category(id)!.layer;
    // Children before their parents.
    for (const id of [...hierarchy.all()].sort((a, b) => layerOf(a) - layerOf(b)))
      this.#shown.set(id, this.#show(id, hierarchy));
    this.top = [...this.#nodes.values()].filter(({ id }) => !this.#parents.has(id));
  }

  /** Every node that is shown: entities, then categories with their children before them. */
  nodes(): Iterable<ShownNode> {
    return this.#nodes.values();
  }

  /** What is shown of a category or an entity: itself, others in its place, or nothing. Undefined where the id is none. */
  shownOf(id: string): readonly ShownNode[] | undefined {
    const shown = this.#shown.get(id);
    if (shown !== undefined) return shown;
    const entity = this.#nodes.get(id);
    return entity && [entity];
  }

  /** Categories in which a node is shown. */
  parentsOf(id: string): readonly ShownNode[] {
    return this.#parents.get(id) ?? NONE;
  }

  #show(id: string, hierarchy: HierarchyIndex): readonly ShownNode[] {
    const { layer } = hierarchy.category(id)!;
    const isLower = (child: string) => (hierarchy.category(child)?.layer ?? 0) < layer;
    const lower = hierarchy.childrenOf(id).filter(isLower);
    const children = [...new Set(lower.flatMap((child) => this.shownOf(child) ?? NONE))];
    const { name = '', aliases = NONE, tags = NONE } = hierarchy.profileOf(id) ?? {};
    if (name.trim() === '' || children.length === 0 || isPromotionOf(name, children)) return children;
    const node = { id, layer, name, aliases, tags, children, below: this.#below(children) };
    this.#nodes.set(id, node);
    for (const child of children) {
      const parents = this.#parents.get(child.id);
      if (parents === undefined) this.#parents.set(child.id, [node]);
      else parents.push(node);
    }
    return [node];
  }

  #below(children: readonly ShownNode[]): readonly number[] {
    const round = this.#nodes.size;
    const below: number[] = [];
    for (const child of children)
      for (const entity of child.below) {
        if (this.#metBy[entity] === round) continue;
        this.#metBy[entity] = round;
        below.push(entity);
      }
    return below;
  }
}

function isPromotionOf(name: string, [only, second]: readonly ShownNode[]): boolean {
  if (only === undefined || second !== undefined) return false;
  return only.name === name || categoryKey(only.name) === categoryKey(name);
}
