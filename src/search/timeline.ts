import { z } from 'zod';
import { ROLES, type Role } from '../model/codes.ts';
import type { Milliseconds } from '../model/ids.ts';
import { offsetIn } from '../util/speaker-clock.ts';
import { analyze } from './analyzer.ts';
import { Growable } from './ordinals.ts';
import { type Section, type Sections, sectionArray, sectionJson } from './sections.ts';

export interface TimelineTurn {
  readonly session: string;
  readonly index: number;
  readonly speaker: string;
  readonly role: Role;
  readonly source: string;
  readonly validAt: Milliseconds;
  /** The time as it was written, for the zone in it. */
  readonly atText?: string;
}

export const NONE = -1;

const namesSchema = z.object({
  sessions: z.array(z.string()),
  speakers: z.array(z.string()),
  sources: z.array(z.string()),
});
const COLUMNS = [
  'session',
  'index',
  'speaker',
  'role',
  'source',
  'offset',
  'previous',
  'next',
  'lastOf',
  'turnsOf',
  'turnsBy',
  'timesOf',
] as const;
const TIMES = ['validAt', 'timesFrom', 'timesTo'] as const;

/**
 * The conversation around each turn (by ordinal): its session, its place there, its live neighbours, its speaker,
 * its source and its time. A session is ordered by turn index, independent of the order of arrival.
 */
export class Timeline {
  readonly session = new Growable(Int32Array);
  readonly index = new Growable(Int32Array);
  readonly speaker = new Growable(Int32Array);
  /** Place of its role in `ROLES`. */
  readonly role = new Growable(Int32Array);
  /** Number of the importer or program that added it. */
  readonly source = new Growable(Int32Array);
  readonly validAt = new Growable(Float64Array);
  /** Milliseconds by which the speaker's clock was ahead of UTC. */
  readonly offset = new Growable(Int32Array);
  /** Ordinal of the turn before / after in the session, or NONE. */
  readonly previous = new Growable(Int32Array);
  readonly next = new Growable(Int32Array);

  /** The times that turns name, such as "last Friday", each with its turn, in the order of the turns. */
  readonly timesOf = new Growable(Int32Array);
  readonly timesFrom = new Growable(Float64Array);
  readonly timesTo = new Growable(Float64Array);

  readonly sessions: string[] = [];
  readonly speakers: string[] = [];
  readonly sources: string[] = [];
  /** Per session: the ordinal of its last live turn, or NONE; its number of live turns. */
  readonly lastOf = new Growable(Int32Array);
  readonly turnsOf = new Growable(Int32Array);
  /** Per speaker: number of live turns. */
  readonly turnsBy = new Growable(Int32Array);
  readonly #sessionNumbers = new Map<string, number>();
  readonly #speakerNumbers = new Map<string, number>();
  readonly #sourceNumbers = new Map<string, number>();
  readonly #termsOfNames = new Map<string, readonly string[]>();

  add(ordinal: number, turn: TimelineTurn): void {
    const session = this.#sessionNumber(turn.session);
    const speaker = this.#speakerNumber(turn.speaker);
    this.session.set(ordinal, session);
    this.index.set(ordinal, turn.index);
    this.speaker.set(ordinal, speaker);
    this.role.set(ordinal, ROLES.indexOf(turn.role));
    this.source.set(
      ordinal,
      numberOf(turn.source, this.#sourceNumbers, this.sources, () => undefined),
    );
    this.validAt.set(ordinal, turn.validAt);
    const { validAt, atText } = turn;
    this.offset.set(ordinal, atText === undefined ? 0 : offsetIn({ validAt, atText }));
    this.#link(ordinal, session, turn.index);
    this.turnsOf.set(session, this.turnsOf.at(session) + 1);
    this.turnsBy.set(speaker, this.turnsBy.at(speaker) + 1);
  }

  addTime(
    ordinal: number,
    { start, end }: { readonly start: Milliseconds; readonly end: Milliseconds },
  ): void {
    this.timesOf.push(ordinal);
    this.timesFrom.push(start);
    this.timesTo.push(end);
  }

  remove(ordinal: number): void {
    const before = this.previous.at(ordinal);
    const after = this.next.at(ordinal);
    const session = this.session.at(ordinal);
    const speaker = this.speaker.at(ordinal);
    if (before !== NONE) this.next.set(before, after);
    if (after === NONE) this.lastOf.set(session, before);
    else this.previous.set(after, before);
    this.turnsOf.set(session, this.turnsOf.at(session) - 1);
    this.turnsBy.set(speaker, this.turnsBy.at(speaker) - 1);
    // They come from its text.
    const { length } = this.timesOf;
    for (let at = this.#firstTimeOf(ordinal); at < length && this.timesOf.at(at) === ordinal; at++) {
      this.timesFrom.set(at, 0);
      this.timesTo.set(at, 0);
    }
  }

  #firstTimeOf(ordinal: number): number {
    let [low, high] = [0, this.timesOf.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.timesOf.at(middle) < ordinal) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /**
   * Orders turns by session and place, then by arrival, to break ties between turns (docs/design.md, "Ranking").
   * Sessions are ordered by name: their numbers differ between two memories of the same turns.
   */
  compare(a: number, b: number): number {
    const [one, other] = [this.session.at(a), this.session.at(b)];
    if (one !== other) return this.sessions[one]! < this.sessions[other]! ? -1 : 1;
    return this.index.at(a) - this.index.at(b) || a - b;
  }

  /** The default index of a new turn: one more than the session's last. */
  nextIndex(session: string): number {
    const last = this.lastTurn(session);
    return last === NONE ? 0 : this.index.at(last) + 1;
  }

  /** Ordinal of the session's last live turn, or NONE. */
  lastTurn(session: string): number {
    const number = this.#sessionNumbers.get(session);
    return number === undefined ? NONE : this.lastOf.at(number);
  }

  /** Whether every name in it is of a session, speaker and source with a live turn. */
  isOfLiveTurns(isLive: (ordinal: number) => boolean): boolean {
    const sources = new Set<number>();
    for (let turn = 0; turn < this.source.length; turn++) if (isLive(turn)) sources.add(this.source.at(turn));
    return (
      this.liveSessions() === this.sessions.length &&
      this.liveSpeakers().length === this.speakers.length &&
      sources.size === this.sources.length
    );
  }

  /** Speakers with a live turn, by number. */
  liveSpeakers(): number[] {
    return this.speakers.map((_, number) => number).filter((number) => this.turnsBy.at(number) > 0);
  }

  /** The index terms of a speaker's name or of a part of it, which is analyzed once: documents have thousands of titles. */
  termsOfName(name: string): readonly string[] {
    const known = this.#termsOfNames.get(name);
    if (known !== undefined) return known;
    const terms = analyze(name);
    this.#termsOfNames.set(name, terms);
    return terms;
  }

  /** Names by number; empty for a speaker without live turns. */
  liveSpeakerNames(): string[] {
    return this.speakers.map((name, number) => (this.turnsBy.at(number) > 0 ? name : ''));
  }

  liveSessions(): number {
    let count = 0;
    for (let session = 0; session < this.sessions.length; session++)
      if (this.turnsOf.at(session) > 0) count++;
    return count;
  }

  toSections(): Sections {
    const sections = new Map<string, Section>([
      ['names', { json: { sessions: this.sessions, speakers: this.speakers, sources: this.sources } }],
    ]);
    for (const name of [...COLUMNS, ...TIMES]) sections.set(name, this[name].values());
    return sections;
  }

  /** Null if the sections are not those of a timeline. */
  static fromSections(sections: Sections): Timeline | null {
    const names = sectionJson(sections, 'names', namesSchema);
    if (names === null) return null;
    const timeline = new Timeline();
    for (const name of COLUMNS) {
      const values = sectionArray(sections, name, Int32Array);
      if (values === null) return null;
      timeline[name].adopt(values);
    }
    for (const name of TIMES) {
      const values = sectionArray(sections, name, Float64Array);
      if (values === null) return null;
      timeline[name].adopt(values);
    }
    timeline.#adoptNames(names);
    return timeline;
  }

  #adoptNames({ sessions, speakers, sources }: z.infer<typeof namesSchema>): void {
    for (const [number, name] of sessions.entries()) this.#sessionNumbers.set(name, number);
    for (const [number, name] of speakers.entries()) this.#speakerNumbers.set(name, number);
    for (const [number, name] of sources.entries()) this.#sourceNumbers.set(name, number);
    this.sessions.push(...sessions);
    this.speakers.push(...speakers);
    this.sources.push(...sources);
  }

  #link(ordinal: number, session: number, index: number): void {
    let before = this.lastOf.at(session);
    let after = NONE;
    while (before !== NONE && this.index.at(before) > index) {
      after = before;
      before = this.previous.at(before);
    }
    this.previous.set(ordinal, before);
    this.next.set(ordinal, after);
    if (before !== NONE) this.next.set(before, ordinal);
    if (after === NONE) this.lastOf.set(session, ordinal);
    else this.previous.set(after, ordinal);
  }

  #sessionNumber(name: string): number {
    return numberOf(name, this.#sessionNumbers, this.sessions, (number) => {
      this.lastOf.set(number, NONE);
      this.turnsOf.set(number, 0);
    });
  }

  #speakerNumber(name: string): number {
    return numberOf(name, this.#speakerNumbers, this.speakers, (number) => this.turnsBy.set(number, 0));
  }
}

function numberOf(
  name: string,
  numbers: Map<string, number>,
  names: string[],
  created: (number: number) => void,
): number {
  const known = numbers.get(name);
  if (known !== undefined) return known;
  const number = names.push(name) - 1;
  numbers.set(name, number);
  created(number);
  return number;
}
