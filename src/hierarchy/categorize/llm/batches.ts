import { roughTokens } from '../../../inference/language-model/tokens/count-tokens.ts';
import { analyze } from '../../../search/analyzer.ts';
import { Breather } from '../../../util/breathe.ts';
import { inBatches } from '../../../util/collections.ts';
import { dotProduct } from '../../../util/dot-product.ts';
import type { KnownCategory, LayerNode } from '../../categorizer.ts';

type Comparable = Pick<LayerNode, 'name' | 'tags' | 'vector'>;

/** Weight of the share of words two names have in common; the weight of the cosine is 1. */
const WORDS_WEIGHT = 0.5;

/** Similarity of two nodes by name vector and words, from 0 to 1.5. Analyzes the words of each node once. */
export class Likeness {
  readonly #names = new WeakMap<Comparable, ReadonlySet<string>>();
  readonly #all = new WeakMap<Comparable, ReadonlySet<string>>();

  /** Compares two nodes by their names. */
  ofNodes(a: Comparable, b: Comparable): number {
    return closeness(a, b) + WORDS_WEIGHT * sharedShare(this.#nameOf(a), this.#nameOf(b));
  }

  /** Compares a category with a node that may belong to it, by the node's name and tags. */
  ofCategory(category: Comparable, node: Comparable): number {
    return (
      closeness(category, node) + WORDS_WEIGHT * containedShare(this.#nameOf(category), this.#allOf(node))
    );
  }

  #nameOf(each: Comparable): ReadonlySet<string> {
    return cachedTerms(this.#names, each, () => each.name);
  }

  #allOf(each: Comparable): ReadonlySet<string> {
    return cachedTerms(this.#all, each, () => [each.name, ...each.tags].join('\n'));
  }
}

function cachedTerms(
  cache: WeakMap<Comparable, ReadonlySet<string>>,
  key: Comparable,
  text: () => string,
): ReadonlySet<string> {
  const cached = cache.get(key);
  if (cached !== undefined) return cached;
  const terms = new Set(analyze(text()));
  cache.set(key, terms);
  return terms;
}

/** Cosine of unit vectors; negative cosines count as 0. */
function closeness({ vector: a }: Comparable, { vector: b }: Comparable): number {
  if (a === null || b === null || a.length !== b.length) return 0;
  return Math.max(0, dotProduct(a, b));
}

function sharedShare(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  return a.size < b.size ? containedShare(a, b) : containedShare(b, a);
}

/** Share of `words` that are in `by`. */
function containedShare(words: ReadonlySet<string>, by: ReadonlySet<string>): number {
  if (words.size === 0) return 0;
  let contained = 0;
  for (const word of words) if (by.has(word)) contained++;
  return contained / words.size;
}

/** Mean direction of the name vectors, unit length; null if no node has one or their lengths differ. */
export function centreOf(nodes: readonly Comparable[]): Float32Array | null {
  const [first, ...others] = nodes.map(({ vector }) => vector).filter((vector) => vector !== null);
  if (first === undefined || others.some(({ length }) => length !== first.length)) return null;
  const sum = Float32Array.from(first, (value, place) =>
    others.reduce((total, other) => total + other[place]!, value),
  );
  const length = Math.hypot(...sum);
  return length > 0 ? sum.map((value) => value / length) : null;
}

interface NearestOptions<Value, Node> {
  readonly likenessOf: (value: Value, node: Node) => number;
  readonly atLeast: number;
  /** Maximum of values per node. */
  readonly perNode: number;
  readonly atMost: number;
}

interface Found {
  readonly at: number;
  readonly likeness: number;
}

/**
 * Returns the values nearest to the nodes, in the order of `values`. The nearest value of every node is chosen before
 * the second nearest of any, so that `atMost` leaves no node without its nearest.
 */
export async function nearest<Value, Node>(
  values: readonly Value[],
  nodes: readonly Node[],
  { likenessOf, atLeast, perNode, atMost }: NearestOptions<Value, Node>,
): Promise<Value[]> {
  const breather = new Breather();
  const found = nodes.map((): Found[] => []);
  for (const [at, value] of values.entries()) {
    await breather.breathe();
    for (const [place, node] of nodes.entries()) {
      const likeness = likenessOf(value, node);
      if (likeness >= atLeast) offer(found[place]!, { at, likeness }, perNode);
    }
  }
  const chosen = new Set<number>();
  for (let rank = 0; rank < perNode; rank++)
    for (const { at } of found.flatMap((list) => list[rank] ?? []).sort(nearestFirst))
      if (chosen.size < atMost) chosen.add(at);
  return values.filter((_, at) => chosen.has(at));
}

function offer(list: Found[], found: Found, most: number): void {
  if (list.length === most && nearestFirst(found, list.at(-1)!) > 0) return;
  list.push(found);
  list.sort(nearestFirst);
  list.length = Math.min(list.length, most);
}

function nearestFirst(a: Found, b: Found): number {
  return b.likeness - a.likeness || a.at - b.at;
}

/** A node below this likeness starts a group of its own. */
const LEAST_NEIGHBOUR_LIKENESS = 0.45;
/** Similar nodes are only searched within this many, so that the cost is linear in the number of due nodes. */
const WINDOW = 240;

/** Orders nodes so that similar ones are adjacent and share a batch. The oldest node of a group comes first. */
export async function orderByLikeness(nodes: readonly LayerNode[], likeness: Likeness): Promise<LayerNode[]> {
  const breather = new Breather();
  const ordered: LayerNode[] = [];
  for (const window of inBatches(nodes, WINDOW)) {
    const groups: LayerNode[][] = [];
    for (const node of window) {
      await breather.breathe();
      const group = mostLike(groups, ([leader]) => likeness.ofNodes(leader!, node));
      if (group === undefined) groups.push([node]);
      else group.push(node);
    }
    ordered.push(...groups.flat());
  }
  return ordered;
}

function mostLike<Value>(values: readonly Value[], likenessOf: (value: Value) => number): Value | undefined {
  let [best, most]: [Value | undefined, number] = [undefined, LEAST_NEIGHBOUR_LIKENESS];
  for (const value of values) {
    const likeness = likenessOf(value);
    if (likeness > most) [best, most] = [value, likeness];
  }
  return best;
}

/** A category offered for reuse: the part of it that the search for candidates reads. */
export type OfferedCategory = Pick<KnownCategory, 'name' | 'tags' | 'vector' | 'children'>;

/** Categories offered for a single node; they also show the model how fine the layer is. */
const OFFERED_TO_FEW = 10;
const OFFERED_PER_NODE = 2;
const NEAREST_PER_NODE = 5;
const LEAST_LIKENESS = 0.2;

/**
 * Returns the categories that nodes may belong to, in their own order: all if there are few, else the nearest by
 * vector and words (more for more nodes). If fewer are near, adds the largest, which are the most likely fit.
 */
export async function offeredCategories(
  categories: readonly OfferedCategory[],
  nodes: readonly LayerNode[],
  { likeness, atMost: limit }: { readonly likeness: Likeness; readonly atMost: number },
): Promise<readonly OfferedCategory[]> {
  const atMost = Math.min(limit, OFFERED_TO_FEW + OFFERED_PER_NODE * nodes.length);
  if (categories.length <= atMost) return categories;
  const near = await nearest(categories, nodes, {
    likenessOf: (category, node) => likeness.ofCategory(category, node),
    atLeast: LEAST_LIKENESS,
    perNode: NEAREST_PER_NODE,
    atMost,
  });
  const offered = new Set(near);
  const largest = categories.toSorted((a, b) => b.children - a.children);
  for (const category of largest.slice(0, OFFERED_TO_FEW))
    if (offered.size < Math.min(OFFERED_TO_FEW, atMost)) offered.add(category);
  return categories.filter((category) => offered.has(category));
}

interface BatchLimits {
  readonly nodes: number;
  /** Estimate for the prompt lines of the nodes. */
  readonly tokens: number;
}

export interface Batch {
  readonly nodes: readonly LayerNode[];
  /** How many times the original batch was halved to get this one. */
  readonly halvings: number;
}

/** Tokens of the number, the brackets and the line end. */
const TOKENS_PER_LINE = 4;
/** Approximate limit of characters that prompts show of a name, or of all tags. */
const LONGEST_SHOWN = 100;

/** Nodes that the model has not placed yet, in batches of a bounded size. */
export class BatchQueue {
  readonly #limits: BatchLimits;
  readonly #batches: Batch[];
  readonly #retried = new Set<string>();
  #waiting: LayerNode[] = [];

  constructor(nodes: readonly LayerNode[], limits: BatchLimits) {
    this.#limits = limits;
    this.#batches = evenBatches(nodes, limits).map((batch) => ({ nodes: batch, halvings: 0 }));
  }

  /** Undefined when no nodes remain. */
  next(): Batch | undefined {
    const waiting = this.#waiting;
    const [following] = this.#batches;
    const joined = [...waiting, ...(following?.nodes ?? [])];
    if (following !== undefined && !fits(joined, this.#limits) && waiting.length > 0) {
      this.#waiting = [];
      return { nodes: waiting, halvings: 0 };
    }
    this.#waiting = [];
    this.#batches.shift();
    return joined.length === 0 ? undefined : { nodes: joined, halvings: following?.halvings ?? 0 };
  }

  /** Adds nodes that a reply omitted to the next batch, once per node. Returns how many were retried already. */
  retry(nodes: readonly LayerNode[]): number {
    const first = nodes.filter(({ id }) => !this.#retried.has(id));
    for (const { id } of first) this.#retried.add(id);
    this.#waiting.push(...first);
    return nodes.length - first.length;
  }

  /**
   * Puts two halves at the front of the queue. @returns false if there are fewer than two nodes or `most` is reached.
   */
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

/**
 * Batches of about equal size: a model groups better with more nodes at once. A node over the limit is a batch alone.
 */
function evenBatches(nodes: readonly LayerNode[], { nodes: most, tokens: maxTokens }: BatchLimits) {
  const parts = Math.max(Math.ceil(nodes.length / most), Math.ceil(tokensOf(nodes) / maxTokens));
  const even = { nodes: Math.ceil(nodes.length / Math.max(1, parts)), tokens: maxTokens };
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
