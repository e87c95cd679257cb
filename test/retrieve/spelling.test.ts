import { describe, expect, it } from 'vitest';
import { capitalised, spelled, typingErrors } from '../../src/retrieve/spelling.ts';

const WORDS: Readonly<Record<string, number>> = {
  lena: 3,
  birthdai: 2,
  restaur: 4,
  drink: 2,
  vacat: 5,
  live: 9,
};
const read = (question: string, english: readonly string[] = []) =>
  spelled(question, {
    terms: Object.keys(WORDS),
    frequency: (term) => WORDS[term] ?? 0,
    isWord: async (word) => english.includes(word),
    isStem: async (word) => word === 'resaur' || word === 'liv',
  });

describe('a typing error', () => {
  it.each([
    ['Where does Lnea live?', 'Where does Lena live?'],
    ['Which drnik?', 'Which drink?'],
    ['Which restarant?', 'Which restaur?'],
  ])('“%s” is read as “%s”', async (question, expected) => expect(await read(question)).toBe(expected));

  it('is no word of the language that memory does not have', async () => {
    expect(await read('Which brink?', ['brink'])).toBe('Which brink?');
    expect(await read('Which drnk?')).toBe('Which drink?');
  });

  it('is no function word, which no index holds', async () => {
    const near = { beet: 4, frog: 4, they: 2 };
    const read = (question: string) =>
      spelled(question, {
        terms: Object.keys(near),
        frequency: (term) => (near as Readonly<Record<string, number>>)[term] ?? 0,
        isWord: async () => false,
        isStem: async () => false,
      });
    for (const question of ['Which cities has Ilan been to?', 'Which illnesses did they suffer from?'])
      expect(await read(question)).toBe(question);
  });

  it('is a word of questions without a letter, or a word that is no more than a stem', async () => {
    expect(await read('what is the nmae')).toBe('what is the name');
    expect(await read('where does lena liv', ['liv'])).toBe('where does lena live');
    expect(await read('which resaur', ['resaur'])).toBe('which restaur');
  });

  it('is no word of questions itself, beside another that is near', async () => {
    for (const question of [
      'Where do the kids study?',
      'What is her hobby?',
      'Is she working, does she work?',
    ])
      expect(await read(question)).toBe(question);
  });

  it('is a name in small letters, if the whole question is', () => {
    const nameOf = (word: string) => (word === 'ken' ? 'Ken' : undefined);
    expect(capitalised('whats kens dog and where is ken', nameOf)).toBe('whats Ken’s dog and where is Ken');
    expect(capitalised('It is beyond my ken', nameOf)).toBe('It is beyond my ken');
  });

  it('is not another short name', async () =>
    expect(await read('Where does Lana live?')).toBe('Where does Lana live?'));

  it.each([
    ['drnik', 'drink', 1],
    ['drin', 'drink', 1],
    ['drinkk', 'drink', 1],
    ['drank', 'drink', 1],
    ['rdikn', 'drink', 2],
    ['heron', 'drink', 3],
  ])('%s to %s: %d', (a, b, errors) => expect(typingErrors(a, b, 2)).toBe(errors));
});
