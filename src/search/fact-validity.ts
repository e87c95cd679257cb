import type { Milliseconds } from '../model/ids.ts';
import type { Fact } from '../model/nodes.ts';
import { Growable } from './growable.ts';
import { type Section, type Sections, sectionArray } from './sections.ts';

/** Which facts are meant: those that had begun at one time and had not ended at another. */
export interface ValidPeriod {
  /** A fact has begun when `validAt` is not later; Infinity for whenever. */
  readonly begunBy: Milliseconds;
  /** A fact has ended when `invalidAt` is not later; −Infinity for ended ones too, Infinity for none that ends. */
  readonly openAt: Milliseconds;
}

/** Stands for "no end": it compares with nothing. */
const OPEN = Number.NaN;
/** The beginning of a fact that is gone. */
const GONE = Number.NaN;

/** When facts hold, by ordinal: `validAt` ≤ t < `invalidAt` (DESIGN §8.4). */
export class FactValidity {
  readonly #validAt = new Growable(Float64Array);
  readonly #invalidAt = new Growable(Float64Array);
  #ending = 0;

  /** Ordinals in use, removed ones included. */
  get length(): number {
    return this.#validAt.length;
  }

  /** Facts that have an end, wherever it lies. */
  get ending(): number {
    return this.#ending;
  }

  add(ordinal: number, { validAt, invalidAt }: Pick<Fact, 'validAt' | 'invalidAt'>): void {
    for (let gap = this.length; gap < ordinal; gap++) this.#set(gap, GONE, OPEN);
    this.#set(ordinal, validAt, invalidAt ?? OPEN);
  }

  /** Gives a fact another end, or none. */
  end(ordinal: number, invalidAt: Milliseconds | null): void {
    if (ordinal < this.length) this.#set(ordinal, this.#validAt.at(ordinal), invalidAt ?? OPEN);
  }

  remove(ordinal: number): void {
    if (ordinal < this.length) this.#set(ordinal, GONE, OPEN);
  }

  validAt(ordinal: number): Milliseconds {
    return this.#validAt.at(ordinal);
  }

  hasEnd(ordinal: number): boolean {
    return !Number.isNaN(this.#invalidAt.at(ordinal));
  }

  isWithin(ordinal: number, { begunBy, openAt }: ValidPeriod): boolean {
    return this.#validAt.at(ordinal) <= begunBy && !(this.#invalidAt.at(ordinal) <= openAt);
  }

  /** 1 for every fact of the period, by ordinal; null when no fact that is there need be left out. */
  select(period: ValidPeriod): Uint8Array | null {
    const { begunBy, openAt } = period;
    const keepsEnded = openAt === Number.NEGATIVE_INFINITY || this.#ending === 0;
    if (begunBy === Number.POSITIVE_INFINITY && keepsEnded) return null;
    const selected = new Uint8Array(this.length);
    const [starts, ends] = [this.#validAt.data, this.#invalidAt.data];
    for (let ordinal = 0; ordinal < selected.length; ordinal++)
      if (starts[ordinal]! <= begunBy && !(ends[ordinal]! <= openAt)) selected[ordinal] = 1;
    return selected;
  }

  toSections(): Sections {
    return new Map<string, Section>([
      ['validAt', this.#validAt.values()],
      ['invalidAt', this.#invalidAt.values()],
    ]);
  }

  /** Null when the sections are not those of the validity of facts. */
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
