import { z } from 'zod';
import { type Section, type Sections, sectionArray, sectionJson } from './sections.ts';

/** A lexical index as plain arrays, without removed documents: what a snapshot holds. */
export interface LexicalData {
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

/** Ordinals above this cannot come from a memory that fits a machine; they would only exhaust it. */
const MAXIMUM_ORDINAL = 2 ** 28;

export function lexicalSections(data: LexicalData): Sections {
  return new Map<string, Section>([
    ['lexical', { json: { format: FORMAT, terms: data.terms } }],
    ['counts', data.counts],
    ['slots', data.slots],
    ['frequencies', data.frequencies],
    ['ordinals', data.ordinals],
    ['lengths', data.lengths],
  ]);
}

/** Null when a section is missing or says something that no index could have written. */
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

/** The posting lists turned round: where each slot's terms begin, and the numbers of the terms. */
export function termsOfSlots({ counts, slots, ordinals }: LexicalData): {
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
