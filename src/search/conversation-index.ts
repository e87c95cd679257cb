import { z } from 'zod';
import { Growable } from './growable.ts';
import { type Section, type Sections, sectionArray, sectionJson } from './sections.ts';
import { NONE, type Timeline } from './timeline.ts';
import type { TurnTerms } from './turn-text.ts';

/** How a turn is read in its conversation; measured in docs/decisions/2026-11-21-a-turn-in-its-conversation.md. */
export interface ConversationWeights {
  /** BM25 saturation and length normalisation of turns. */
  readonly k1: number;
  readonly b: number;
  /** How much the words of a turn count for the first, second … turn after it. */
  readonly forward: readonly number[];
  /** … and for those before it. */
  readonly backward: readonly number[];
  /** A question's words count this much for the turn that asks … */
  readonly ownQuestion: number;
  /** … and this much more for the next turn, which answers. */
  readonly nextQuestion: number;
  /** BM25 of the whole session as one document: its weight and length normalisation. */
  readonly session: number;
  readonly sessionB: number;
}

const headerSchema = z.object({
  format: z.literal(1),
  live: z.number().int().nonnegative(),
  totalLength: z.number().nonnegative(),
  terms: z.array(z.string()),
});

/** One term's turns: ordinals ascending in order of arrival, with the term's counts in each. */
interface Postings {
  readonly turns: Growable<Int32Array>;
  readonly statements: Growable<Uint8Array>;
  readonly questions: Growable<Uint8Array>;
  /** Live turns, removed ones not counted. */
  live: number;
}

/**
 * BM25 over turns that are read in their conversation: the term frequencies of neighbouring turns are pooled
 * BEFORE saturation, so that a word said three times around a turn is not three times the evidence, and the
 * session counts as a document of its own.
 */
export class ConversationIndex {
  readonly timeline: Timeline;
  /** Tokens per turn; NONE for a removed one. */
  readonly lengths = new Growable(Int32Array);
  /** Bit 0: the turn ends by asking; bit 1: it speaks of a time. */
  readonly flags = new Growable(Uint8Array);
  readonly terms: string[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #postings: Postings[] = [];
  /** Distinct term numbers of every turn, one after the other, and where each turn's begin. */
  readonly #termsOfTurns = new Growable(Int32Array);
  readonly #firstTerm = new Growable(Int32Array);
  readonly #sessionLengths = new Growable(Float64Array);
  #live = 0;
  #totalLength = 0;
  // Scratch of one query, kept to avoid an allocation of the whole collection per search.
  #pooled = new Float32Array(0);
  #touched = new Int32Array(0);

  constructor(timeline: Timeline) {
    this.timeline = timeline;
  }

  /** Turns in the index, removed ones not counted. */
  get size(): number {
    return this.#live;
  }

  get averageLength(): number {
    return this.#live === 0 ? 0 : this.#totalLength / this.#live;
  }

  /** Ordinals come in ascending order; the turn is on the timeline already. */
  add(ordinal: number, turn: TurnTerms): void {
    this.#firstTerm.set(ordinal, this.#termsOfTurns.length);
    for (const [term, count] of turn.counts) {
      const number = this.#numberOf(term);
      const postings = this.#postings[number]!;
      postings.turns.push(ordinal);
      postings.statements.push(Math.min(255, count.statements));
      postings.questions.push(Math.min(255, count.questions));
      postings.live++;
      this.#termsOfTurns.push(number);
    }
    this.lengths.set(ordinal, turn.length);
    this.flags.set(ordinal, (turn.asks ? 1 : 0) | (turn.temporal ? 2 : 0));
    this.#account(ordinal, turn.length, 1);
  }

  remove(ordinal: number): void {
    const length = this.lengths.at(ordinal);
    if (length === NONE || ordinal >= this.lengths.length) return;
    for (const number of this.#termNumbers(ordinal)) this.#postings[number]!.live--;
    this.#account(ordinal, -length, -1);
    this.lengths.set(ordinal, NONE);
  }

  isLive(ordinal: number): boolean {
    return ordinal < this.lengths.length && this.lengths.at(ordinal) !== NONE;
  }

  /** Live turns that say the term themselves. */
  documentFrequency(term: string): number {
    const number = this.#numbers.get(term);
    return number === undefined ? 0 : this.#postings[number]!.live;
  }

  inverseDocumentFrequency(frequency: number, total = this.#live): number {
    return Math.log(1 + (total - frequency + 0.5) / (frequency + 0.5));
  }

  /** Adds the score of every turn to `out` (one number per ordinal) and of every session to the returned array. */
  score(terms: readonly string[], weights: ConversationWeights, out: Float32Array): void {
    const sessions = new Float64Array(this.timeline.sessions.length);
    const liveSessions = this.timeline.liveSessions();
    for (const term of new Set(terms)) {
      const number = this.#numbers.get(term);
      if (number === undefined || this.#postings[number]!.live === 0) continue;
      this.#scoreTerm(this.#postings[number]!, weights, out, sessions, liveSessions);
    }
    const { data } = this.timeline.session;
    for (let ordinal = 0; ordinal < this.lengths.length; ordinal++)
      if (this.lengths.data[ordinal] !== NONE) out[ordinal]! += weights.session * sessions[data[ordinal]!]!;
  }

  toSections(): Sections {
    const live = Int32Array.from(this.#postings, (postings) => postings.live);
    const counts = Int32Array.from(this.#postings, (postings) => postings.turns.length);
    const total = counts.reduce((sum, count) => sum + count, 0);
    const turns = new Int32Array(total);
    const statements = new Uint8Array(total);
    const questions = new Uint8Array(total);
    let at = 0;
    for (const postings of this.#postings) {
      turns.set(postings.turns.values(), at);
      statements.set(postings.statements.values(), at);
      questions.set(postings.questions.values(), at);
      at += postings.turns.length;
    }
    const header = { format: 1, live: this.#live, totalLength: this.#totalLength, terms: this.terms };
    return new Map<string, Section>([
      ['conversation', { json: header }],
      ...Object.entries({ live, counts, turns, statements, questions }),
      ['lengths', this.lengths.values()],
      ['flags', this.flags.values()],
      ['termsOfTurns', this.#termsOfTurns.values()],
      ['firstTerm', this.#firstTerm.values()],
      ['sessionLengths', this.#sessionLengths.values()],
    ]);
  }

  /** Null when the sections are not those of an index over this timeline. */
  static fromSections(timeline: Timeline, sections: Sections): ConversationIndex | null {
    const header = sectionJson(sections, 'conversation', headerSchema);
    const integers = (name: string) => sectionArray(sections, name, Int32Array);
    const bytes = (name: string) => sectionArray(sections, name, Uint8Array);
    const [live, counts, turns] = [integers('live'), integers('counts'), integers('turns')];
    const [statements, questions, flags] = [bytes('statements'), bytes('questions'), bytes('flags')];
    const [lengths, firstTerm, termsOfTurns] = ['lengths', 'firstTerm', 'termsOfTurns'].map(integers);
    const sessionLengths = sectionArray(sections, 'sessionLengths', Float64Array);
    if (!header || !live || !counts || !turns || !statements || !questions) return null;
    if (!flags || !lengths || !firstTerm || !termsOfTurns || !sessionLengths) return null;
    const index = new ConversationIndex(timeline);
    index.#adoptPostings(header.terms, { live, counts, turns, statements, questions });
    index.lengths.adopt(lengths);
    index.flags.adopt(flags);
    index.#firstTerm.adopt(firstTerm);
    index.#termsOfTurns.adopt(termsOfTurns);
    index.#sessionLengths.adopt(sessionLengths);
    index.#live = header.live;
    index.#totalLength = header.totalLength;
    return index;
  }

  #adoptPostings(
    terms: readonly string[],
    columns: {
      live: Int32Array;
      counts: Int32Array;
      turns: Int32Array;
      statements: Uint8Array;
      questions: Uint8Array;
    },
  ): void {
    let start = 0;
    for (const [number, term] of terms.entries()) {
      const end = start + columns.counts[number]!;
      const postings = this.#postings[this.#numberOf(term)]!;
      postings.turns.adopt(columns.turns.subarray(start, end));
      postings.statements.adopt(columns.statements.subarray(start, end));
      postings.questions.adopt(columns.questions.subarray(start, end));
      postings.live = columns.live[number]!;
      start = end;
    }
  }

  #scoreTerm(
    postings: Postings,
    weights: ConversationWeights,
    out: Float32Array,
    sessions: Float64Array,
    liveSessions: number,
  ): void {
    const inSession = new Float64Array(sessions.length);
    const touched = this.#pool(postings, weights, inSession);
    const idf = this.inverseDocumentFrequency(postings.live) * (weights.k1 + 1);
    const pooled = this.#pooled;
    for (let position = 0; position < touched; position++) {
      const ordinal = this.#touched[position]!;
      const frequency = pooled[ordinal]!;
      out[ordinal]! += (idf * frequency) / (frequency + weights.k1);
      pooled[ordinal] = 0;
    }
    this.#scoreSessions(inSession, weights, sessions, liveSessions);
  }

  /** Spreads one term's frequencies over neighbours into the scratch; returns how many turns it touched. */
  #pool(postings: Postings, weights: ConversationWeights, inSession: Float64Array): number {
    this.#reserveScratch();
    const { forward, backward, ownQuestion, nextQuestion, b } = weights;
    const { next, previous, session } = this.timeline;
    const perToken = b / (this.averageLength || 1);
    const turns = postings.turns.data;
    let touched = 0;
    const give = (ordinal: number, amount: number) => {
      // A weight may be 0, and a turn that got nothing would be listed again and again.
      if (amount === 0) return;
      if (this.#pooled[ordinal] === 0) this.#touched[touched++] = ordinal;
      this.#pooled[ordinal]! += amount;
    };
    for (let position = 0; position < postings.turns.length; position++) {
      const ordinal = turns[position]!;
      const length = this.lengths.data[ordinal]!;
      if (length === NONE) continue;
      const statements = postings.statements.data[position]!;
      const questions = postings.questions.data[position]!;
      inSession[session.data[ordinal]!]! += statements + questions;
      const norm = 1 / (1 - b + perToken * length);
      const own = (statements + ownQuestion * questions) * norm;
      give(ordinal, own);
      let neighbour = next.data[ordinal]!;
      for (let step = 0; step < forward.length && neighbour !== NONE; step++) {
        give(neighbour, forward[step]! * (step === 0 ? (statements + nextQuestion * questions) * norm : own));
        neighbour = next.data[neighbour]!;
      }
      neighbour = previous.data[ordinal]!;
      for (let step = 0; step < backward.length && neighbour !== NONE; step++) {
        give(neighbour, backward[step]! * own);
        neighbour = previous.data[neighbour]!;
      }
    }
    return touched;
  }

  #scoreSessions(
    inSession: Float64Array,
    { k1, sessionB }: ConversationWeights,
    sessions: Float64Array,
    liveSessions: number,
  ): void {
    const average = this.#totalLength / (liveSessions || 1) || 1;
    let frequency = 0;
    for (const count of inSession) if (count > 0) frequency++;
    const idf = this.inverseDocumentFrequency(frequency, liveSessions) * (k1 + 1);
    for (let session = 0; session < inSession.length; session++) {
      const count = inSession[session]!;
      if (count === 0) continue;
      const norm = 1 - sessionB + (sessionB * this.#sessionLengths.at(session)) / average;
      sessions[session]! += (idf * count) / (count + k1 * norm);
    }
  }

  #account(ordinal: number, length: number, turns: number): void {
    const session = this.timeline.session.at(ordinal);
    const before = session < this.#sessionLengths.length ? this.#sessionLengths.at(session) : 0;
    this.#sessionLengths.set(session, before + length);
    this.#totalLength += length;
    this.#live += turns;
  }

  #reserveScratch(): void {
    if (this.#pooled.length >= this.lengths.length) return;
    const capacity = this.lengths.data.length;
    this.#pooled = new Float32Array(capacity);
    this.#touched = new Int32Array(capacity);
  }

  #termNumbers(ordinal: number): Int32Array {
    const end =
      ordinal + 1 < this.#firstTerm.length ? this.#firstTerm.at(ordinal + 1) : this.#termsOfTurns.length;
    return this.#termsOfTurns.data.subarray(this.#firstTerm.at(ordinal), end);
  }

  #numberOf(term: string): number {
    const known = this.#numbers.get(term);
    if (known !== undefined) return known;
    const number = this.terms.push(term) - 1;
    this.#numbers.set(term, number);
    this.#postings.push({
      turns: new Growable(Int32Array, 4),
      statements: new Growable(Uint8Array, 4),
      questions: new Growable(Uint8Array, 4),
      live: 0,
    });
    return number;
  }
}
