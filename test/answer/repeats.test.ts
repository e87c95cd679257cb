import { expect, it } from 'vitest';
import { repeats, toldWords } from '../../src/answer/memory-context.ts';

it.each<[text: string, other: string, isRepeated: boolean]>([
  ['Ines loves her old piano', 'I really love my old piano!', true],
  ['Ines has a dog', 'My dog is asleep.', true],
  ['Ines has a dog', 'My cat is asleep.', false],
  ['Ines lives in Ghent', 'I moved to Ghent last month.', false],
  ['Ines paid 30 euro', 'I paid 50 euro.', false],
  ['Ines', 'I moved to Ghent.', false],
  ['住在东京的安', '安喜欢东京', false],
])('%s / %s', (text, other, isRepeated) => {
  expect(repeats(toldWords(text), toldWords(other), toldWords('Ines'))).toBe(isRepeated);
});
