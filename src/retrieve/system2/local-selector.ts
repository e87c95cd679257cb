import { CancelledError } from '../../errors/index.ts';
import type {
  OfferedNode,
  Pick,
  Selection,
  Selector,
  SelectRequest,
} from '../../hierarchy/traverse/selector.ts';
import { NO_MODEL_USAGE } from '../../inference/language-model/tokens/usage-meter.ts';
import type { ModelCallOptions } from '../../inference/language-model.ts';
import type { NodeScores } from './node-scores.ts';
import { LOCAL_SELECTOR, type LocalSelectorOptions } from './settings.ts';

/** Nothing speaks for a node with less. */
const LEAST_SCORE = 0.05;
/** A category is taken whole when it is the kind that is asked for. */
const WHOLE = 0.95;
/** Of a pick's score, for what is right below it: "Animals" may be all that a question for pets has in common with them. */
const HANDED = 0.2;

/** Picks by scores of words and vectors: no model, no waiting. Made for one question over one hierarchy. */
export class LocalSelector implements Selector {
  readonly name = 'local';
  readonly #scores: NodeScores;
  readonly #enumerates: boolean;
  readonly #options: LocalSelectorOptions;
  /** What nodes have of the categories above them that were picked. */
  readonly #handed = new Map<string, number>();

  constructor(scores: NodeScores, enumerates: boolean, options: LocalSelectorOptions = LOCAL_SELECTOR) {
    this.#scores = scores;
    this.#enumerates = enumerates;
    this.#options = options;
  }

  async select({ nodes }: SelectRequest, { signal }: ModelCallOptions = {}): Promise<Selection> {
    if (signal?.aborted) throw new CancelledError('memory is as it was', signal.reason);
    const all = nodes.flatMap((node) => [node, ...(node.children ?? [])]);
    const picks = [
      ...this.#best(
        all.filter(({ layer }) => layer > 0),
        this.#options.categories,
      ),
      ...this.#best(
        all.filter(({ layer }) => layer === 0),
        this.#options.entities,
      ),
    ];
    for (const { id, score } of picks)
      for (const child of this.#scores.childrenOf(id))
        this.#handed.set(child, Math.max(this.#handed.get(child) ?? LEAST_SCORE, HANDED * score));
    return { picks: picks.sort((a, b) => b.score - a.score), notes: [], usage: NO_MODEL_USAGE };
  }

  /** From 0 to 1. */
  score({ id, layer }: { readonly id: string; readonly layer: number }): number {
    const { own, kind, above, below, kindBelow } = this.#scores.of(id);
    const handed = this.#handed.get(id) ?? 0;
    if (layer === 0) return Math.max(handed, 0.6 * own + 0.4 * Math.max(kind, above));
    return Math.max(handed, kind, kindBelow, 0.8 * above, 0.5 * own + 0.5 * below);
  }

  #best(nodes: readonly OfferedNode[], most: number): Pick[] {
    const scored = nodes
      .map((node) => ({ id: node.id, all: this.#isWhole(node), score: this.score(node) }))
      .sort((a, b) => b.score - a.score);
    const share = this.#enumerates ? this.#options.leastOfAll : this.#options.least;
    const least = Math.max(LEAST_SCORE, share * (scored[0]?.score ?? 0));
    return scored.slice(0, most).filter(({ score }) => score >= least);
  }

  #isWhole({ id, layer }: OfferedNode): boolean {
    return layer > 0 && this.#enumerates && this.#scores.of(id).kind >= WHOLE;
  }
}
