import type { HierarchyView, ViewNode } from '../../hierarchy/traverse/hierarchy-view.ts';
import { analyze } from '../../search/analyzer.ts';
import type { HierarchyIndex } from '../../search/hierarchy-index.ts';

export interface AskedKind {
  /** Index terms; the last one is the head. */
  readonly terms: readonly string[];
  /** Of the words; null where the question asks for no kind. */
  readonly vector: Float32Array | null;
}

/** The name's head is the asked one. */
const HEAD = 1;
const TAG = 0.6;
const PART = 0.5;
/** Cosines of a kind's words with a category's name from here on say that they mean the same, or nearly so. */
const LEAST_COSINE = 0.4;
/** What nearness of meaning alone can come to. */
const NEAR = 0.8;
/** Kept with each layer, up or down. */
const PER_LAYER = 0.9;

/**
 * How much categories are of the kind that a question asks for ("Cities", for "which cities"): by the head of their
 * names, their tags, or the vectors of names. From 0 to 1, also for what lies above and below such a category.
 */
export class KindScores {
  readonly #own = new Map<string, number>();
  readonly #below = new Map<string, number>();
  readonly #above = new Map<string, number>();

  constructor(hierarchy: HierarchyIndex, view: HierarchyView, asked: AskedKind) {
    if (asked.terms.length === 0) return;
    const near = nearness(hierarchy, asked.vector);
    for (const node of view.categories) {
      const own = Math.max(byWords(node, asked.terms), near[node.document] ?? 0);
      const children = node.children.map((child) => this.#most(child));
      this.#own.set(node.id, own);
      this.#below.set(node.id, PER_LAYER * children.reduce((most, score) => Math.max(most, score), 0));
    }
    for (const { id, children } of view.categories.toReversed()) {
      const handed = Math.max(this.own(id), PER_LAYER * this.above(id));
      if (handed > 0)
        for (const child of children) this.#above.set(child, Math.max(this.above(child), handed));
    }
  }

  /** Of the category itself. */
  own(id: string): number {
    return this.#own.get(id) ?? 0;
  }

  /** Of the categories below it. */
  below(id: string): number {
    return this.#below.get(id) ?? 0;
  }

  /** Of the categories that a category or an entity is in. */
  above(id: string): number {
    return this.#above.get(id) ?? 0;
  }

  #most(id: string): number {
    return Math.max(this.own(id), this.below(id));
  }
}

function byWords({ name, aliases, tags }: ViewNode, terms: readonly string[]): number {
  const head = terms.at(-1)!;
  if ([name, ...aliases].some((each) => headOf(each) === head)) return HEAD;
  if (tags.some((tag) => headOf(tag) === head)) return TAG;
  const inName = analyze(name);
  return terms.some((term) => inName.includes(term)) ? PART : 0;
}

/** "city" of "Cities of Norway" and of "Big cities". */
function headOf(name: string): string | undefined {
  return analyze(name.split(/\s(?:of|in|for|with|from|by)\s/)[0]!).at(-1);
}

function nearness(hierarchy: HierarchyIndex, vector: Float32Array | null): Float32Array {
  const { documents, nameVectors } = hierarchy;
  const scores = new Float32Array(Math.max(documents.length, nameVectors.ordinals));
  if (vector === null) return scores;
  nameVectors.score(vector, scores);
  return scores.map((cosine) => (cosine < LEAST_COSINE ? 0 : NEAR * Math.min(1, cosine)));
}
