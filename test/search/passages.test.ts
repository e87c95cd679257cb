import { describe, expect, it } from 'vitest';
import { analyze } from '../../src/search/analyzer.ts';
import { bestPassage, LONGEST_PASSAGE, passagesOf } from '../../src/search/passages.ts';

const FILLER = 'The meeting went on about budgets and chairs. ';
const weights = (words: Record<string, number>) =>
  new Map(Object.entries(words).map(([word, weight]) => [analyze(word)[0]!, weight]));
const textsOf = (text: string) => Array.from(passagesOf(text), ({ start, end }) => text.slice(start, end));

describe('the passages of a text', () => {
  it.each([
    ['sentences', FILLER.repeat(60)],
    ['lines', 'One line without a stop\n'.repeat(90)],
    ['one endless sentence', 'word '.repeat(700)],
    ['no space at all', '字'.repeat(2_000)],
    ['paragraphs', `${FILLER.repeat(9)}\n\n`.repeat(9)],
    ['a short text', FILLER],
    ['nothing', ''],
  ])('give the text together and are short: %s', (_, text) => {
    const passages = textsOf(text);
    expect(passages.join('')).toBe(text);
    for (const passage of passages) {
      expect(passage.length).toBeGreaterThan(0);
      expect(passage.length).toBeLessThanOrEqual(LONGEST_PASSAGE);
    }
  });

  it('end with a sentence, and with a paragraph that is long enough', () => {
    for (const passage of textsOf(FILLER.repeat(60))) expect(passage).toMatch(/chairs\.\s*$/);
    const paragraph = FILLER.repeat(9).trim();
    const passages = textsOf(`${paragraph}\n\n`.repeat(4))
      .map((each) => each.trim())
      .filter((each) => each !== '');
    expect(passages).toEqual(Array.from({ length: 4 }, () => paragraph));
  });
});

describe('the best passage of a long text', () => {
  const TEXT = `${FILLER.repeat(30)}Rosa sold her blue bicycle to a neighbour.\n\n${FILLER.repeat(30)}A bicycle stood there.`;

  it('says most of the words, without the white space around it', () => {
    const { start, end } = bestPassage(TEXT, weights({ bicycle: 2, neighbour: 3 }))!;
    expect(TEXT.slice(start, end)).toContain('sold her blue bicycle');
    expect(TEXT.slice(start, end)).toBe(TEXT.slice(start, end).trim());
  });

  it('prefers one rare word to a frequent one said often', () => {
    const { start, end } = bestPassage(TEXT, weights({ meeting: 0.1, budget: 0.1, bicycle: 4, stood: 1 }))!;
    expect(TEXT.slice(start, end)).toContain('A bicycle stood there.');
  });

  it.each([
    ['a short text', 'Rosa sold her bicycle.', weights({ bicycle: 1 })],
    ['a text without the words', TEXT, weights({ opera: 1 })],
    ['a question without words', TEXT, weights({})],
  ])('is null for %s', (_, text, terms) => {
    expect(bestPassage(text, terms)).toBeNull();
  });
});
