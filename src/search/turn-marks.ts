import type { Episode } from '../model/nodes.ts';
import { Growable } from './growable.ts';
import { type Section, type Sections, sectionArray } from './sections.ts';

const DROPPED = 1;
const VERIFIED = 2;

/** What ingestion found about turns, by ordinal: whether the memory gate let them in, and the self-check's word. */
export class TurnMarks {
  readonly #marks: Growable<Uint8Array>;

  constructor(marks = new Uint8Array()) {
    this.#marks = Growable.over(Uint8Array, marks);
  }

  set(ordinal: number, { gate, verified }: Partial<Pick<Episode, 'gate' | 'verified'>>): void {
    if (gate !== undefined) this.#mark(ordinal, DROPPED, gate === 'dropped');
    if (verified !== undefined) this.#mark(ordinal, VERIFIED, verified);
  }

  /** The memory gate found nothing in it worth keeping (MemORAI §3.1). */
  isDropped(ordinal: number): boolean {
    return ((this.#marks.data[ordinal] ?? 0) & DROPPED) !== 0;
  }

  /** The self-check at encoding confirmed a fact that cites it (GAM §3.3). */
  isVerified(ordinal: number): boolean {
    return ((this.#marks.data[ordinal] ?? 0) & VERIFIED) !== 0;
  }

  #mark(ordinal: number, bit: number, isSet: boolean): void {
    const marks = this.#marks.data[ordinal] ?? 0;
    this.#marks.set(ordinal, isSet ? marks | bit : marks & ~bit);
  }

  toSections(): Sections {
    return new Map<string, Section>([['marks', this.#marks.values()]]);
  }

  static fromSections(sections: Sections): TurnMarks | null {
    const marks = sectionArray(sections, 'marks', Uint8Array);
    return marks && new TurnMarks(marks);
  }
}
