/** Makes names unique: appends "#2", "#3" to repeated ones and avoids names already used. */
export class UniqueNames {
  /** Used names, with the next count to try. */
  readonly #given = new Map<string, number>();

  take(name: string): string {
    let unique = name;
    let count = this.#given.get(name) ?? 2;
    while (this.#given.has(unique)) unique = `${name}#${count++}`;
    this.#given.set(unique, 2);
    if (unique !== name) this.#given.set(name, count);
    return unique;
  }
}
