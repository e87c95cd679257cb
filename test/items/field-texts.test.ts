import { expect, it } from 'vitest';
import { textsAt } from '../../src/items/draft-items.ts';

const value = {
  title: 'A walk',
  author: { name: 'Ann', age: 34 },
  chapters: [{ text: 'one' }, { text: 'two', note: 'x' }, { text: '' }],
  tags: ['a', 'b'],
  empty: {},
  nothing: null,
};

it.each([
  ['title', ['A walk']],
  ['author.name', ['Ann']],
  ['author.age', ['34']],
  ['author', ['name: Ann\nage: 34']],
  ['chapters[*].text', ['one', 'two']],
  ['chapters[1].note', ['x']],
  ['chapters[-2].text', ['two']],
  ['chapters[7].text', []],
  ['tags[0]', ['a']],
  ['tags[*]', ['a', 'b']],
  ['tags', ['a\nb']],
  ['author.*', ['Ann', '34']],
  ['empty', []],
  ['nothing', []],
  ['missing.at.all', []],
  ['constructor.name', []],
  ['tags.length', []],
])('finds the texts at %s', (path, texts) => {
  expect(textsAt(value, path)).toEqual(texts);
});

it('takes all text of a value for $', () => {
  expect(textsAt({ likes: 'tea', cups: [1, 2], none: null }, '$')).toEqual(['likes: tea\ncups: 1, 2']);
  expect(textsAt({}, '$')).toEqual([]);
});
