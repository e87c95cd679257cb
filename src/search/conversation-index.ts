import { z } from 'zod';
import { type Bm25, inverseDocumentFrequency } from './lexical-index.ts';
import { Growable } from './ordinals.ts';
import { PostingPool } from './posting-pool.ts';
import { type Section, type Sections, sectionArray, sectionJson } from './sections.ts';
import { NONE, type Timeline } from './timeline.ts';
import { measuresOf, type TurnMeasures, type TurnTerms } from './turn-text.ts';

/** The weights of neighbouring turns and of the session; measured in docs/decisions/2026-11-21-a-turn-in-its-conversation.md. */
export interface ConversationWeights extends Bm25 {
  /** Weights of the words of a turn for the first, second … turn after it. */
  readonly forward: readonly number[];
  /** … and for those before it. */
  readonly backward: readonly number[];
  /** Factor for the words of a question in the turn that asks … */
  readonly ownQuestion: number;
  /** … and in the next turn, which answers. */
  readonly nextQuestion: number;
  /** BM25 of the whole session as one document: its weight and length normalisation. */
  readonly session: number;
  /** The same of the turn's topic segment: its weight; `sessionB` normalises its length too. */
  readonly topic: number;
  readonly sessionB: number;
}

/** Weights by session, for sessions of several kinds of talk. */
export interface WeightsBySession {
  readonly all: readonly ConversationWeights[];
  /** Place in `all` by the number of a session. */
  readonly of: Uint8Array;
}

/** The topic segment of each turn, as groups that count as documents. */
export interface TurnGroups {
  /** Number of the group by turn ordinal; NONE for a turn in none. */
  readonly of: Int32Array;
  /** Tokens by group; 0 for a group without live turns. */
  readonly lengths: Float64Array;
  /** Number of groups with live turns. */
  readonly live: number;
}

const headerSchema = z.object({
  format: z.literal(1),
  live: z.number().int().nonnegative(),
  totalLength: z.number().nonnegative(),
  terms: z.array(z.string()),
});

/** Groups with the sums of one query. */
interface ScoredGroups extends TurnGroups {
  readonly weightIn: (weights: ConversationWeights) => number;
  readonly scores: Float64Array;
  /** Occurrences of the current term, by group. */
  readonly counts: Float64Array;
}

function scored(groups: TurnGroups, weightIn: ScoredGroups['weightIn']): ScoredGroups {
  const { length } = groups.lengths;
  return { ...groups, weightIn, scores: new Float64Array(length), counts: new Float64Array(length) };
}

/**
 * The frequency of a term in a turn as one number: statements plus `QUESTION` times questions. Exact in a float32 while
 * neither exceeds `MOST`.
 */
const QUESTION = 4_096;
const MOST = QUESTION - 1;

interface PooledWeights {
  readonly all: readonly ConversationWeights[];
  readonly ofSession: Uint8Array;
  /** For each of `all`, `b` divided by the average length. */
  readonly perToken: readonly number[];
}

/** The turns that a store found for the words of a question. */
export interface FoundWords {
  /** Number of live turns with each term, of which `turns` may be a part. */
  readonly frequencies: ReadonlyMap<string, number>;
  /** By ascending ordinals. */
  readonly turns: readonly {
    readonly ordinal: number;
    readonly words: readonly {
      readonly term: string;
      readonly statements: number;
      readonly questions: number;
    }[];
  }[];
}

interface ConversationOptions {
  /** Whether the words of turns are kept; otherwise only their number. Default true. */
  readonly holdsWords?: boolean;
}

/**
 * BM25 over turns in their conversation: the term frequencies of neighbouring turns are pooled BEFORE saturation, so
 * that a word said three times around a turn does not count as three times the evidence. The session counts as one more
 * document.
 */
export class ConversationIndex {
  readonly timeline: Timeline;
  /** Tokens per turn; NONE for a removed one. */
  readonly lengths: Growable<Int32Array>;
  /** `TurnMeasures.signs` of each turn. */
  readonly flags: Growable<Uint8Array>;
  readonly terms: string[] = [];
  readonly #numbers = new Map<string, number>();
  /** The turns of each term with its frequency, including removed turns. */
  #postings = new PostingPool();
  /** Per term, the number of live turns that contain it. */
  readonly #frequencies = new Growable(Int32Array);
  /** Distinct term numbers of all turns, concatenated, and the start of each turn's. */
  readonly #termsOfTurns = new Growable(Int32Array);
  readonly #firstTerm = new Growable(Int32Array);
  readonly #sessionLengths: Growable<Float64Array>;
  readonly #holdsWords: boolean;
  /** The index that counts the turns, if this one has the words of one question. */
  readonly #whole: ConversationIndex | null;
  #live = 0;
  /** Whether removed turns have left words. */
  #hasRemains = false;
  #totalLength = 0;
  // Buffers of one query, reused so that a search does not allocate one value per turn.
  #pooled = new Float32Array(0);
  #touched = new Int32Array(0);

  constructor(
    timeline: Timeline,
    { holdsWords = true }: ConversationOptions = {},
    whole: ConversationIndex | null = null,
  ) {
    this.timeline = timeline;
    this.#holdsWords = holdsWords;
    this.#whole = whole;
    this.lengths = whole?.lengths ?? new Growable(Int32Array);
    this.flags = whole?.flags ?? new Growable(Uint8Array);
    this.#sessionLengths = whole === null ? new Growable(Float64Array) : whole.#sessionLengths;
  }

  /** Number of turns without removed ones. */
  get size(): number {
    return this.#whole?.size ?? this.#live;
  }

  get averageLength(): number {
    return this.size === 0 ? 0 : this.#tokens / this.size;
  }

  get #tokens(): number {
    return this.#whole === null ? this.#totalLength : this.#whole.#tokens;
  }

  /** The same turns with the words that were found for a question. */
  withWords({ turns, frequencies }: FoundWords): ConversationIndex {
    const index = new ConversationIndex(this.timeline, {}, this);
    for (const { ordinal, words } of turns)
      for (const { term, statements, questions } of words) {
        const amount = Math.min(statements, MOST) + QUESTION * Math.min(questions, MOST);
        index.#postings.append(index.#numberOf(term), ordinal, amount);
      }
    for (const [term, frequency] of frequencies) index.#frequencies.set(index.#numberOf(term), frequency);
    return index;
  }

  /** Requires ascending ordinals and a turn that is on the timeline already. */
  add(ordinal: number, terms: TurnTerms): void {
    this.addMeasured(ordinal, measuresOf(terms));
    if (!this.#holdsWords) return;
    this.#addCounts(ordinal, terms.statements, 1);
    this.#addCounts(ordinal, terms.questions, QUESTION);
  }

  /** Adds a turn without its words. */
  addMeasured(ordinal: number, { length, signs }: TurnMeasures): void {
    this.#firstTerm.set(ordinal, this.#termsOfTurns.length);
    this.lengths.set(ordinal, length);
    this.flags.set(ordinal, signs);
    this.#account(ordinal, length, 1);
  }

  /**
   * Adds the terms of a turn's statements (unit 1) or questions (unit `QUESTION`); fast even for a long turn with
   * 50,000 new terms.
   */
  #addCounts(ordinal: number, terms: ReadonlyMap<string, number>, unit: number): void {
    if (terms.size === 0) return;
    const postings = this.#postings;
    const numbers = new Int32Array(terms.size);
    let at = 0;
    for (const term of terms.keys()) {
      let number = this.#numbers.get(term);
      if (number === undefined) {
        number = this.terms.push(term) - 1;
        this.#numbers.set(term, number);
      }
      numbers[at++] = number;
    }
    postings.defineUpTo(this.terms.length);
    this.#frequencies.extendTo(this.terms.length);
    at = 0;
    for (const times of terms.values()) {
      const number = numbers[at++]!;
      const amount = unit * Math.min(times, MOST);
      const count = postings.counts.data[number]!;
      const last = postings.starts.data[number]! + count - 1;
      if (count > 0 && postings.slots[last] === ordinal) postings.frequencies[last]! += amount;
      else {
        postings.append(number, ordinal, amount);
        this.#frequencies.data[number]!++;
        this.#termsOfTurns.push(number);
      }
    }
  }

  remove(ordinal: number): void {
    const length = this.lengths.at(ordinal);
    if (length === NONE || ordinal >= this.lengths.length) return;
    for (const number of this.#termNumbers(ordinal)) this.#frequencies.data[number]!--;
    this.#hasRemains = true;
    this.#account(ordinal, -length, -1);
    this.lengths.set(ordinal, NONE);
  }

  /** Drops the words that removed turns leave behind, and the numbers of their terms. */
  dropRemoved(): void {
    if (!this.#hasRemains) return;
    this.#hasRemains = false;
    const former = this.#postings;
    const live = this.terms.flatMap((term, number) =>
      this.#frequencies.at(number) > 0 ? [{ term, number }] : [],
    );
    const renumbered = new Int32Array(this.terms.length).fill(NONE);
    for (const [number, each] of live.entries()) renumbered[each.number] = number;
    const counts = new Uint32Array(live.length);
    const slots: number[] = [];
    const amounts: number[] = [];
    for (const [number, each] of live.entries()) {
      const start = former.starts.at(each.number);
      for (let at = start; at < start + former.counts.at(each.number); at++) {
        if (!this.isLive(former.slots[at]!)) continue;
        slots.push(former.slots[at]!);
        amounts.push(former.frequencies[at]!);
        counts[number]!++;
      }
    }
    this.#postings = PostingPool.of(counts, Uint32Array.from(slots), Float32Array.from(amounts));
    this.#dropTermsOfRemoved(renumbered);
    this.#frequencies.adopt(Int32Array.from(live, ({ number }) => this.#frequencies.at(number)));
    this.terms.length = 0;
    this.#numbers.clear();
    for (const { term } of live) this.#numbers.set(term, this.terms.push(term) - 1);
  }

  #dropTermsOfRemoved(renumbered: Int32Array): void {
    const turns = this.#firstTerm.length;
    const firsts = new Int32Array(turns);
    const kept: number[] = [];
    for (let turn = 0; turn < turns; turn++) {
      firsts[turn] = kept.length;
      if (this.isLive(turn)) for (const number of this.#termNumbers(turn)) kept.push(renumbered[number]!);
    }
    this.#firstTerm.adopt(firsts);
    this.#termsOfTurns.adopt(Int32Array.from(kept));
  }

  isLive(ordinal: number): boolean {
    return ordinal < this.lengths.length && this.lengths.at(ordinal) !== NONE;
  }

  /** Live turns that contain the term themselves. */
  documentFrequency(term: string): number {
    const number = this.#numbers.get(term);
    return number === undefined ? 0 : this.#frequencies.at(number);
  }

  inverseDocumentFrequency(frequency: number, total = this.size): number {
    return inverseDocumentFrequency(frequency, total);
  }

  /** The live turns that have a term, by ascending ordinals, and how often each has it. */
  *postingsOf(term: string): Iterable<{ readonly ordinal: number; readonly frequency: number }> {
    const number = this.#numbers.get(term);
    if (number === undefined) return;
    const { starts, counts, slots, frequencies } = this.#postings;
    const end = starts.at(number) + counts.at(number);
    for (let at = starts.at(number); at < end; at++) {
      const ordinal = slots[at]!;
      if (this.lengths.data[ordinal] === NONE) continue;
      const statements = frequencies[at]! % QUESTION;
      yield { ordinal, frequency: statements + (frequencies[at]! - statements) / QUESTION };
    }
  }

  /**
   * Adds the score of every live turn to `out`, one number per ordinal.
   *
   * @param topics Needed where the weight of a topic is not 0.
   */
  score(
    terms: readonly string[],
    given: ConversationWeights | WeightsBySession,
    { out, topics }: { readonly out: Float32Array; readonly topics?: TurnGroups | undefined },
  ): void {
    const { all, of: ofSession } =
      'all' in given ? given : { all: [given], of: new Uint8Array(this.timeline.sessions.length) };
    const groups: ScoredGroups[] = [];
    if (all.some(({ session }) => session > 0))
      groups.push(scored(this.#sessions(), ({ session }) => session));
    if (all.some(({ topic }) => topic > 0) && topics !== undefined)
      groups.push(scored(topics, ({ topic }) => topic));
    const averages = this.averageLengths({ all, of: ofSession });
    const perToken = all.map(({ b }, place) => b / (averages[place]! || 1));
    const weights: PooledWeights = { all, ofSession, perToken };
    for (const term of new Set(terms)) {
      const number = this.#numbers.get(term);
      if (number === undefined || this.#frequencies.at(number) === 0) continue;
      this.#scoreTerm(number, weights, { out, groups });
    }
    const sessions = this.timeline.session.data;
    for (const { of, weightIn, scores } of groups) {
      const weightOf = all.map(weightIn);
      for (let ordinal = 0; ordinal < this.lengths.length; ordinal++)
        if (this.lengths.data[ordinal] !== NONE && of[ordinal]! !== NONE)
          out[ordinal]! += weightOf[ofSession[sessions[ordinal]!]!]! * scores[of[ordinal]!]!;
    }
  }

  /** The average length of the turns that have each of some weights, in tokens. */
  averageLengths({
    all,
    of,
  }: Pick<WeightsBySession, 'of'> & { readonly all: { readonly length: number } }): Float64Array {
    const tokens = new Float64Array(all.length);
    const turns = new Float64Array(all.length);
    for (let session = 0; session < of.length; session++) {
      tokens[of[session]!]! += this.#sessionLengths.at(session);
      turns[of[session]!]! += this.timeline.turnsOf.at(session);
    }
    return tokens.map((sum, place) => sum / (turns[place]! || 1));
  }

  #sessions(): TurnGroups {
    return {
      of: this.timeline.session.data,
      lengths: this.#sessionLengths.data,
      live: this.timeline.liveSessions(),
    };
  }

  /** The newest live turns with a term that are wanted, the newest first, at most `most`. */
  turnsWith(term: string, most: number, isWanted: (turn: number) => boolean): number[] {
    const number = this.#numbers.get(term);
    const turns: number[] = [];
    if (number === undefined) return turns;
    const { starts, counts, slots } = this.#postings;
    const start = starts.at(number);
    for (let at = start + counts.at(number) - 1; at >= start && turns.length < most; at--)
      if (this.isLive(slots[at]!) && isWanted(slots[at]!)) turns.push(slots[at]!);
    return turns;
  }

  toSections(): Sections {
    const { starts, counts, slots, frequencies } = this.#postings;
    const postingCounts = counts.values();
    const total = postingCounts.reduce((sum, count) => sum + count, 0);
    const turns = new Uint32Array(total);
    const amounts = new Float32Array(total);
    let to = 0;
    for (const [number, count] of postingCounts.entries()) {
      const start = starts.at(number);
      turns.set(slots.subarray(start, start + count), to);
      amounts.set(frequencies.subarray(start, start + count), to);
      to += count;
    }
    const header = { format: 1, live: this.#live, totalLength: this.#totalLength, terms: this.terms };
    return new Map<string, Section>([
      ['conversation', { json: header }],
      ...Object.entries({ postingCounts, turns, amounts }),
      ['frequencies', this.#frequencies.values()],
      ['lengths', this.lengths.values()],
      ['flags', this.flags.values()],
      ['termsOfTurns', this.#termsOfTurns.values()],
      ['firstTerm', this.#firstTerm.values()],
      ['sessionLengths', this.#sessionLengths.values()],
    ]);
  }

  /** Null if the sections are not those of an index over this timeline. */
  static fromSections(timeline: Timeline, sections: Sections): ConversationIndex | null {
    const header = sectionJson(sections, 'conversation', headerSchema);
    const integers = (name: string) => sectionArray(sections, name, Int32Array);
    const postingCounts = sectionArray(sections, 'postingCounts', Uint32Array);
    const turns = sectionArray(sections, 'turns', Uint32Array);
    const amounts = sectionArray(sections, 'amounts', Float32Array);
    const flags = sectionArray(sections, 'flags', Uint8Array);
    const [frequencies, lengths, firstTerm] = ['frequencies', 'lengths', 'firstTerm'].map(integers);
    const termsOfTurns = integers('termsOfTurns');
    const sessionLengths = sectionArray(sections, 'sessionLengths', Float64Array);
    if (!header || !postingCounts || !turns || !amounts || !frequencies) return null;
    if (!flags || !lengths || !firstTerm || !termsOfTurns || !sessionLengths) return null;
    const postings = postingCounts.reduce((sum, count) => sum + count, 0);
    if (turns.length !== postings || amounts.length !== postings) return null;
    if (postingCounts.length !== header.terms.length || frequencies.length !== header.terms.length)
      return null;
    const index = new ConversationIndex(timeline);
    for (const term of header.terms) index.#numberOf(term);
    index.#postings = PostingPool.of(postingCounts, turns, amounts);
    index.#frequencies.adopt(frequencies);
    index.lengths.adopt(lengths);
    index.flags.adopt(flags);
    index.#firstTerm.adopt(firstTerm);
    index.#termsOfTurns.adopt(termsOfTurns);
    index.#sessionLengths.adopt(sessionLengths);
    index.#live = header.live;
    index.#hasRemains = true; // unknown
    index.#totalLength = header.totalLength;
    return index;
  }

  #scoreTerm(
    term: number,
    weights: PooledWeights,
    { out, groups }: { readonly out: Float32Array; readonly groups: readonly ScoredGroups[] },
  ): void {
    for (const { counts } of groups) counts.fill(0);
    const touched = this.#pool(term, weights, groups);
    const idf = this.inverseDocumentFrequency(this.#frequencies.at(term));
    const pooled = this.#pooled;
    const { all, ofSession } = weights;
    const sessions = this.timeline.session.data;
    for (let position = 0; position < touched; position++) {
      const ordinal = this.#touched[position]!;
      const frequency = pooled[ordinal]!;
      const { k1 } = all[ofSession[sessions[ordinal]!]!]!;
      out[ordinal]! += (idf * (k1 + 1) * frequency) / (frequency + k1);
      pooled[ordinal] = 0;
    }
    for (const group of groups) this.#scoreGroups(group, all[0]!);
  }

  /** Adds one term's frequencies to the buffer of the turn and its neighbours; returns the number of turns touched. */
  #pool(term: number, { all, ofSession, perToken }: PooledWeights, groups: readonly ScoredGroups[]): number {
    this.#reserveScratch();
    const { next, previous, session } = this.timeline;
    const { starts, counts, slots, frequencies } = this.#postings;
    const end = starts.at(term) + counts.at(term);
    let touched = 0;
    const give = (ordinal: number, amount: number) => {
      // With a weight of 0 the turn would be listed repeatedly.
      if (amount === 0) return;
      if (this.#pooled[ordinal] === 0) this.#touched[touched++] = ordinal;
      this.#pooled[ordinal]! += amount;
    };
    for (let at = starts.at(term); at < end; at++) {
      const ordinal = slots[at]!;
      const length = this.lengths.data[ordinal]!;
      if (length === NONE) continue;
      const place = ofSession[session.data[ordinal]!]!;
      const { forward, backward, ownQuestion, nextQuestion, b } = all[place]!;
      const statements = frequencies[at]! % QUESTION;
      const questions = (frequencies[at]! - statements) / QUESTION;
      for (const { of, counts } of groups)
        if (of[ordinal]! !== NONE) counts[of[ordinal]!]! += statements + questions;
      const norm = 1 / (1 - b + perToken[place]! * length);
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

  /** Adds one term's BM25 of every group, each a document. */
  #scoreGroups({ counts, lengths, live, scores }: ScoredGroups, { k1, sessionB }: ConversationWeights): void {
    const average = this.#tokens / (live || 1) || 1;
    let frequency = 0;
    for (const count of counts) if (count > 0) frequency++;
    const idf = this.inverseDocumentFrequency(frequency, live) * (k1 + 1);
    for (let group = 0; group < counts.length; group++) {
      const count = counts[group]!;
      if (count === 0) continue;
      const norm = 1 - sessionB + (sessionB * lengths[group]!) / average;
      scores[group]! += (idf * count) / (count + k1 * norm);
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
    this.#postings.define(number);
    this.#frequencies.set(number, 0);
    return number;
  }
}
