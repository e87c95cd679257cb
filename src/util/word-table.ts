/**
 * A list of different words and their numbers, 0 first: one text and a few arrays of numbers. A `Map` of as many words
 * takes ten times as long to build and as much memory.
 */
export class WordTable {
  readonly size: number;
  /** All words concatenated, and where each begins. */
  readonly #text: string;
  readonly #starts: Uint32Array;
  /** The first word of each bucket, and for each word the next one of its bucket. Stored plus 1; 0 ends a bucket. */
  readonly #buckets: Uint32Array;
  readonly #next: Uint32Array;

  /** @param starts - per word, and for one after the last: where it begins in the text, in UTF-16 code units. */
  constructor(text: string, starts: Uint32Array) {
    this.size = starts.length - 1;
    this.#text = text;
    this.#starts = starts;
    this.#buckets = new Uint32Array(2 ** Math.ceil(Math.log2(this.size + 1)));
    this.#next = new Uint32Array(this.size);
    for (let word = 0; word < this.size; word++) {
      const bucket = this.#bucketOf(text, starts[word]!, starts[word + 1]!);
      this.#next[word] = this.#buckets[bucket]!;
      this.#buckets[bucket] = word + 1;
    }
  }

  at(word: number): string | undefined {
    return word >= 0 && word < this.size
      ? this.#text.slice(this.#starts[word], this.#starts[word + 1])
      : undefined;
  }

  /** The number of a word; of equal ones the last. */
  indexOf(word: string): number | undefined {
    const starts = this.#starts;
    let found = this.#buckets[this.#bucketOf(word, 0, word.length)]!;
    for (; found > 0; found = this.#next[found - 1]!) {
      const start = starts[found - 1]!;
      if (starts[found]! - start === word.length && this.#text.startsWith(word, start)) return found - 1;
    }
    return undefined;
  }

  #bucketOf(text: string, start: number, end: number): number {
    return hashOf(text, start, end) & (this.#buckets.length - 1);
  }
}

/** FNV-1a over UTF-16 code units. */
export function hashOf(text: string, start = 0, end = text.length): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 15) ^ hash;
}

/** Where each list begins in all lists concatenated, and where the last one ends. */
export function startsOf(sizes: Uint8Array): Uint32Array {
  const starts = new Uint32Array(sizes.length + 1);
  for (let at = 0; at < sizes.length; at++) starts[at + 1] = starts[at]! + sizes[at]!;
  return starts;
}
