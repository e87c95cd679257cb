import { describe, expect, it } from 'vitest';
import { areBoundaries } from '../../../src/ingest/segment/segmenter.ts';
import {
  findMinima,
  SimilaritySegmenter,
  windowSimilarities,
} from '../../../src/ingest/segment/similarity-segmenter.ts';
import { cosine } from '../../../src/util/dot-product.ts';

import { withVector } from '../turns.ts';
import { segmenterContract } from './segmenter-contract.ts';

const [A, B, NONE] = [
  [1, 0],
  [0, 1],
  [0, 0],
];

function similarities(vectors: readonly number[][]): (number | null)[] {
  return windowSimilarities(
    vectors.map((vector) => Float32Array.from(vector)),
    3,
  );
}

function boundaries(vectors: readonly number[][]): Promise<readonly number[]> {
  return new SimilaritySegmenter().boundaries(vectors.map((vector) => withVector(vector)));
}

segmenterContract('SimilaritySegmenter', () => new SimilaritySegmenter());

describe('cosine', () => {
  it.each([
    [[3, 4], [6, 8], 1],
    [[1, 0], [0, 2], 0],
    [[1, 1], [-2, -2], -1],
    [[2, 1], [1, 2], 0.8],
  ])('of %j and %j is %d', (a, b, expected) => expect(cosine(a, b)).toBeCloseTo(expected, 12));

  it('is unknown without a direction', () => expect(cosine([0, 0], [1, 0])).toBeNull());
});

describe('windows of three turns', () => {
  it('are summed and shorter at the ends', () => {
    // (1,0)·(2,1)/√5, (2,0)·(1,2)/(2√5), then (3,0)·(0,3), and the mirror image.
    expect(similarities([A, A, A, B, B, B])).toEqual([0.894427, 0.447214, 0, 0.447214, 0.894427]);
  });

  it('have no value if there are only turns without features', () => {
    expect(similarities([NONE, A, A])).toEqual([null, 1]);
    expect(similarities([A, NONE, A])).toEqual([1, 1]);
    expect(similarities([NONE, NONE])).toEqual([null]);
  });

  it('have no boundary within one turn', () => {
    expect(similarities([])).toEqual([]);
    expect(similarities([A])).toEqual([]);
  });
});

describe('minima', () => {
  const options = { deviations: 0.5, margin: 1 };

  it('count only clearly below the mean', () => {
    // Mean 0.62, deviation 0.354: below 0.443.
    expect(findMinima([1, 0.9, 0.1, 0.8, 0.3], options)).toEqual([2]);
    // Mean 0.74, deviation 0.356: 0.6 is a minimum, but not below 0.562.
    expect(findMinima([1, 0.6, 1, 0.1, 1], options)).toEqual([3]);
  });

  it('count once in a flat valley, at its first place', () => {
    expect(findMinima([1, 0.2, 0.2, 0.2, 1, 1, 1], options)).toEqual([1]);
    expect(findMinima([1, 0.2, 0.2, 0.1, 1, 1, 1], options)).toEqual([3]);
  });

  it('ignore places without a number', () => {
    expect(findMinima([null, null, null], options)).toEqual([]);
    expect(findMinima([1, null, 0.1, null, 1], options)).toEqual([2]);
  });

  it('are not in the margin', () => expect(findMinima([0, 1, 1, 1, 0], options)).toEqual([]));
});

describe('boundaries', () => {
  it('are between turns i and i + 1', async () => {
    expect(await boundaries([A, A, A, B, B, B])).toEqual([2]);
    expect(await boundaries([A, A, A, A, B, B, B, B, A, A, A, A])).toEqual([3, 7]);
  });

  it.each([
    ['nothing', []],
    ['one turn', [A]],
    ['two different turns', [A, B]],
    ['three turns, which leave no room', [A, B, B]],
    ['one topic', [A, A, A, A, A]],
    ['turns without features', [NONE, NONE, NONE, NONE, NONE]],
  ])('are empty for %s', async (_, vectors) => expect(await boundaries(vectors)).toEqual([]));

  it('are not caused by rounding', async () => {
    const nearly = Array.from({ length: 30 }, (_, at) => [1, at * 1e-8, Math.sin(at) * 1e-7]);
    expect(await boundaries(nearly)).toEqual([]);
  });
});

it.each([
  [[], 0, true],
  [[], 1, true],
  [[1], 4, true],
  [[0], 4, false],
  [[2], 4, false],
  [[1, 2], 6, false],
  [[3, 1], 6, false],
  [[1.5], 6, false],
  [[9], 6, false],
])('areBoundaries %j of %i turns: %s', (found, turns, lawful) =>
  expect(areBoundaries(found, turns)).toBe(lawful),
);
