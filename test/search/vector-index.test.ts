import { describe, expect, it } from 'vitest';
import { InvalidInputError } from '../../src/errors/index.ts';
import { topK } from '../../src/search/top-k.ts';
import { VectorIndex } from '../../src/search/vector-index.ts';
import { roundedVector } from '../../src/util/rounded-vector.ts';
import { randomVector, seededRandom } from './random.ts';

function scoresOf(index: VectorIndex, query: Float32Array, length = index.ordinals): Float32Array {
  const scores = new Float32Array(length);
  index.score(query, scores);
  return scores;
}

const exact = (a: Float32Array, b: Float32Array): number =>
  a.reduce((sum, value, at) => sum + value * b[at]!, 0);

describe('VectorIndex', () => {
  it.each([1, 3, 16, 128, 255, 256, 1024])(
    'equals brute force with rounded vectors in float64, dimension %i',
    (dimension) => {
      const random = seededRandom(dimension);
      const vectors = Array.from({ length: 700 }, () => randomVector(random, dimension));
      vectors[5] = new Float32Array(dimension);
      const simd = new VectorIndex(dimension);
      const plain = new VectorIndex(dimension, { kernel: 'javascript' });
      for (const index of [simd, plain]) {
        vectors.forEach((vector, ordinal) => {
          index.set(ordinal, vector);
        });
        for (let ordinal = 0; ordinal < 700; ordinal += 7) index.remove(ordinal);
      }
      expect([simd.kernel, plain.kernel]).toEqual(['simd', 'javascript']);
      for (let round = 0; round < 5; round++) {
        const query = round === 4 ? new Float32Array(dimension) : randomVector(random, dimension);
        const scores = scoresOf(simd, query);
        expect(scores).toEqual(scoresOf(plain, query));
        vectors.forEach((vector, ordinal) => {
          if (ordinal % 7 === 0) expect(scores[ordinal]).toBe(Number.NEGATIVE_INFINITY);
          else expect(Math.abs(scores[ordinal]! - exact(query, roundedVector(vector)))).toBeLessThan(2e-5);
        });
        expect(simd.top(query, 20)).toEqual(topK(scores, 20));
      }
    },
  );

  it.each(['fastest', 'javascript'] as const)('gives the top of its scores (%s)', (kernel) => {
    const random = seededRandom(11);
    const centre = randomVector(random, 96);
    const kinds: Record<string, () => Float32Array> = {
      scattered: () => randomVector(random, 96),
      'of all sizes': () => randomVector(random, 96).map((value) => value * 10 ** (random() * 60 - 45)),
      'mostly equal': () => (random() < 0.9 ? centre : randomVector(random, 96)),
      tiny: () => randomVector(random, 96).map((value) => value * 1e-38),
    };
    for (const [kind, make] of Object.entries(kinds)) {
      const index = new VectorIndex(96, { kernel });
      for (let ordinal = 0; ordinal < 1_000; ordinal++) index.set(ordinal, make());
      for (let ordinal = 0; ordinal < 1_000; ordinal += 3) index.remove(ordinal);
      const only = Uint8Array.from({ length: 900 }, (_, ordinal) => ordinal % 2);
      for (const query of [make(), randomVector(random, 96), new Float32Array(96)]) {
        const scores = scoresOf(index, query);
        const few = scores.map((score, ordinal) => (only[ordinal] === 1 ? score : Number.NEGATIVE_INFINITY));
        for (const k of [1, 20, 600, 5_000]) {
          expect(index.top(query, k), `${kind}, k ${k}`).toEqual(topK(scores, k));
          expect(index.top(query, k, only), `${kind}, some, k ${k}`).toEqual(topK(few, k));
        }
      }
    }
  });

  it.each([256, 4_096])('scores vectors and queries of the greatest integers, dimension %i', (dimension) => {
    const ones = new Float32Array(dimension).fill(1);
    const index = new VectorIndex(dimension);
    for (let ordinal = 0; ordinal < 300; ordinal++)
      index.set(ordinal, ordinal % 2 === 0 ? ones : ones.map(() => -1));
    const scores = scoresOf(index, ones);
    expect(index.kernel).toBe('simd');
    expect(scores[0]! / dimension).toBeCloseTo(1, 4);
    expect(scores[1]).toBe(-scores[0]!);
  });

  it('omits removed rows from the top even if every score is below 0', () => {
    const random = seededRandom(12);
    const index = new VectorIndex(32);
    for (let ordinal = 0; ordinal < 3_000; ordinal++) {
      index.set(
        ordinal,
        randomVector(random, 32).map((value) => Math.abs(value) * (ordinal + 1)),
      );
    }
    for (let ordinal = 0; ordinal < 3_000; ordinal += 60) index.remove(ordinal);
    const query = new Float32Array(32).fill(-1);
    expect(index.top(query, 20)).toEqual(topK(scoresOf(index, query), 20));
  });

  it('erases the numbers of a removed row, and reuses its place', () => {
    const index = new VectorIndex(3);
    index.set(2, Float32Array.of(1, 2, 3));
    expect([index.size, index.ordinals, index.has(1), index.has(2)]).toEqual([1, 3, false, true]);
    expect(index.get(2)).toEqual(roundedVector(Float32Array.of(1, 2, 3)));
    expect([index.remove(2), index.remove(2), index.get(2)]).toEqual([true, false, null]);
    expect(index.toSections().get('integers')).toEqual(new Int8Array(9));
    expect(index.toSections().get('scales')).toEqual(new Float32Array(3));
    index.set(2, Float32Array.of(0, 0, 1));
    index.set(2, Float32Array.of(0, 1, 0));
    expect(index.size).toBe(1);
    const scores = scoresOf(index, Float32Array.of(5, 7, 9), 5);
    expect(scores[2]).toBeCloseTo(7, 3);
    expect(scores.fill(0, 2, 3)).toEqual(Float32Array.of(-Infinity, -Infinity, 0, -Infinity, -Infinity));
  });

  it('returns nothing if empty', () => {
    const index = new VectorIndex(2);
    expect(index.top(Float32Array.of(1, 0), 5)).toEqual([]);
    index.set(0, Float32Array.of(1, 0));
    for (const k of [0, -1, Number.NaN, 0.5]) expect(index.top(Float32Array.of(1, 0), k)).toEqual([]);
  });

  it('rejects sections that it could not have written', () => {
    const index = new VectorIndex(2);
    index.set(0, Float32Array.of(1, 0));
    index.set(1, Float32Array.of(0, 1));
    const good = index.toSections();
    const broken: [string, string, unknown][] = [
      ['too few numbers', 'integers', new Int8Array(3)],
      ['too few scales', 'scales', Float32Array.of(1)],
      ['a scale that is not finite', 'scales', Float32Array.of(1, Number.NaN)],
      ['a scale below 0', 'scales', Float32Array.of(1, -1)],
      ['a vector where there is none', 'present', Uint8Array.of(1, 0)],
      ['an impossible flag', 'present', Uint8Array.of(1, 2)],
      ['an impossible dimension', 'vector', { json: { format: 2, dimension: 0 } }],
      ['another format', 'vector', { json: { format: 1, dimension: 2 } }],
      ['another type', 'integers', new Uint8Array(4)],
    ];
    for (const [what, name, section] of broken) {
      expect(VectorIndex.fromSections(new Map(good).set(name, section as never)), what).toBeNull();
    }
    expect(VectorIndex.fromSections(good)).not.toBeNull();
  });

  it('rejects invalid input, and changes nothing', () => {
    const index = new VectorIndex(2);
    const bad = [
      Float32Array.of(1),
      Float32Array.of(1, Number.NaN),
      Float32Array.of(Infinity, 0),
      Float32Array.of(1e30, 0),
    ];
    for (const vector of bad) {
      expect(() => index.set(0, vector)).toThrow(InvalidInputError);
      expect(() => index.top(vector, 1)).toThrow(InvalidInputError);
    }
    expect(() => index.set(-1, Float32Array.of(1, 0))).toThrow(InvalidInputError);
    expect(() => new VectorIndex(0)).toThrow(InvalidInputError);
    expect([index.size, index.ordinals]).toEqual([0, 0]);
  });
});

it('takes as much memory as its rows need, even if they are few: every scope has several indexes', () => {
  const before = process.memoryUsage().arrayBuffers;
  const indexes = Array.from({ length: 200 }, () => {
    const index = new VectorIndex(256);
    for (let ordinal = 0; ordinal < 5; ordinal++) index.set(ordinal, new Float32Array(256).fill(1 / 16));
    return index;
  });
  const bytes = (process.memoryUsage().arrayBuffers - before) / indexes.length;
  expect(bytes).toBeLessThan(20_000); // a whole chunk of 256 rows has 66 kB
  expect(indexes.every((index) => index.size === 5)).toBe(true);
});
