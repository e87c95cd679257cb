import { roughTokens } from '../../inference/language-model/tokens/count-tokens.ts';
import type { LayerNode } from '../categorizer.ts';

export interface BatchLimits {
  readonly nodes: number;
  /** Of the lines that show them, roughly. */
  readonly tokens: number;
}

export interface Batch {
  readonly nodes: readonly LayerNode[];
  /** How often what it was part of was parted already. */
  readonly halvings: number;
}

/** Its number, brackets and the end of the line. */
const TOKENS_PER_LINE = 4;
/** Of a name or of all tags, as prompts clip them, more or less. */
const LONGEST_SHOWN = 100;

/** The nodes that a model is still to be asked about, in parts of a bounded size. */
export class BatchQueue {
  readonly #limits: BatchLimits;
  readonly #batches: Batch[];
  readonly #askedAgain = new Set<string>();
  #again: LayerNode[] = [];

  constructor(nodes: readonly LayerNode[], limits: BatchLimits) {
    this.#limits = limits;
    this.#batches = evenBatches(nodes, limits).map((batch) => ({ nodes: batch, halvings: 0 }));
  }

  /** Undefined when nothing is left to ask. */
  next(): Batch | undefined {
    const again = this.#again;
    const [following] = this.#batches;
    const joined = [...again, ...(following?.nodes ?? [])];
    if (following !== undefined && !fits(joined, this.#limits) && again.length > 0) {
      this.#again = [];
      return { nodes: again, halvings: 0 };
    }
    this.#again = [];
    this.#batches.shift();
    return joined.length === 0 ? undefined : { nodes: joined, halvings: following?.halvings ?? 0 };
  }

  /** Nodes that a reply left out go into the next batch, once. Returns how many had their second chance already. */
  askAgain(nodes: readonly LayerNode[]): number {
    const first = nodes.filter(({ id }) => !this.#askedAgain.has(id));
    for (const { id } of first) this.#askedAgain.add(id);
    this.#again.push(...first);
    return nodes.length - first.length;
  }

  /** Asks about two halves next. @returns whether there was something to part, and it was not parted too often. */
  halve(nodes: readonly LayerNode[], halvings: number, most: number): boolean {
    if (nodes.length < 2 || halvings >= most) return false;
    const middle = Math.ceil(nodes.length / 2);
    const halves = [nodes.slice(0, middle), nodes.slice(middle)];
    this.#batches.unshift(...halves.map((half) => ({ nodes: half, halvings: halvings + 1 })));
    return true;
  }
}

function fits(nodes: readonly LayerNode[], limits: BatchLimits): boolean {
  return nodes.length <= limits.nodes && tokensOf(nodes) <= limits.tokens;
}

/** Batches of about the same size, since few nodes show a model too few kin. A node too long by itself goes alone. */
function evenBatches(nodes: readonly LayerNode[], { nodes: most, tokens: mostTokens }: BatchLimits) {
  const parts = Math.max(Math.ceil(nodes.length / most), Math.ceil(tokensOf(nodes) / mostTokens));
  const even = { nodes: Math.ceil(nodes.length / Math.max(1, parts)), tokens: mostTokens };
  const batches: LayerNode[][] = [];
  for (const node of nodes) {
    const last = batches.at(-1);
    if (last === undefined || !fits([...last, node], even)) batches.push([node]);
    else last.push(node);
  }
  return batches;
}

function tokensOf(nodes: readonly LayerNode[]): number {
  return nodes.reduce(
    (sum, { name, tags }) => sum + TOKENS_PER_LINE + shown(name) + shown(tags.join(', ')),
    0,
  );
}

function shown(text: string): number {
  return roughTokens(text.slice(0, LONGEST_SHOWN));
}
