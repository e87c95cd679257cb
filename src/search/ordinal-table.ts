/** Numbers ids from 0 in the order of arrival; a number is never used again. */
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

  /** The id's ordinal, a new one if it has none. */
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
