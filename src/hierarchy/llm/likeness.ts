import { analyze } from '../../search/analyzer.ts';
import { dotProduct } from '../../util/dot-product.ts';
import type { LayerNode } from '../categorizer.ts';

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
