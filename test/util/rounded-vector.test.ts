import { describe, expect, it } from 'vitest';
import { decodeVector, encodeVector, isUsableVector, roundedVector } from '../../src/util/rounded-vector.ts';
import { randomVector, seededRandom } from '../search/random.ts';

describe('a rounded vector', () => {
  const random = seededRandom(5);
  const sizes = [1, 1e-3, 1e-29, 1e-34, 1e-40, 1e15];
  const vectors = sizes.flatMap((size) =>
    Array.from({ length: 200 }, () => randomVector(random, 256).map((value) => value * size)),
  );

  it('differs by at most half a step, and stays the same when it is rounded again', () => {
    for (const vector of vectors) {
      const rounded = roundedVector(vector);
      const largest = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
      const step = Math.max(largest / 127, 2 ** -107);
      expect(
        vector.every((value, at) => Math.abs(value - rounded[at]!) <= step * 0.51 + 127 * 2 ** -107),
      ).toBe(true);
      expect(roundedVector(rounded)).toEqual(rounded);
    }
  });

  it('has a byte for each number and three for the scale, and comes back bit for bit', () => {
    for (const vector of vectors) {
      const rounded = roundedVector(vector);
      const bytes = encodeVector(rounded);
      expect(bytes.length).toBe(256 + 3);
      expect(decodeVector(bytes)).toEqual(rounded);
    }
  });
});

describe('the bytes of a vector', () => {
  const random = seededRandom(6);

  it.each([
    ['is not rounded', randomVector(random, 64)],
    ['has an odd dimension', roundedVector(randomVector(random, 63))],
    ['has a number that is not finite', Float32Array.of(1, Number.NaN, Number.POSITIVE_INFINITY, 0)],
    ['has a negative zero', Float32Array.of(-0, 1)],
  ])('are its float32 numbers where it %s', (_, vector) => {
    const bytes = encodeVector(vector);
    expect(bytes.length).toBe(4 * vector.length);
    const decoded = decodeVector(bytes);
    expect([...decoded].every((value, at) => Object.is(value, vector[at]))).toBe(true);
    expect(decoded.length).toBe(vector.length);
  });

  it('are read at any place of a larger buffer, and as far as they go where they are cut', () => {
    const vector = roundedVector(randomVector(random, 6));
    const shifted = new Uint8Array(16);
    shifted.set(encodeVector(vector), 5);
    expect(decodeVector(shifted.subarray(5, 14))).toEqual(vector);
    for (let length = 0; length < 9; length++)
      expect(decodeVector(shifted.subarray(5, 5 + length))).toBeInstanceOf(Float32Array);
  });
});

it('a vector is usable where its length is finite and at most 1e18', () => {
  expect(isUsableVector(Float32Array.of(0, -1))).toBe(true);
  expect(
    [[Number.NaN], [Infinity], [1e30]].map((numbers) => isUsableVector(Float32Array.from(numbers))),
  ).toEqual([false, false, false]);
});
