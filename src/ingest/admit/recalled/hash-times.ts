const EMPTY = -1;
const LEAST_CAPACITY = 64;

/** Whole numbers from 0 and the earliest time of each, in 16 bytes a place, at most two thirds full: open addressing. */
export class HashTimes {
  #keys = new Float64Array(LEAST_CAPACITY).fill(EMPTY);
  #times = new Float64Array(LEAST_CAPACITY);
  #size = 0;

  /** How many different numbers are held. */
  get size(): number {
    return this.#size;
  }

  /** The earliest time of a number; Infinity for one that is not held. */
  timeOf(key: number): number {
    const place = this.#placeOf(key);
    return this.#keys[place] === EMPTY ? Number.POSITIVE_INFINITY : this.#times[place]!;
  }

  add(key: number, time: number): void {
    if ((this.#size + 1) * 3 > this.#keys.length * 2) this.#grow();
    const place = this.#placeOf(key);
    const isNew = this.#keys[place] === EMPTY;
    if (isNew) this.#size += 1;
    this.#keys[place] = key;
    this.#times[place] = isNew ? time : Math.min(time, this.#times[place]!);
  }

  #placeOf(key: number): number {
    const mask = this.#keys.length - 1;
    let place = (key % 0x1_0000_0000) & mask;
    while (this.#keys[place] !== EMPTY && this.#keys[place] !== key) place = (place + 1) & mask;
    return place;
  }

  #grow(): void {
    const [keys, times] = [this.#keys, this.#times];
    this.#keys = new Float64Array(2 * keys.length).fill(EMPTY);
    this.#times = new Float64Array(2 * keys.length);
    this.#size = 0;
    for (const [at, key] of keys.entries()) if (key !== EMPTY) this.add(key, times[at]!);
  }
}
