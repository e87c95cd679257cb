import { Growable } from './growable.ts';
import { type Section, type Sections, sectionArray } from './sections.ts';
import { hashOf, statementKey } from './statement-key.ts';

/** Stands for "no statement": no hash is negative. */
const GONE = -1;

/**
 * Facts by what they state, so that what is said again is found at once (Mnemis §2.1, de-duplication). It holds
 * hashes: whoever acts on a hit compares the statements themselves.
 */
export class StatementIndex {
  readonly #hashes = new Growable(Float64Array);
  readonly #ordinals = new Map<number, number[]>();

  add(ordinal: number, statement: string): void {
    this.#set(ordinal, hashOf(statementKey(statement)));
  }

  remove(ordinal: number): void {
    const hash = ordinal < this.#hashes.length ? this.#hashes.at(ordinal) : GONE;
    if (hash === GONE) return;
    const left = (this.#ordinals.get(hash) ?? []).filter((each) => each !== ordinal);
    if (left.length === 0) this.#ordinals.delete(hash);
    else this.#ordinals.set(hash, left);
    this.#hashes.set(ordinal, GONE);
  }

  /** A number that live facts of the same words share, and very rarely others too; null for one that is gone. */
  keyOf(ordinal: number): number | null {
    const hash = ordinal < this.#hashes.length ? this.#hashes.at(ordinal) : GONE;
    return hash === GONE ? null : hash;
  }

  /** Ordinals of live facts that say so, ascending by arrival. */
  find(statement: string): readonly number[] {
    return this.#ordinals.get(hashOf(statementKey(statement))) ?? [];
  }

  toSections(): Sections {
    return new Map<string, Section>([['hashes', this.#hashes.values()]]);
  }

  /** Null when the sections are not those of a statement index. */
  static fromSections(sections: Sections): StatementIndex | null {
    const hashes = sectionArray(sections, 'hashes', Float64Array);
    if (hashes === null) return null;
    const index = new StatementIndex();
    for (const [ordinal, hash] of hashes.entries()) index.#set(ordinal, hash);
    return index;
  }

  #set(ordinal: number, hash: number): void {
    for (let gap = this.#hashes.length; gap < ordinal; gap++) this.#hashes.set(gap, GONE);
    this.#hashes.set(ordinal, hash);
    if (hash === GONE) return;
    const known = this.#ordinals.get(hash);
    if (known === undefined) this.#ordinals.set(hash, [ordinal]);
    else known.push(ordinal);
  }
}
