/** What of replies was not usable, counted, in words of our own: nothing that a reply says is repeated. */
export class NoteLog {
  readonly #counts = new Map<string, number>();

  note(what: string, count = 1): void {
    if (count > 0) this.#counts.set(what, (this.#counts.get(what) ?? 0) + count);
  }

  /** The entries of a list that were objects of the asked shape. */
  wellFormed<Entry>(entries: readonly (Entry | null)[]): Entry[] {
    const whole = entries.filter((entry) => entry !== null);
    this.note('an entry of another shape', entries.length - whole.length);
    return whole;
  }

  list(): readonly string[] {
    return Array.from(this.#counts, ([what, count]) => (count === 1 ? what : `${what} (${count} times)`));
  }
}
