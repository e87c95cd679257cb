import { expect, it } from 'vitest';
import { statementKey } from '../../src/search/fact-index.ts';
import { signedWords } from '../../src/util/signed-words.ts';

it.each([
  ["Ann's blood type is O-.", ['o-']],
  ['A+ and AB−', ['a+', 'ab-']],
  ['C++, C# and .NET', ['c++', 'c#', '.net']],
  ['It is -5 °C in a 4* hotel', ['-5', '4*']],
  ['a 4.5* rating', ['4.5*']],
  ['a well-known self-made man - really', []],
  ['pages 3-5, 2+2, e-mail, co-op', []],
  ['He said no. Never', []],
])('%s', (text, words) => {
  expect(signedWords(text)).toEqual(words);
});

it('tells statements apart by a sign, and by no other mark', () => {
  const key = (value: string) => statementKey(`Ann's blood type is ${value}`);
  expect(new Set(['O', 'O-', 'O+'].map(key)).size).toBe(3);
  expect(key('O-')).toBe(key('O−.'));
  expect(key('zero')).toBe(key('zero!'));
});
