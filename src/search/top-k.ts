/** An ordinal and its score. */
export interface Hit {
  readonly ordinal: number;
  readonly score: number;
}

export interface TopKOptions {
  /** Only higher scores count. Default −Infinity, which leaves out removed rows. */
  readonly above?: number | undefined;
  /** Negative if the first ordinal precedes the second at equal scores. Default: the lower ordinal first. */
  readonly tiebreak?: ((first: number, second: number) => number) | undefined;
}

const lowerFirst = (first: number, second: number): number => first - second;

/** Keeps the best k hits offered, in a binary heap whose root is the worst one kept. */
export class TopHits {
  readonly #k: number;
  readonly #tiebreak: (first: number, second: number) => number;
  readonly #scores: Float64Array;
  readonly #ordinals: Float64Array;
  #size = 0;

  /** `k` below 1 keeps nothing. */
  constructor(k: number, tiebreak: (first: number, second: number) => number = lowerFirst) {
    this.#k = Number.isNaN(k) ? 0 : Math.max(0, Math.min(Math.floor(k), 2 ** 31));
    this.#tiebreak = tiebreak;
    this.#scores = new Float64Array(this.#k);
    this.#ordinals = new Float64Array(this.#k);
  }

  /** The score that a hit must reach to be kept: −Infinity until there are k, Infinity if k is 0. */
  get threshold(): number {
    if (this.#size < this.#k) return Number.NEGATIVE_INFINITY;
    return this.#k === 0 ? Number.POSITIVE_INFINITY : this.#scores[0]!;
  }

  /** Ignores NaN. */
  offer(ordinal: number, score: number): void {
    if (this.#k === 0 || Number.isNaN(score)) return;
    if (this.#size < this.#k) {
      this.#rise(this.#size++, ordinal, score);
    } else if (this.#worse(this.#ordinals[0]!, this.#scores[0]!, ordinal, score)) {
      this.#sink(ordinal, score);
    }
  }

  /** Best first. */
  hits(): Hit[] {
    const hits = Array.from({ length: this.#size }, (_, at) => ({
      ordinal: this.#ordinals[at]!,
      score: this.#scores[at]!,
    }));
    return hits.sort((a, b) => (this.#worse(a.ordinal, a.score, b.ordinal, b.score) ? 1 : -1));
  }

  #worse(ordinal: number, score: number, other: number, otherScore: number): boolean {
    return score < otherScore || (score === otherScore && this.#tiebreak(ordinal, other) > 0);
  }

  #put(at: number, ordinal: number, score: number): void {
    this.#ordinals[at] = ordinal;
    this.#scores[at] = score;
  }

  #rise(from: number, ordinal: number, score: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#worse(ordinal, score, this.#ordinals[parent]!, this.#scores[parent]!)) break;
      this.#put(at, this.#ordinals[parent]!, this.#scores[parent]!);
      at = parent;
    }
    this.#put(at, ordinal, score);
  }

  #sink(ordinal: number, score: number): void {
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= this.#size) break;
      const right = child + 1;
      if (right < this.#size && this.#worseAt(right, child)) child = right;
      if (!this.#worse(this.#ordinals[child]!, this.#scores[child]!, ordinal, score)) break;
      this.#put(at, this.#ordinals[child]!, this.#scores[child]!);
      at = child;
    }
    this.#put(at, ordinal, score);
  }

  #worseAt(first: number, second: number): boolean {
    return this.#worse(
      this.#ordinals[first]!,
      this.#scores[first]!,
      this.#ordinals[second]!,
      this.#scores[second]!,
    );
  }
}

/** The k ordinals with the highest scores, best first; deterministic. Ignores NaN. */
export function topK(scores: Float32Array, k: number, options: TopKOptions = {}): Hit[] {
  const above = options.above ?? Number.NEGATIVE_INFINITY;
  const best = new TopHits(Math.min(k, scores.length), options.tiebreak);
  let threshold = best.threshold;
  for (let ordinal = 0; ordinal < scores.length; ordinal++) {
    const score = scores[ordinal]!;
    if (score >= threshold && score > above) {
      best.offer(ordinal, score);
      threshold = best.threshold;
    }
  }
  return best.hits();
}
