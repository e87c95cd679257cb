import { describe, expect, it } from 'vitest';
import { InvalidInputError } from '../../src/errors/index.ts';
import type { QueryTerm } from '../../src/search/analyzer.ts';
import { type LexicalField, LexicalIndex } from '../../src/search/lexical-index.ts';
import { PostingPool } from '../../src/search/posting-pool.ts';
import { topK } from '../../src/search/top-k.ts';
import { seededRandom } from './random.ts';

const split = (text: string): string[] => text.split(' ').filter((word) => word !== '');
type Documents = Map<number, readonly LexicalField[]>;

function frequencies(fields: readonly LexicalField[]): Map<string, number> {
  const found = new Map<string, number>();
  for (const { text, weight } of fields) {
    for (const term of split(text)) found.set(term, (found.get(term) ?? 0) + weight);
  }
  return found;
}

const lengthOf = (fields: readonly LexicalField[]): number =>
  fields.reduce((sum, { text, weight }) => sum + split(text).length * weight, 0);

/** BM25 by the textbook, in float64. */
function reference(
  documents: Documents,
  query: readonly QueryTerm[],
  k1: number,
  b: number,
): Map<number, number> {
  const all = [...documents].map(([ordinal, fields]) => ({
    ordinal,
    terms: frequencies(fields),
    length: lengthOf(fields),
  }));
  const average = all.reduce((sum, { length }) => sum + length, 0) / (all.length || 1) || 1;
  const scores = new Map<number, number>();
  for (const { ordinal, terms, length } of all) {
    let score = 0;
    for (const { term, weight } of query) {
      const frequency = terms.get(term) ?? 0;
      const holding = all.filter((other) => other.terms.has(term)).length;
      const idf = Math.log(1 + (all.length - holding + 0.5) / (holding + 0.5));
      const norm = k1 * (1 - b + (b * length) / average);
      if (frequency > 0) score += (weight * idf * frequency * (k1 + 1)) / (frequency + norm);
    }
    scores.set(ordinal, score);
  }
  return scores;
}

function randomFields(random: () => number): LexicalField[] {
  const text = () =>
    Array.from({ length: Math.floor(random() * 12) }, () => `w${Math.floor(random() ** 3 * 40)}`).join(' ');
  return [
    { text: text(), weight: 1 },
    { text: text(), weight: 2.5 },
    { text: text(), weight: 0.3 },
  ];
}

function build(documents: Documents): LexicalIndex {
  const index = new LexicalIndex({ analyze: split });
  for (const [ordinal, fields] of documents) index.add(ordinal, fields);
  return index;
}

function scoresOf(index: LexicalIndex, query: readonly QueryTerm[], length = index.ordinals): Float32Array {
  const scores = new Float32Array(length).fill(7);
  index.score(query, scores);
  return scores;
}

const query = ['w0', 'w1', 'w3', 'w9', 'w20', 'absent'].map((term, at) => ({ term, weight: 1 + at / 2 }));

describe('LexicalIndex', () => {
  it.each([
    { k1: 1.2, b: 0.75, seed: 1 },
    { k1: 1.2, b: 0, seed: 2 },
    { k1: 0, b: 0.75, seed: 3 },
    { k1: 2, b: 1, seed: 4 },
  ])('equals the textbook through random changes (k1 $k1, b $b)', ({ k1, b, seed }) => {
    const random = seededRandom(seed);
    const documents: Documents = new Map();
    const index = new LexicalIndex({ bm25: { k1, b }, analyze: split });
    for (let step = 0; step < 1_500; step++) {
      const ordinal = Math.floor(random() * 200);
      if (random() < 0.45) {
        expect(index.remove(ordinal)).toBe(documents.delete(ordinal));
      } else {
        const fields = randomFields(random);
        documents.delete(ordinal);
        documents.set(ordinal, fields);
        index.add(ordinal, fields);
      }
      if (step % 50 !== 49) continue;
      const expected = reference(documents, query, k1, b);
      const scores = scoresOf(index, query, 200);
      for (let at = 0; at < 200; at++) expect(scores[at]).toBeCloseTo(expected.get(at) ?? 0, 4);
      expect(index.size).toBe(documents.size);
      for (const { term } of query) {
        const holding = [...documents.values()].filter((fields) => frequencies(fields).has(term));
        expect(index.documentFrequency(term)).toBe(holding.length);
      }
    }
  });

  it('gives the scores of an index that never held the removed documents', () => {
    const random = seededRandom(5);
    const documents: Documents = new Map();
    for (let at = 0; at < 1_000; at++) documents.set(at, randomFields(random));
    const index = build(documents);
    for (const ordinal of [...documents.keys()]) {
      if (random() < 0.3) {
        index.remove(ordinal);
        documents.delete(ordinal);
      }
    }
    const fresh = build(documents);
    expect(scoresOf(index, query, 1_000)).toEqual(scoresOf(fresh, query, 1_000));
    expect(index.averageLength).toBe(fresh.averageLength);
  });

  it('compacts after many removals and stays correct', () => {
    const random = seededRandom(6);
    const documents: Documents = new Map();
    for (let at = 0; at < 2_000; at++) documents.set(at, randomFields(random));
    const index = build(documents);
    for (let at = 0; at < 1_990; at++) {
      index.remove(at);
      documents.delete(at);
    }
    expect(index.ordinals).toBe(2_000);
    expect(scoresOf(index, query)).toEqual(scoresOf(build(documents), query));
    index.add(3, [{ text: 'w0 again', weight: 1 }]);
    expect(index.documentFrequency('again')).toBe(1);
    expect(index.has(3)).toBe(true);
  });

  it('replaces a document, and a new term does not inherit the documents of a freed one', () => {
    const index = new LexicalIndex({ analyze: split });
    index.add(0, [{ text: 'alpha beta', weight: 1 }]);
    index.add(0, [{ text: 'gamma beta', weight: 1 }]);
    expect(['alpha', 'beta', 'gamma'].map((term) => index.documentFrequency(term))).toEqual([0, 1, 1]);
    index.add(1, [{ text: 'delta', weight: 1 }]);
    expect(index.top([{ term: 'alpha', weight: 1 }], 5)).toEqual([]);
    expect(index.top([{ term: 'delta', weight: 1 }], 5).map(({ ordinal }) => ordinal)).toEqual([1]);
  });

  it('keeps no word of a removed document', () => {
    const index = new LexicalIndex({ analyze: split });
    index.add(0, [{ text: 'kept', weight: 1 }]);
    index.add(1, [{ text: 'secret kept', weight: 1 }]);
    index.remove(1);
    expect(JSON.stringify([...index.toSections()])).not.toContain('secret');
  });

  it('gives the top documents that match, the lower ordinal first', () => {
    const index = new LexicalIndex();
    for (const at of [4, 1, 2]) index.add(at, [{ text: 'running dogs', weight: 1 }]);
    index.add(3, [{ text: 'cats', weight: 1 }]);
    const hits = index.top([{ term: 'dog', weight: 1 }], 10);
    expect(hits.map(({ ordinal }) => ordinal)).toEqual([1, 2, 4]);
    expect(hits).toEqual(topK(scoresOf(index, [{ term: 'dog', weight: 1 }]), 10, { above: 0 }));
  });

  it('scores the documents with rare terms alone, as all documents', () => {
    const index = new LexicalIndex();
    for (let ordinal = 0; ordinal < 50; ordinal++)
      index.add(ordinal, [
        { text: `tea ${ordinal % 10 === 3 ? 'kayak kayak' : 'walk'} w${ordinal}`, weight: 1 },
      ]);
    index.remove(13);
    const query = ['tea', 'kayak', 'w7'].map((term) => ({ term, weight: 2 }));
    const [all, rare] = [new Float32Array(50), new Float32Array(50)];
    index.score(query.slice(1), all);
    expect(index.scoreRare(query, 10, rare).sort((a, b) => a - b)).toEqual([3, 7, 23, 33, 43]);
    expect(rare).toEqual(all);
    expect(index.scoreRare(query, 0, new Float32Array(50))).toEqual([]);
  });

  it('rejects sections that it could not have written', () => {
    const index = new LexicalIndex({ analyze: split });
    index.add(0, [{ text: 'a b', weight: 1 }]);
    index.add(1, [{ text: 'b c', weight: 1 }]);
    const good = index.toSections();
    expect(LexicalIndex.fromSections(good)).not.toBeNull();
    const broken: [string, Parameters<typeof good.get>[0], unknown][] = [
      ['a slot beyond the documents', 'slots', new Uint32Array([0, 0, 1, 9])],
      ['slots out of order', 'slots', new Uint32Array([0, 1, 0, 1])],
      ['fewer postings than counted', 'slots', new Uint32Array([0, 0])],
      ['a count of nothing', 'counts', new Uint32Array([0, 3, 1])],
      ['two documents of one ordinal', 'ordinals', new Uint32Array([1, 1])],
      ['an infinite length', 'lengths', new Float32Array([1, Number.POSITIVE_INFINITY])],
      ['a frequency of nothing', 'frequencies', new Float32Array([1, 0, 1, 1])],
      ['another type', 'frequencies', new Uint32Array(4)],
      ['a term twice', 'lexical', { json: { format: 1, terms: ['a', 'a', 'c'] } }],
      ['another format', 'lexical', { json: { format: 2, terms: ['a', 'b', 'c'] } }],
      ['no header', 'lexical', undefined],
    ];
    for (const [what, name, section] of broken) {
      const sections = new Map(good);
      if (section === undefined) sections.delete(name);
      else sections.set(name, section as never);
      expect(LexicalIndex.fromSections(sections), what).toBeNull();
    }
  });

  it('reuses the room of emptied posting lists', () => {
    const pool = new PostingPool();
    for (let round = 0; round < 200; round++) {
      pool.define(round % 3);
      for (let slot = 0; slot < 300; slot++) pool.append(round % 3, slot, 1);
      pool.clear(round % 3);
    }
    expect(pool.slots.length).toBeLessThan(4_096);
  });

  it('rejects invalid input', () => {
    const index = new LexicalIndex();
    index.add(0, [{ text: 'dog', weight: 1 }]);
    expect(() => index.add(-1, [])).toThrow(InvalidInputError);
    expect(() => index.add(1, [{ text: 'x', weight: Number.NaN }])).toThrow(InvalidInputError);
    expect(() => index.score([], new Float32Array(0))).toThrow(InvalidInputError);
    expect(() => new LexicalIndex({ bm25: { k1: 1.2, b: 2 } })).toThrow(InvalidInputError);
    expect(index.size).toBe(1);
  });
});
