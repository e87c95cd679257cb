import { describe, expect, it } from 'vitest';
import { firstSentence, sentenceSpans, sentencesOf } from '../../src/util/sentences.ts';

/** Sentences are separated by " | ". */
const TEXTS = [
  'I live in Ghent. | My dog is Rex!',
  'My boss Dr. Otto Klein left. | We met at St. Anna’s church.',
  'Prof. Ana Ruiz and Mrs. Claes came. | Mr. T too.',
  'J. R. R. Tolkien wrote it. | I read it.',
  'I take vitamin C. | It helps.',
  'She works at Acme Inc. in Bonn. | She likes it.',
  'She works at Acme Inc. | She likes it.',
  'We met at 5 p.m. on Friday. | It rained.',
  'We met at 5 p.m. | It rained.',
  'I live on Main St. | My flat is small.',
  'It costs 3.50 euros. | See https://example.org/a.b for more.',
  'I like fruit, e.g. pears, vs. sweets. | You?',
  'Take No. 7. | Not on Jan. 3.',
  'He said: “I am here.” | Then he left. | (I stayed.) | Good!',
  'Well… | I do not know... | Maybe.',
  '我住在根特。 | 我有一只狗！ | 你呢？',
  '彼は「行く。」 | と言った。',
  'One line\n | Another line',
  'Is it? | Yes!! | No?!',
  'a.b.c is a file',
  'It was I. | Really.',
  'The U.S.A. is large. | She moved to Washington D.C. last year.',
  'Gen. Holt, Capt. Ruiz, Maj. Lee and Mme. Duval met at St. Olav’s.',
  'I saw my dr. | He is kind. | Hi hon. | I live in Ghent.',
  'Dr. Who is on. | I watch it.',
  'We met at 5 p.m. | Then it rained. | Also Ann came.',
  'It is 6 ft. long, from approx. 3 Main Rd. in Ghent.',
  'I live here since Sept. 2019. | It was warm in Sept. | Now it is cold.',
  'No. | I do not.',
  'Buy: 1. Flour. | 2. Eggs. | 3. Milk for St. Anne.',
  '1. Flour; 2. eggs, 3. milk. | I am 25. | I live in Ghent.',
  '“Great!” she said. | “Is it far?” he asked. | I (finally!) moved.',
  '"I am here." | "Me too!" | Hi! | how are you?',
];

describe('sentences', () => {
  it.each(TEXTS)('%s', (marked) => {
    const expected = marked.split(' | ');
    const isSpaceless = /[。！？]/u.test(marked);
    const text = expected.join(isSpaceless || marked.includes('\n') ? '' : ' ');
    expect(sentencesOf(text)).toEqual(expected.map((sentence) => sentence.trim()));
    for (const everyStop of [false, true]) {
      const spans = sentenceSpans(text, { everyStop });
      expect(Array.from(spans, ({ start, end }) => text.slice(start, end)).join('')).toBe(text);
    }
  });

  it('end at abbreviations too where every stop counts', () => {
    const text = 'My boss Dr. Otto Klein left.';
    const spans = sentenceSpans(text, { everyStop: true });
    expect(Array.from(spans, ({ start, end }) => text.slice(start, end))).toEqual([
      'My boss Dr.',
      ' Otto Klein left.',
    ]);
  });

  it('of nothing are none', () => expect([sentencesOf(''), sentencesOf(' \n ')]).toEqual([[], []]));

  it('begin with the first', () =>
    expect(['Dr. Klein left. He is ill.', 'No stop', '', ' \n '].map(firstSentence)).toEqual([
      'Dr. Klein left.',
      'No stop',
      '',
      '',
    ]));

  it('take linear time', () => {
    const count = (text: string) => sentencesOf(text).length;
    expect(count('a. '.repeat(100_000))).toBeGreaterThan(0);
    expect(count('.'.repeat(200_000))).toBeLessThan(3);
    expect(count('。'.repeat(200_000))).toBeLessThan(3);
    expect(count(`${'"'.repeat(200_000)}.`)).toBe(1);
    expect(count(' '.repeat(200_000))).toBe(0);
    expect(count(' \n'.repeat(100_000))).toBe(0);
    expect(count('Dr. '.repeat(100_000))).toBe(1);
    expect(count('1. '.repeat(100_000))).toBeGreaterThan(0);
  });
});
