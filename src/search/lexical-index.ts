import { z } from 'zod';
import { InvalidInputError } from '../errors/index.ts';
import { analyze, type QueryTerm } from './analyzer.ts';
import { Growable } from './ordinals.ts';
import { PostingPool } from './posting-pool.ts';
import { type Section, type Sections, sectionArray, sectionJson } from './sections.ts';
import { type Hit, topK } from './top-k.ts';

/** A lexical index as plain arrays, without removed documents: the content of a snapshot. */
interface LexicalData {
  readonly terms: readonly string[];
  /** Postings per term. */
  readonly counts: Uint32Array;
  /** The postings of all terms, term after term: the document's slot, ascending within a term, … */
  readonly slots: Uint32Array;
  /** … and the term's weighted frequency in it. */
  readonly frequencies: Float32Array;
  /** Per slot: the document's ordinal, and its weighted number of terms. */
  readonly ordinals: Uint32Array;
  readonly lengths: Float32Array;
}

const FORMAT = 1;
const headerSchema = z.object({ format: z.literal(FORMAT), terms: z.array(z.string()) });

/** Larger ordinals exceed any real memory and would only exhaust RAM. */
const MAXIMUM_ORDINAL = 2 ** 28;

function lexicalSections(data: LexicalData): Sections {
  return new Map<string, Section>([
    ['lexical', { json: { format: FORMAT, terms: data.terms } }],
    ['counts', data.counts],
    ['slots', data.slots],
    ['frequencies', data.frequencies],
    ['ordinals', data.ordinals],
    ['lengths', data.lengths],
  ]);
}

/** Null if a section is missing or invalid. */
export function readLexicalSections(sections: Sections): LexicalData | null {
  const header = sectionJson(sections, 'lexical', headerSchema);
  const counts = sectionArray(sections, 'counts', Uint32Array);
  const slots = sectionArray(sections, 'slots', Uint32Array);
  const frequencies = sectionArray(sections, 'frequencies', Float32Array);
  const ordinals = sectionArray(sections, 'ordinals', Uint32Array);
  const lengths = sectionArray(sections, 'lengths', Float32Array);
  if (!header || !counts || !slots || !frequencies || !ordinals || !lengths) return null;
  const data = { terms: header.terms, counts, slots, frequencies, ordinals, lengths };
  return documentsFit(data) && postingsFit(data) ? data : null;
}

function documentsFit({ ordinals, lengths }: LexicalData): boolean {
  if (ordinals.length !== lengths.length) return false;
  if (!ordinals.every((ordinal) => ordinal <= MAXIMUM_ORDINAL)) return false;
  if (new Set(ordinals).size !== ordinals.length) return false;
  return lengths.every((length) => length >= 0 && length < Number.POSITIVE_INFINITY);
}

function postingsFit({ terms, counts, slots, frequencies, ordinals }: LexicalData): boolean {
  if (terms.length !== counts.length || new Set(terms).size !== terms.length) return false;
  if (slots.length !== frequencies.length) return false;
  let at = 0;
  for (const count of counts) {
    if (count === 0 || at + count > slots.length) return false;
    for (let previous = -1, end = at + count; at < end; at++) {
      const slot = slots[at]!;
      if (slot <= previous || slot >= ordinals.length) return false;
      if (!(frequencies[at]! > 0 && frequencies[at]! < Number.POSITIVE_INFINITY)) return false;
      previous = slot;
    }
  }
  return at === slots.length;
}

/** Inverts the posting lists: the start of each slot's terms, and the numbers of the terms. */
function termsOfSlots({ counts, slots, ordinals }: LexicalData): {
  readonly firsts: Uint32Array<ArrayBuffer>;
  readonly terms: Uint32Array<ArrayBuffer>;
} {
  const next = new Uint32Array(ordinals.length + 1);
  for (const slot of slots) next[slot + 1]!++;
  for (let slot = 0; slot < ordinals.length; slot++) next[slot + 1]! += next[slot]!;
  const firsts = next.slice(0, ordinals.length);
  const terms = new Uint32Array(slots.length);
  for (let term = 0, at = 0; term < counts.length; term++) {
    for (const end = at + counts[term]!; at < end; at++) terms[next[slots[at]!]!++] = term;
  }
  return { firsts, terms };
}

/** A part of a document; its terms count `weight` times (a name more than a summary). */
export interface LexicalField {
  readonly text: string;
  readonly weight: number;
}

interface LexicalOptions {
  /** Default `BM25_OF_DOCUMENTS`. */
  readonly bm25?: Bm25 | undefined;
  readonly analyze?: ((text: string) => readonly string[]) | undefined;
}

/** With fewer removed documents, a compaction does not pay off. */
const FEWEST_REMOVED = 64;

/**
 * BM25 over documents that the caller numbers with ordinals.
 *
 * score(d) = Σ weight(t) · idf(t) · f(k1 + 1) / (f + k1(1 − b + b·length(d)/average)), with idf as in `inverseDocumentFrequency`. Fields
 * are weighted before saturation: f and length are sums of the fields' own times their weights (Robertson, Zaragoza and
 * Taylor, CIKM 2004).
 *
 * Every document gets the next slot, so that posting lists stay sorted for any ordinals. A removed document gets an
 * infinite length, which makes its postings add exactly 0 until a compaction drops them. Frequencies and lengths are
 * updated immediately, and a term without documents is removed immediately.
 */
export class LexicalIndex {
  readonly #k1: number;
  readonly #b: number;
  readonly #analyze: (text: string) => readonly string[];
  #numbers = new Map<string, number>();
  #terms: string[] = [];
  #unusedTerms: number[] = [];
  readonly #documentFrequencies = new Growable(Uint32Array);
  #postings = new PostingPool();
  /** Per slot: ordinal, length, and the start of its terms in `#slotTerms`. */
  readonly #ordinals = new Growable(Uint32Array);
  readonly #lengths = new Growable(Float32Array);
  readonly #firstTerms = new Growable(Uint32Array);
  readonly #slotTerms = new Growable(Uint32Array);
  /** Per ordinal: its slot plus 1, 0 for none. */
  #slots = new Growable(Uint32Array);
  /** Whether every slot's number equals its ordinal, as when documents are added in order. */
  #inOrder = true;
  #size = 0;
  /** A sum of float32 values of similar size in float64 is exact, so removing a length restores the former sum. */
  #totalLength = 0;

  constructor(options: LexicalOptions = {}) {
    const { k1, b } = options.bm25 ?? BM25_OF_DOCUMENTS;
    this.#k1 = k1;
    this.#b = b;
    this.#analyze = options.analyze ?? analyze;
    if (!(this.#k1 >= 0 && this.#b >= 0 && this.#b <= 1)) {
      throw new InvalidInputError('BM25 needs a k1 of at least 0 and a b from 0 to 1');
    }
  }

  /** Number of documents. */
  get size(): number {
    return this.#size;
  }

  /** One more than the highest ordinal ever added: the length that `score` needs. */
  get ordinals(): number {
    return this.#slots.length;
  }

  /** Mean weighted number of terms per document. */
  get averageLength(): number {
    return this.#size === 0 ? 0 : this.#totalLength / this.#size;
  }

  has(ordinal: number): boolean {
    return ordinal < this.#slots.length && this.#slots.data[ordinal]! > 0;
  }

  /** The terms of the live documents. */
  terms(): Iterable<string> {
    return this.#numbers.keys();
  }

  documentFrequency(term: string): number {
    const number = this.#numbers.get(term);
    return number === undefined ? 0 : this.#documentFrequencies.data[number]!;
  }

  /**
   * Adds a document, or replaces the one with its ordinal. Fields with a weight of 0 are skipped.
   * @throws InvalidInputError for a weight that is neither 0 nor from 0.000001 to 1000000, or an ordinal that is not a
   * whole number.
   */
  add(ordinal: number, fields: readonly LexicalField[]): void {
    if (!Number.isInteger(ordinal) || ordinal < 0) {
      throw new InvalidInputError('An ordinal must be a whole number from 0');
    }
    if (fields.some(({ weight }) => weight !== 0 && !(weight >= 1e-6 && weight <= 1e6))) {
      throw new InvalidInputError('The weight of a field must be 0, or from 0.000001 to 1000000');
    }
    this.remove(ordinal);
    const slot = this.#ordinals.length;
    this.#firstTerms.push(this.#slotTerms.length);
    let length = 0;
    for (const { text, weight } of fields) {
      if (weight > 0) length += this.#addTerms(slot, this.#analyze(text), weight);
    }
    this.#ordinals.push(ordinal);
    this.#lengths.push(length);
    this.#slots.set(ordinal, slot + 1);
    this.#inOrder &&= slot === ordinal;
    this.#size++;
    this.#totalLength += this.#lengths.data[slot]!;
  }

  /** Removes a document; false if there was none. Takes time linear in its terms, sometimes plus a compaction. */
  remove(ordinal: number): boolean {
    if (!this.has(ordinal)) return false;
    const slot = this.#slots.data[ordinal]! - 1;
    const end =
      slot + 1 < this.#firstTerms.length ? this.#firstTerms.data[slot + 1]! : this.#slotTerms.length;
    for (let at = this.#firstTerms.data[slot]!; at < end; at++) this.#releaseTerm(this.#slotTerms.data[at]!);
    this.#slots.data[ordinal] = 0;
    this.#totalLength -= this.#lengths.data[slot]!;
    this.#lengths.data[slot] = Number.POSITIVE_INFINITY;
    this.#size--;
    const removed = this.#ordinals.length - this.#size;
    if (removed > Math.max(FEWEST_REMOVED, this.#size)) this.#load(this.#data());
    return true;
  }

  /**
   * Writes the score of every ordinal; 0 without a document or a common term.
   * @throws InvalidInputError when `out` is shorter than `ordinals`.
   */
  score(query: readonly QueryTerm[], out: Float32Array): void {
    if (out.length < this.#slots.length) {
      throw new InvalidInputError(
        `Scores of ${this.#slots.length} ordinals do not fit into ${out.length} places`,
      );
    }
    out.fill(0);
    if (this.#inOrder) {
      for (const { term, weight } of query) this.#accumulate(term, weight, out);
      return;
    }
    const scores = new Float32Array(this.#ordinals.length);
    for (const { term, weight } of query) this.#accumulate(term, weight, scores);
    for (let slot = 0; slot < scores.length; slot++) {
      if (scores[slot]! !== 0) out[this.#ordinals.data[slot]!] = scores[slot]!;
    }
  }

  /**
   * Adds to `out`, which must be 0, the scores of the documents with terms that at most `limit` documents have. Takes
   * time linear in their number.
   *
   * @returns the ordinals of these documents, each once.
   */
  scoreRare(query: readonly QueryTerm[], limit: number, out: Float32Array): number[] {
    const found: number[] = [];
    for (const { term, weight } of query) {
      const frequency = this.documentFrequency(term);
      if (frequency === 0 || frequency > limit) continue;
      const { slots, frequencies, start, end, factor, fixed, perLength } = this.#scoring(term, weight)!;
      for (let at = start; at < end; at++) {
        const count = frequencies[at]!;
        const score = (factor * count) / (count + fixed + perLength * this.#lengths.data[slots[at]!]!);
        if (score === 0) continue; // removed
        const ordinal = this.#ordinals.data[slots[at]!]!;
        if (out[ordinal] === 0) found.push(ordinal);
        out[ordinal]! += score;
      }
    }
    return found;
  }

  /** The k best documents with a score above 0, best first; at equal scores the lower ordinal first. */
  top(query: readonly QueryTerm[], k: number, isWanted: (ordinal: number) => boolean = () => true): Hit[] {
    const scores = new Float32Array(this.#slots.length);
    this.score(query, scores);
    const wanted = scores.map((score, ordinal) => (score > 0 && isWanted(ordinal) ? score : 0));
    return topK(wanted, k, { above: 0 });
  }

  /** The index for a snapshot, without any data of removed documents. */
  toSections(): Sections {
    return lexicalSections(this.#data());
  }

  /** Null if the sections are not those of a lexical index. Options are not part of a snapshot. */
  static fromSections(sections: Sections, options: LexicalOptions = {}): LexicalIndex | null {
    const data = readLexicalSections(sections);
    if (data === null) return null;
    const index = new LexicalIndex(options);
    index.#load(data);
    return index;
  }

  #addTerms(slot: number, terms: readonly string[], weight: number): number {
    const postings = this.#postings;
    for (const term of terms) {
      const number = this.#numberOf(term);
      const last = postings.starts.data[number]! + postings.counts.data[number]! - 1;
      if (postings.counts.data[number]! > 0 && postings.slots[last] === slot) {
        postings.frequencies[last]! += weight;
      } else {
        postings.append(number, slot, weight);
        this.#documentFrequencies.data[number]!++;
        this.#slotTerms.push(number);
      }
    }
    return terms.length * weight;
  }

  #numberOf(term: string): number {
    const known = this.#numbers.get(term);
    if (known !== undefined) return known;
    const number = this.#unusedTerms.pop() ?? this.#terms.length;
    this.#terms[number] = term;
    this.#numbers.set(term, number);
    this.#documentFrequencies.set(number, 0);
    this.#postings.define(number);
    return number;
  }

  #releaseTerm(number: number): void {
    if (--this.#documentFrequencies.data[number]! > 0) return;
    this.#postings.clear(number);
    this.#numbers.delete(this.#terms[number]!);
    this.#terms[number] = '';
    this.#unusedTerms.push(number);
  }

  #accumulate(term: string, weight: number, scores: Float32Array): void {
    const scoring = this.#scoring(term, weight);
    if (scoring === null) return;
    const { slots, frequencies, start, end, factor, fixed, perLength } = scoring;
    const lengths = this.#lengths.data;
    for (let at = start; at < end; at++) {
      const slot = slots[at]!;
      const count = frequencies[at]!;
      scores[slot]! += (factor * count) / (count + fixed + perLength * lengths[slot]!);
    }
  }

  /**
   * The postings of a term, and the numbers of its score: factor · f / (f + fixed + perLength · length). Both loops
   * compute it themselves, since a function for each posting would take half as long again.
   */
  #scoring(term: string, weight: number) {
    const number = this.#numbers.get(term);
    if (number === undefined) return null;
    const { slots, frequencies, starts, counts } = this.#postings;
    const start = starts.data[number]!;
    const idf = inverseDocumentFrequency(this.#documentFrequencies.data[number]!, this.#size);
    return {
      slots,
      frequencies,
      start,
      end: start + counts.data[number]!,
      factor: weight * idf * (this.#k1 + 1),
      fixed: this.#k1 * (1 - this.#b),
      // Never 0: multiplied by the infinite length of a removed document it would be NaN.
      perLength: Math.max((this.#k1 * this.#b) / (this.averageLength || 1), 1e-290),
    };
  }

  /** The live documents and terms as plain arrays, with slots renumbered in order. */
  #data(): LexicalData {
    const renumbered = new Int32Array(this.#ordinals.length).fill(-1);
    const live: number[] = [];
    for (let slot = 0; slot < renumbered.length; slot++) {
      if (this.#lengths.data[slot]! < Number.POSITIVE_INFINITY) renumbered[slot] = live.push(slot) - 1;
    }
    const numbers = [...this.#numbers.values()];
    const counts = Uint32Array.from(numbers, (number) => this.#documentFrequencies.data[number]!);
    const total = counts.reduce((sum, count) => sum + count, 0);
    const slots = new Uint32Array(total);
    const frequencies = new Float32Array(total);
    const postings = this.#postings;
    let to = 0;
    for (const number of numbers) {
      const start = postings.starts.data[number]!;
      for (let at = start; at < start + postings.counts.data[number]!; at++) {
        const slot = renumbered[postings.slots[at]!]!;
        if (slot < 0) continue;
        slots[to] = slot;
        frequencies[to++] = postings.frequencies[at]!;
      }
    }
    return {
      terms: [...this.#numbers.keys()],
      counts,
      slots,
      frequencies,
      ordinals: Uint32Array.from(live, (slot) => this.#ordinals.data[slot]!),
      lengths: Float32Array.from(live, (slot) => this.#lengths.data[slot]!),
    };
  }

  #load(data: LexicalData): void {
    const highest = this.#slots.length;
    this.#terms = [...data.terms];
    this.#numbers = new Map(data.terms.map((term, number) => [term, number]));
    this.#unusedTerms = [];
    this.#documentFrequencies.adopt(data.counts.slice());
    this.#postings = PostingPool.of(data.counts, data.slots, data.frequencies);
    this.#ordinals.adopt(data.ordinals.slice());
    this.#lengths.adopt(data.lengths.slice());
    const { firsts, terms } = termsOfSlots(data);
    this.#firstTerms.adopt(firsts);
    this.#slotTerms.adopt(terms);
    this.#slots = new Growable(Uint32Array, highest);
    if (highest > 0) this.#slots.set(highest - 1, 0);
    data.ordinals.forEach((ordinal, slot) => {
      this.#slots.set(ordinal, slot + 1);
    });
    this.#inOrder = data.ordinals.every((ordinal, slot) => ordinal === slot);
    this.#size = data.ordinals.length;
    this.#totalLength = data.lengths.reduce((sum, length) => sum + length, 0);
  }
}

/** The settings of BM25 (Robertson and Zaragoza, 2009). */
export interface Bm25 {
  /** Saturation: how soon repetitions of a term stop counting; at least 0. */
  readonly k1: number;
  /** Length normalization, from 0 to 1. */
  readonly b: number;
}

/** Facts, profiles, segments and stored items. */
export const BM25_OF_DOCUMENTS: Bm25 = { k1: 1.2, b: 0.75 };

/** Turns; each session also counts as one document, with its own `b`. */
export const BM25_OF_TURNS: Bm25 & { readonly sessionB: number } = { k1: 1.2, b: 0.4, sessionB: 0.5 };

/**
 * The weight of a term: ln(1 + (N − n + 0.5) / (n + 0.5)), never negative.
 *
 * @param frequency n, the number of texts with the term.
 * @param total N, the number of all texts.
 */
export function inverseDocumentFrequency(frequency: number, total: number): number {
  return Math.log(1 + (total - frequency + 0.5) / (frequency + 0.5));
}
