import type { LayerNode } from '../categorizer.ts';
import type { HierarchyDraft } from './hierarchy-draft.ts';

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
