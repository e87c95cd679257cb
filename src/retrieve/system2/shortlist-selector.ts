import type { OfferedNode, Selection, Selector, SelectRequest } from '../../hierarchy/traverse/selector.ts';
import type { ModelCallOptions } from '../../inference/language-model.ts';

export interface ShortlistOptions {
  /** Nodes of one list that are passed on; of a longer list those with the highest scores, in the list's order. */
  readonly most: number;
  readonly score: (node: OfferedNode) => number;
}

/** Bounds what a selector that costs something is asked: thousands of entities of one category are not all shown. */
export class ShortlistSelector implements Selector {
  readonly name: string;
  readonly #selector: Selector;
  readonly #options: ShortlistOptions;

  constructor(selector: Selector, options: ShortlistOptions) {
    this.name = selector.name;
    this.#selector = selector;
    this.#options = options;
  }

  async select(request: SelectRequest, calls?: ModelCallOptions): Promise<Selection> {
    const { most, score } = this.#options;
    const { nodes } = request;
    if (nodes.length <= most) return this.#selector.select(request, calls);
    const best = nodes
      .map((node, place) => ({ node, place, score: score(node) }))
      .sort((a, b) => b.score - a.score || a.place - b.place)
      .slice(0, most)
      .sort((a, b) => a.place - b.place);
    const selection = await this.#selector.select({ ...request, nodes: best.map(({ node }) => node) }, calls);
    const note = `${nodes.length - most} that words and vectors speak least for were not shown`;
    return { ...selection, notes: [note, ...selection.notes] };
  }
}
