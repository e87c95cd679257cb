/** Gives each name once: a repeated one gets "#2", "#3" behind it, without hitting a name that was given. */
export class UniqueNames {
  /** Given names, with the count that a repetition tries next. */
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
