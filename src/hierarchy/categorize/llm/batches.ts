import { roughTokens } from '../../../inference/language-model/tokens/count-tokens.ts';
import { analyze } from '../../../search/analyzer.ts';
import { Breather } from '../../../util/breathe.ts';
import { inBatches } from '../../../util/collections.ts';
import { dotProduct } from '../../../util/dot-product.ts';
import type { KnownCategory, LayerNode } from '../../categorizer.ts';

type Likened = Pick<LayerNode, 'name' | 'tags' | 'vector'>;

/** What it counts that two names have all of one's words in common, beside a cosine of 1. */
const WORDS_WEIGHT = 0.5;

/** How like two nodes are by name vector and by words, from 0 to 1.5. Words are looked at once for each node. */
export class Likeness {
  readonly #names = new WeakMap<Likened, ReadonlySet<string>>();
  readonly #all = new WeakMap<Likened, ReadonlySet<string>>();

  /** Of two nodes by their names. */
  ofNodes(a: Likened, b: Likened): number {
    return closeness(a, b) + WORDS_WEIGHT * sharedPart(this.#nameOf(a), this.#nameOf(b));
  }

  /** Of a node and a category that may hold it, whose name a tag of the node may say. */
  ofCategory(category: Likened, node: Likened): number {
    return closeness(category, node) + WORDS_WEIGHT * saidPart(this.#nameOf(category), this.#allOf(node));
  }

  #nameOf(each: Likened): ReadonlySet<string> {
    return remembered(this.#names, each, () => each.name);
  }

  #allOf(each: Likened): ReadonlySet<string> {
    return remembered(this.#all, each, () => [each.name, ...each.tags].join('\n'));
  }
}

function remembered(
  cache: WeakMap<Likened, ReadonlySet<string>>,
  key: Likened,
  text: () => string,
): ReadonlySet<string> {
  const known = cache.get(key);
  if (known !== undefined) return known;
  const terms = new Set(analyze(text()));
  cache.set(key, terms);
  return terms;
}

/** Of unit vectors the cosine; opposites are no nearer than strangers. */
function closeness({ vector: a }: Likened, { vector: b }: Likened): number {
  if (a === null || b === null || a.length !== b.length) return 0;
  return Math.max(0, dotProduct(a, b));
}

function sharedPart(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  return a.size < b.size ? saidPart(a, b) : saidPart(b, a);
}

/** The part of some words that others hold. */
function saidPart(words: ReadonlySet<string>, by: ReadonlySet<string>): number {
  if (words.size === 0) return 0;
  let said = 0;
  for (const word of words) if (by.has(word)) said++;
  return said / words.size;
}

/** The direction in which some nodes lie together; null where there is none. */
export function centreOf(nodes: readonly Likened[]): Float32Array | null {
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
  /** For each node no more than so many. */
  readonly perNode: number;
  readonly atMost: number;
}

interface Found {
  readonly at: number;
  readonly likeness: number;
}

/**
 * The values that are nearest to some nodes, in their own order. Every node's nearest comes before any node's second,
 * so that none goes without where the list is short.
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

/** Less alike, a node begins a group of its own. */
const LEAST_NEIGHBOUR_LIKENESS = 0.45;
/** Within so many nodes like ones are looked for: the cost stays linear however many are due. */
const WINDOW = 240;

/** Nodes with those that are like them beside them: whoever sees some at once then sees kin. The oldest of a group leads. */
export async function orderByLikeness(nodes: readonly LayerNode[], likeness: Likeness): Promise<LayerNode[]> {
  const breather = new Breather();
  const ordered: LayerNode[] = [];
  for (const window of inBatches(nodes, WINDOW)) {
    const groups: LayerNode[][] = [];
    for (const node of window) {
      await breather.breathe();
      const group = likest(groups, ([leader]) => likeness.ofNodes(leader!, node));
      if (group === undefined) groups.push([node]);
      else group.push(node);
    }
    ordered.push(...groups.flat());
  }
  return ordered;
}

function likest<Value>(values: readonly Value[], likenessOf: (value: Value) => number): Value | undefined {
  let [best, most]: [Value | undefined, number] = [undefined, LEAST_NEIGHBOUR_LIKENESS];
  for (const value of values) {
    const likeness = likenessOf(value);
    if (likeness > most) [best, most] = [value, likeness];
  }
  return best;
}

/** A category that may be used again, as one looks for it. */
export type OfferedCategory = Pick<KnownCategory, 'name' | 'tags' | 'vector' | 'children'>;

/** So many are offered to one node: they also show how fine the layer is. */
const OFFERED_TO_FEW = 10;
const OFFERED_PER_NODE = 2;
const NEAREST_PER_NODE = 5;
const LEAST_LIKENESS = 0.2;

/**
 * Those that nodes may belong to, in their own order: all where there are few, else the nearest by vector and words,
 * more of them for more nodes, and where these are too few, the largest, which are the likeliest homes of anything.
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
