/** Numbers ids from 0 in the order of arrival; numbers are never reused. */
export class OrdinalTable {
  readonly #ids: string[];
  readonly #ordinals: Map<string, number>;

  constructor(ids: readonly string[] = []) {
    this.#ids = [...ids];
    this.#ordinals = new Map(this.#ids.map((id, ordinal) => [id, ordinal]));
  }

  get length(): number {
    return this.#ids.length;
  }

  /** The id's ordinal; assigns a new one if it has none. */
  add(id: string): number {
    const known = this.#ordinals.get(id);
    if (known !== undefined) return known;
    const ordinal = this.#ids.push(id) - 1;
    this.#ordinals.set(id, ordinal);
    return ordinal;
  }

  ordinalOf(id: string): number | undefined {
    return this.#ordinals.get(id);
  }

  idOf(ordinal: number): string {
    return this.#ids[ordinal]!;
  }

  ids(): readonly string[] {
    return this.#ids;
  }
}

type NumberArray = Int32Array | Uint8Array | Uint32Array | Float32Array | Float64Array;
type Constructor<A extends NumberArray> = new (length: number) => A;

/** A typed array that grows by doubling. Reads are not checked against the length: callers must know their bounds. */
export class Growable<A extends NumberArray> {
  data: A;
  length = 0;
  readonly #array: Constructor<A>;

  constructor(array: Constructor<A>, capacity = 16) {
    this.#array = array;
    this.data = new array(capacity);
  }

  /** Uses `values` without a copy; the next growth copies them. */
  adopt(values: A): void {
    this.data = values;
    this.length = values.length;
  }

  /** An array over `values`: see `adopt`. */
  static over<A extends NumberArray>(array: Constructor<A>, values: A): Growable<A> {
    const growable = new Growable(array, 0);
    growable.adopt(values);
    return growable;
  }

  at(position: number): number {
    return this.data[position] as number;
  }

  set(position: number, value: number): void {
    if (position >= this.data.length) this.#grow(position + 1);
    this.data[position] = value;
    if (position >= this.length) this.length = position + 1;
  }

  push(value: number): void {
    this.set(this.length, value);
  }

  /** Makes the length at least this; new values are 0. */
  extendTo(length: number): void {
    if (length <= this.length) return;
    if (length > this.data.length) this.#grow(length);
    this.data.fill(0, this.length, length);
    this.length = length;
  }

  /** The values, as a view on the storage. */
  values(): A {
    return this.data.subarray(0, this.length) as A;
  }

  #grow(needed: number): void {
    const grown = new this.#array(Math.max(needed, this.data.length * 2, 4));
    grown.set(this.data.subarray(0, this.length));
    this.data = grown;
  }
}
