import { describe, expect, it } from 'vitest';
import { InvalidInputError } from '../../src/errors/index.ts';
import { topK } from '../../src/search/top-k.ts';
import { VectorIndex } from '../../src/search/vector-index.ts';
import { randomVector, seededRandom } from './random.ts';

function scoresOf(index: VectorIndex, query: Float32Array, length = index.ordinals): Float32Array {
  const scores = new Float32Array(length);
  index.score(query, scores);
  return scores;
}

const exact = (a: Float32Array, b: Float32Array): number =>
  a.reduce((sum, value, at) => sum + value * b[at]!, 0);

describe('VectorIndex', () => {
  it.each([1, 3, 16, 128, 255, 256, 1024])('equals brute force in float64, dimension %i', (dimension) => {
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
        else expect(Math.abs(scores[ordinal]! - exact(query, vector))).toBeLessThan(1e-6);
      });
      expect(simd.top(query, 20)).toEqual(topK(scores, 20));
    }
  });

  it.each(['fastest', 'javascript'] as const)('gives the exact top through the filter (%s)', (kernel) => {
    const random = seededRandom(11);
    const centre = randomVector(random, 96);
    const kinds: Record<string, () => Float32Array> = {
      scattered: () => randomVector(random, 96),
      'close together': () => randomVector(random, 96).map((value, at) => value * 0.01 + centre[at]!),
      'with one large number': () => randomVector(random, 96).map((value, at) => (at === 7 ? 40 : value)),
      'of all sizes': () => randomVector(random, 96).map((value) => value * 10 ** (random() * 60 - 45)),
      'mostly equal': () => (random() < 0.9 ? centre : randomVector(random, 96)),
      tiny: () => randomVector(random, 96).map((value) => value * 1e-38),
    };
    for (const [kind, make] of Object.entries(kinds)) {
      const index = new VectorIndex(96, { kernel });
      for (let ordinal = 0; ordinal < 3_000; ordinal++) index.set(ordinal, make());
      for (let ordinal = 0; ordinal < 3_000; ordinal += 3) index.remove(ordinal);
      for (const query of [make(), make(), randomVector(random, 96), new Float32Array(96)]) {
        for (const k of [1, 20, 100, 1_900, 5_000]) {
          const wanted = topK(scoresOf(index, query), k);
          expect(index.top(query, k), `${kind}, k ${k}`).toEqual(wanted);
        }
      }
    }
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

  describe('gives the exact top even if rounded numbers mislead', () => {
    const far = (random: () => number) => Float32Array.from({ length: 96 }, () => -Math.floor(random() * 3));

    /** `near` rows among 3000, whose best the estimates of the sieve would miss without its bounds. */
    function expectExactTop(near: readonly Float32Array[], query: Float32Array, scale = 1): void {
      const random = seededRandom(near.length);
      const index = new VectorIndex(96);
      for (let at = 0; at < 3_000; at++) {
        const row = at % 15 === 0 && at / 15 < near.length ? near[at / 15]! : far(random);
        index.set(
          at,
          row.map((value) => value * scale),
        );
      }
      const wanted = scoresOf(
        index,
        query.map((value) => value * scale),
      );
      for (const k of [1, 2, 3, 5, 8, 20]) {
        expect(
          index.top(
            query.map((value) => value * scale),
            k,
          ),
        ).toEqual(topK(wanted, k));
      }
    }

    it('for rows whose rounding removes exactly the part that the query matches', () => {
      const query = Float32Array.from({ length: 96 }, (_, at) => (at === 0 ? 0 : 1));
      const hidden = Float32Array.from({ length: 96 }, (_, at) => (at === 0 ? 127 : 0.49));
      const shown = (ones: number) =>
        Float32Array.from({ length: 96 }, (_, at) => (at === 0 ? 127 : Number(at <= ones)));
      expectExactTop([hidden, ...Array.from({ length: 30 }, (_, ones) => shown(ones))], query);
    });

    it('for a query whose rounding removes the difference between rows', () => {
      const unit = 1 / 32_767;
      const query = Float32Array.from({ length: 96 }, (_, at) =>
        at === 0 ? 1 : at < 91 ? 0.49 * unit : unit,
      );
      const row = (sign: number) =>
        Float32Array.from({ length: 96 }, (_, at) => (at === 0 ? 1 : at < 91 ? sign : -sign));
      expectExactTop([row(1), ...Array.from({ length: 30 }, () => row(-1))], query);
    });

    it.each([
      ['float32 sums round', 1, 4, 20],
      ['float32 products underflow', 2 ** -82, 16, 100],
    ])('for rows that differ only in the part that is lost when %s', (_what, scale, smallQuery, smallRow) => {
      const random = seededRandom(21);
      const query = Float32Array.from({ length: 96 }, (_, at) =>
        at === 0
          ? 32_767
          : at < 60
            ? Math.floor(20_000 + random() * 12_000)
            : Math.floor(random() * smallQuery),
      );
      const base = query.map((_, at) => (at === 0 ? 127 : Math.floor(80 + random() * 40)));
      const near = Array.from({ length: 190 }, () =>
        base.map((value, at) => (at < 60 ? value : Math.floor(random() * smallRow))),
      );
      expectExactTop(near, query, scale);
    });
  });

  it('erases the numbers of a removed row, and reuses its place', () => {
    const index = new VectorIndex(3);
    index.set(2, Float32Array.of(1, 2, 3));
    expect([index.size, index.ordinals, index.has(1), index.has(2)]).toEqual([1, 3, false, true]);
    expect(index.get(2)).toEqual(Float32Array.of(1, 2, 3));
    expect([index.remove(2), index.remove(2), index.get(2)]).toEqual([true, false, null]);
    expect(index.toSections().get('vectors')).toEqual(new Float32Array(9));
    index.set(2, Float32Array.of(0, 0, 1));
    index.set(2, Float32Array.of(0, 1, 0));
    expect(index.size).toBe(1);
    expect(scoresOf(index, Float32Array.of(5, 7, 9), 5)).toEqual(
      Float32Array.of(-Infinity, -Infinity, 7, -Infinity, -Infinity),
    );
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
      ['too few numbers', 'vectors', new Float32Array(3)],
      ['a number that is not finite', 'vectors', Float32Array.of(1, Number.NaN, 0, 1)],
      ['a vector where there is none', 'present', Uint8Array.of(1, 0)],
      ['an impossible flag', 'present', Uint8Array.of(1, 2)],
      ['an impossible dimension', 'vector', { json: { format: 1, dimension: 0 } }],
      ['another type', 'vectors', new Uint32Array(4)],
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
  expect(bytes).toBeLessThan(100_000); // a whole chunk of 256 rows has 330 kB
  expect(indexes.every((index) => index.size === 5)).toBe(true);
});
