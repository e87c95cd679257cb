const EMPTY = -1;
const LEAST_CAPACITY = 64;

/** A multiset of whole numbers from 0, in 12 bytes a place, at most two thirds full: open addressing, linear probing. */
export class HashCounts {
  #keys = new Float64Array(LEAST_CAPACITY).fill(EMPTY);
  #counts = new Uint32Array(LEAST_CAPACITY);
  /** Places in use, those whose count went back to 0 among them. */
  #used = 0;
  #size = 0;

  /** How many different numbers are held. */
  get size(): number {
    return this.#size;
  }

  has(key: number): boolean {
    return this.#counts[this.#placeOf(key)]! > 0;
  }

  add(key: number, count = 1): void {
    if ((this.#used + 1) * 3 > this.#keys.length * 2) this.#rebuild();
    const place = this.#placeOf(key);
    if (this.#keys[place] === EMPTY) {
      this.#keys[place] = key;
      this.#used += 1;
    }
    if (this.#counts[place] === 0) this.#size += 1;
    this.#counts[place]! += count;
  }

  /** Takes one away; what is not held stays so. */
  remove(key: number): void {
    const place = this.#placeOf(key);
    if (this.#counts[place] === 0) return;
    this.#counts[place]! -= 1;
    if (this.#counts[place] === 0) this.#size -= 1;
  }

  /** Every number and how often it is held, in parallel arrays. */
  entries(): { readonly keys: Float64Array; readonly counts: Uint32Array } {
    const keys = new Float64Array(this.#size);
    const counts = new Uint32Array(this.#size);
    let at = 0;
    for (const [place, count] of this.#counts.entries()) {
      if (count === 0) continue;
      keys[at] = this.#keys[place]!;
      counts[at] = count;
      at += 1;
    }
    return { keys, counts };
  }

  #placeOf(key: number): number {
    const mask = this.#keys.length - 1;
    let place = (key % 0x1_0000_0000) & mask;
    while (this.#keys[place] !== EMPTY && this.#keys[place] !== key) place = (place + 1) & mask;
    return place;
  }

  #rebuild(): void {
    const { keys, counts } = this.entries();
    let capacity = LEAST_CAPACITY;
    while (capacity < (keys.length + 1) * 3) capacity *= 2;
    this.#keys = new Float64Array(capacity).fill(EMPTY);
    this.#counts = new Uint32Array(capacity);
    [this.#used, this.#size] = [0, 0];
    for (const [at, key] of keys.entries()) this.add(key, counts[at]);
  }
}
