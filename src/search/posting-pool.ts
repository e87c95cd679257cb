import { Growable } from './ordinals.ts';

/**
 * The posting lists of all terms in two parallel typed arrays. Each list occupies one slab; a full list moves to a slab
 * whose capacity is the next power of two, and the old slab is reused.
 */
export class PostingPool {
  /** Slots of documents, and the term's weighted frequency in each. */
  slots: Uint32Array = new Uint32Array(1 << 10);
  frequencies: Float32Array = new Float32Array(1 << 10);
  /** Per term: the start of its list, its number of postings, and its capacity. */
  readonly starts = new Growable(Uint32Array);
  readonly counts = new Growable(Uint32Array);
  readonly #capacities = new Growable(Uint32Array);
  /** Starts of unused slabs, by the logarithm of their capacity. */
  readonly #unused: number[][] = Array.from({ length: 32 }, () => []);
  #used = 0;

  /**
   * The pool of concatenated lists: term t has the next `counts[t]` of the postings. It uses both arrays without a copy;
   * a list that gets another posting moves.
   */
  static of(counts: Uint32Array, slots: Uint32Array, frequencies: Float32Array): PostingPool {
    const pool = new PostingPool();
    pool.slots = slots;
    pool.frequencies = frequencies;
    pool.defineUpTo(counts.length);
    for (const [term, count] of counts.entries()) {
      pool.starts.data[term] = pool.#used;
      pool.counts.data[term] = count;
      pool.#capacities.data[term] = count;
      pool.#used += count;
    }
    return pool;
  }

  /** Appends a posting to the list of a defined term. */
  append(term: number, slot: number, frequency: number): void {
    const count = this.counts.data[term]!;
    if (count === this.#capacities.data[term]!) this.#enlarge(term, count);
    const at = this.starts.data[term]! + count;
    this.slots[at] = slot;
    this.frequencies[at] = frequency;
    this.counts.data[term] = count + 1;
  }

  /** Empties a term's list and overwrites its numbers. */
  clear(term: number): void {
    const capacity = this.#capacities.data[term]!;
    if (capacity === 0) return;
    const start = this.starts.data[term]!;
    this.slots.fill(0, start, start + capacity);
    this.frequencies.fill(0, start, start + capacity);
    this.#unused[logarithm(capacity)]!.push(start);
    this.define(term);
  }

  /** Defines a term with an empty list. */
  define(term: number): void {
    this.starts.set(term, 0);
    this.counts.set(term, 0);
    this.#capacities.set(term, 0);
  }

  /** Defines all terms up to a number; new ones get empty lists. */
  defineUpTo(terms: number): void {
    for (const values of [this.starts, this.counts, this.#capacities]) values.extendTo(terms);
  }

  #enlarge(term: number, count: number): void {
    const capacity = slabCapacity(count + 1);
    const from = this.starts.data[term]!;
    const to = this.#unused[logarithm(capacity)]!.pop() ?? this.#slab(capacity);
    if (count > 0) {
      this.slots.copyWithin(to, from, from + count);
      this.frequencies.copyWithin(to, from, from + count);
      this.#unused[logarithm(count)]!.push(from);
    }
    this.starts.data[term] = to;
    this.#capacities.data[term] = capacity;
  }

  #slab(capacity: number): number {
    const start = this.#used;
    this.#used += capacity;
    if (this.#used > this.slots.length) {
      const length = Math.max(this.#used, this.slots.length * 2);
      const slots = new Uint32Array(length);
      slots.set(this.slots);
      this.slots = slots;
      const frequencies = new Float32Array(length);
      frequencies.set(this.frequencies);
      this.frequencies = frequencies;
    }
    return start;
  }
}

function slabCapacity(count: number): number {
  return count <= 2 ? 2 : 2 ** (32 - Math.clz32(count - 1));
}

/** Logarithm of the largest power of two that fits. */
function logarithm(capacity: number): number {
  return 31 - Math.clz32(capacity);
}
