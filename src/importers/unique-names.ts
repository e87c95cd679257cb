/** Gives each name once: a repeated one gets "#2", "#3" behind it, without hitting a name that was given. */
export class UniqueNames {
  readonly #given = new Set<string>();

  take(name: string): string {
    let unique = name;
    for (let count = 2; this.#given.has(unique); count++) unique = `${name}#${count}`;
    this.#given.add(unique);
    return unique;
  }
}
