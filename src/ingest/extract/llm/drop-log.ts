/** What of a reply was left out, and why; the text itself is not repeated. */
export interface Dropped {
  readonly what: DroppedPart;
  readonly reason: DropReason;
  readonly count: number;
}

export type DroppedPart =
  | 'entry'
  | 'entity'
  | 'fact'
  | 'alias'
  | 'tag'
  | 'participant'
  | 'citation'
  | 'time'
  | 'summary'
  | 'keyword'
  | 'boundary'
  | 'decision'
  | 'profile';

export type DropReason =
  /** Not of the asked shape. */
  | 'malformed'
  /** It says nothing. */
  | 'empty'
  /** It points at a turn, an entity or a candidate that there is not. */
  | 'unknown-number'
  /** No turn bears it out. */
  | 'uncited'
  /** It points at a turn of another segment than the rest of its entry. */
  | 'other-segment'
  /** It is in none of the turns. */
  | 'not-said'
  /** It names no entity, or one that another name has already. */
  | 'no-entity'
  | 'ambiguous'
  /** The same as another, with which it was merged. */
  | 'repeated'
  /** More, or longer, than what is kept. */
  | 'too-much'
  /** The check of the reading found it unsupported. */
  | 'unsupported'
  /** It contradicts another part of the reply, or the rules that the model was given. */
  | 'inconsistent';

/** Counts what a reply loses on its way into memory. */
export class DropLog {
  readonly #dropped = new Map<string, Dropped>();

  note(what: DroppedPart, reason: DropReason, count = 1): void {
    const key = `${what} ${reason}`;
    if (count > 0)
      this.#dropped.set(key, { what, reason, count: (this.#dropped.get(key)?.count ?? 0) + count });
  }

  /** The entries of a list that were objects of the asked shape. */
  wellFormed<Entry>(entries: readonly (Entry | null)[]): Entry[] {
    const whole = entries.filter((entry) => entry !== null);
    this.note('entry', 'malformed', entries.length - whole.length);
    return whole;
  }

  list(): readonly Dropped[] {
    return [...this.#dropped.values()];
  }
}
