import { describe, expect, it } from 'vitest';
import { categoryKey, categoryNames } from '../../src/hierarchy/category-name.ts';

describe('names of categories', () => {
  it.each([
    ['Games, and hobbies', ['Games', 'Hobbies']],
    ['Food/drinks', ['Food', 'Drinks']],
    ['sports & games', ['Sports', 'Games']],
    ['Pets; plants', ['Pets', 'Plants']],
    ['R&B', ['R&B']],
    ['TCP/IP', ['TCP/IP']],
    ['A/B tests', ['A/B tests']],
    ['Sand castles', ['Sand castles']],
  ])('%s: two subjects are two categories', (proposed, names) => {
    expect(categoryNames(proposed)).toEqual(names);
  });

  it.each([
    ['Diseases', 'Disease'],
    ['Houses', 'House'],
    ['Movies', 'Movie'],
    ['Cities', 'City'],
    ['Boxes', 'Box'],
    ['Pies', 'Pie'],
    ['Exercises', 'exercise'],
    ['Caches', 'cache'],
    ['Dogs', 'dog'],
  ])('%s and %s have the same key', (one, other) => {
    expect(categoryKey(one)).toBe(categoryKey(other));
  });

  it.each([
    ['News', 'New'],
    ['Glass', 'Glas'],
    ['Cats', 'Cars'],
  ])('%s and %s have different keys', (one, other) => {
    expect(categoryKey(one)).not.toBe(categoryKey(other));
  });
});
