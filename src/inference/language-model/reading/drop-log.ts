/** What kind of item of a reply was dropped, why and how often; its text is not included. */
export interface Dropped {
  readonly what: DroppedPart;
  readonly reason: DropReason;
  readonly count: number;
}

/** A part of a model's reply. `decision`: a match of two entities, a relation, or a fact that ends another. */
export type DroppedPart =
  | 'entry'
  | 'entity'
  | 'fact'
  | 'alias'
  | 'description'
  | 'tag'
  | 'participant'
  | 'citation'
  | 'time'
  | 'summary'
  | 'keyword'
  | 'boundary'
  | 'decision'
  | 'profile';

/** Why a part of a model's reply is not stored. */
export type DropReason =
  /** Not of the requested shape. */
  | 'malformed'
  /** No content. */
  | 'empty'
  /** A placeholder, leaked JSON, a loop, or words of the prompt. */
  | 'garbage'
  /** Refers to a turn, an entity or a candidate that does not exist. */
  | 'unknown-number'
  /** No turn supports it. */
  | 'uncited'
  /** Cites a turn of another segment than the rest of its entry. */
  | 'other-segment'
  /** Its names, numbers or words occur in none of the turns that it cites. */
  | 'not-said'
  /** Only an assistant said it, or it tells what an assistant did. */
  | 'assistant'
  /** About a person who talks, and said by another one only. */
  | 'other-voice'
  /** Does not read alone: begins with a pronoun. */
  | 'open-pronoun'
  /** Names no entity. */
  | 'no-entity'
  /** Names another entity as well. */
  | 'ambiguous'
  /** Equal to another item and merged with it. */
  | 'repeated'
  /** Exceeds the maximum number or length. */
  | 'too-much'
  /** The check of the reading rejected it. */
  | 'unsupported'
  /** Contradicts another part of the reply, or the rules in the prompt. */
  | 'inconsistent';

/** Adds up lists of dropped items. */
export function addDropped(...lists: readonly (readonly Dropped[])[]): readonly Dropped[] {
  const log = new DropLog();
  for (const { what, reason, count } of lists.flat()) log.note(what, reason, count);
  return log.list();
}

/** How many statements were not stored. Those that were merged with an equal one are stored. */
export function statementsIn(dropped: readonly Dropped[]): number {
  const lost = dropped.filter(({ what, reason }) => what === 'fact' && reason !== 'repeated');
  return lost.reduce((sum, { count }) => sum + count, 0);
}

/** Counts the items of a reply that are dropped before they are stored. */
export class DropLog {
  readonly #dropped = new Map<string, Dropped>();

  note(what: DroppedPart, reason: DropReason, count = 1): void {
    const key = `${what} ${reason}`;
    if (count > 0)
      this.#dropped.set(key, { what, reason, count: (this.#dropped.get(key)?.count ?? 0) + count });
  }

  /** The entries of a list that have the requested shape. */
  wellFormed<Entry>(entries: readonly (Entry | null)[]): Entry[] {
    const whole = entries.filter((entry) => entry !== null);
    this.note('entry', 'malformed', entries.length - whole.length);
    return whole;
  }

  list(): readonly Dropped[] {
    return [...this.#dropped.values()];
  }
}
