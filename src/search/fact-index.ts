import type { Milliseconds } from '../model/ids.ts';
import type { Fact } from '../model/nodes.ts';
import { signedWords } from '../util/signed-words.ts';
import { hasBegun, hasEnded } from '../util/validity.ts';
import { fold } from './analyzer.ts';
import { Growable } from './ordinals.ts';
import { type Section, type Sections, sectionArray } from './sections.ts';

/** The words of a statement without case, accents and punctuation: equal for equal statements. */
export function statementKey(statement: string): string {
  return [fold(statement), ...signedWords(statement)]
    .map((text, at) => (at === 0 ? text.replace(/[^\p{L}\p{N}]+/gu, ' ').trim() : text))
    .join(' ');
}

/** A 53-bit hash of a text. Two multiplicative hashes side by side, after MurmurHash3's finalizer. */
export function hashOf(text: string): number {
  let [a, b] = [0x9e3779b9, 0x85ebca6b];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit, 0xcc9e2d51) + a;
  }
  return (finish(b) & 0x1fffff) * 0x1_0000_0000 + finish(a);
}

function finish(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** Marks a removed statement: no hash is negative. */
const NO_STATEMENT = -1;

/**
 * Facts by statement, to find repeated statements (Mnemis §2.1, de-duplication). It stores hashes: the caller must
 * compare the statements of a hit.
 */
export class StatementIndex {
  readonly #hashes = new Growable(Float64Array);
  readonly #ordinals = new Map<number, number[]>();

  add(ordinal: number, statement: string): void {
    this.#set(ordinal, hashOf(statementKey(statement)));
  }

  remove(ordinal: number): void {
    const hash = ordinal < this.#hashes.length ? this.#hashes.at(ordinal) : NO_STATEMENT;
    if (hash === NO_STATEMENT) return;
    const left = (this.#ordinals.get(hash) ?? []).filter((each) => each !== ordinal);
    if (left.length === 0) this.#ordinals.delete(hash);
    else this.#ordinals.set(hash, left);
    this.#hashes.set(ordinal, NO_STATEMENT);
  }

  /** A number that live facts with the same words share; on a hash collision, others too. Null for a removed fact. */
  keyOf(ordinal: number): number | null {
    const hash = ordinal < this.#hashes.length ? this.#hashes.at(ordinal) : NO_STATEMENT;
    return hash === NO_STATEMENT ? null : hash;
  }

  /** Ordinals of live facts with the statement, ascending by arrival. */
  find(statement: string): readonly number[] {
    return this.#ordinals.get(hashOf(statementKey(statement))) ?? [];
  }

  toSections(): Sections {
    return new Map<string, Section>([['hashes', this.#hashes.values()]]);
  }

  /** Null if the sections are not those of a statement index. */
  static fromSections(sections: Sections): StatementIndex | null {
    const hashes = sectionArray(sections, 'hashes', Float64Array);
    if (hashes === null) return null;
    const index = new StatementIndex();
    for (const [ordinal, hash] of hashes.entries()) index.#set(ordinal, hash);
    return index;
  }

  #set(ordinal: number, hash: number): void {
    for (let gap = this.#hashes.length; gap < ordinal; gap++) this.#hashes.set(gap, NO_STATEMENT);
    this.#hashes.set(ordinal, hash);
    if (hash === NO_STATEMENT) return;
    const known = this.#ordinals.get(hash);
    if (known === undefined) this.#ordinals.set(hash, [ordinal]);
    else known.push(ordinal);
  }
}

/** Selects facts that had begun at one time and had not ended at another. */
interface ValidPeriod {
  /** Selects facts with a `validAt` not later than this; Infinity for all. */
  readonly begunBy: Milliseconds;
  /**
   * Selects facts with an `invalidAt` later than this or none; −Infinity for ended facts too, Infinity for facts
   * without an end.
   */
  readonly openAt: Milliseconds;
}

/** No end: every comparison with it is false. */
const OPEN = Number.NaN;
/** The beginning of a removed fact. */
const NEVER = Number.NaN;

/** When facts hold, by ordinal: `validAt` ≤ t < `invalidAt` (docs/design.md, "Time"). */
export class FactValidity {
  readonly #validAt = new Growable(Float64Array);
  readonly #invalidAt = new Growable(Float64Array);
  #ending = 0;

  /** Ordinals in use, removed ones included. */
  get length(): number {
    return this.#validAt.length;
  }

  /** Number of facts with an end, in the past or in the future. */
  get ending(): number {
    return this.#ending;
  }

  add(ordinal: number, { validAt, invalidAt }: Pick<Fact, 'validAt' | 'invalidAt'>): void {
    for (let gap = this.length; gap < ordinal; gap++) this.#set(gap, NEVER, OPEN);
    this.#set(ordinal, validAt, invalidAt ?? OPEN);
  }

  /** Moves the beginning of a fact, and sets or clears its end. */
  change(ordinal: number, { validAt, invalidAt }: Partial<Pick<Fact, 'validAt' | 'invalidAt'>>): void {
    if (ordinal >= this.length) return;
    const end = invalidAt === undefined ? this.#invalidAt.at(ordinal) : (invalidAt ?? OPEN);
    this.#set(ordinal, validAt ?? this.#validAt.at(ordinal), end);
  }

  remove(ordinal: number): void {
    if (ordinal < this.length) this.#set(ordinal, NEVER, OPEN);
  }

  validAt(ordinal: number): Milliseconds {
    return this.#validAt.at(ordinal);
  }

  /** NaN for a fact without an end. */
  invalidAt(ordinal: number): Milliseconds {
    return this.#invalidAt.at(ordinal);
  }

  hasEnd(ordinal: number): boolean {
    return !Number.isNaN(this.#invalidAt.at(ordinal));
  }

  isWithin(ordinal: number, { begunBy, openAt }: ValidPeriod): boolean {
    return hasBegun(this.#validAt.at(ordinal), begunBy) && !hasEnded(this.#invalidAt.at(ordinal), openAt);
  }

  /** 1 for every fact of the period, by ordinal; null if all live facts are in it. */
  select(period: ValidPeriod): Uint8Array | null {
    const { begunBy, openAt } = period;
    const keepsEnded = openAt === Number.NEGATIVE_INFINITY || this.#ending === 0;
    if (begunBy === Number.POSITIVE_INFINITY && keepsEnded) return null;
    const selected = new Uint8Array(this.length);
    const [starts, ends] = [this.#validAt.data, this.#invalidAt.data];
    for (let ordinal = 0; ordinal < selected.length; ordinal++)
      if (hasBegun(starts[ordinal]!, begunBy) && !hasEnded(ends[ordinal]!, openAt)) selected[ordinal] = 1;
    return selected;
  }

  toSections(): Sections {
    return new Map<string, Section>([
      ['validAt', this.#validAt.values()],
      ['invalidAt', this.#invalidAt.values()],
    ]);
  }

  /** Null if the sections are not those of the validity of facts. */
  static fromSections(sections: Sections): FactValidity | null {
    const validAt = sectionArray(sections, 'validAt', Float64Array);
    const invalidAt = sectionArray(sections, 'invalidAt', Float64Array);
    if (validAt === null || invalidAt?.length !== validAt.length) return null;
    const validity = new FactValidity();
    for (let ordinal = 0; ordinal < validAt.length; ordinal++)
      validity.#set(ordinal, validAt[ordinal]!, invalidAt[ordinal]!);
    return validity;
  }

  #set(ordinal: number, validAt: number, invalidAt: number): void {
    const hadEnd = ordinal < this.length && !Number.isNaN(this.#invalidAt.at(ordinal));
    this.#ending += (Number.isNaN(invalidAt) ? 0 : 1) - (hadEnd ? 1 : 0);
    this.#validAt.set(ordinal, validAt);
    this.#invalidAt.set(ordinal, invalidAt);
  }
}
