import { describe, expect, it } from 'vitest';
import { analyze, analyzeQuery, clearAnalyzerCache } from '../../src/search/analyzer.ts';

const cases: readonly (readonly [what: string, text: string, terms: readonly string[]])[] = [
  ['stems, lower case, no stop words', 'The Dogs were Running', ['dog', 'run']],
  ['folds accents', 'café Zoë Łódź straße', ['cafe', 'zoe', 'lodz', 'strass']],
  ['folds compatibility forms', 'ＡＢＣ ﬁne 𝓗𝓮𝓵𝓵𝓸', ['abc', 'fine', 'hello']],
  ['decomposed and composed are one', 'Cafe\u0301', ['cafe']],
  ['keeps dates, and their months and years', 'on 2023-05-07', ['2023-05-07', '2023-05', '2023']],
  ['reads timestamps', '2023-05-07T10:30:00Z', ['2023-05-07', '2023-05', '2023', '10:30']],
  ['keeps slashed dates and times whole', '5/7/2023 at 10:30', ['5/7/2023', '2023', '10:30']],
  ['keeps decimals and ordinals', '3.5 km, 7th', ['3.5', 'km', '7th']],
  ['drops separators of thousands', '1,000,000 and 2,500.75', ['1000000', '2500.75']],
  ['does not join a list of numbers', 'rooms 2, 3', ['room', '2', '3']],
  ['drops the possessive', "Caroline's dog’s James'", ['carolin', 'dog', 'jame']],
  ['names whole and by part', 'O’Brien', ['obrien', 'brien']],
  ['hyphens whole and by part', 'Jean-Luc', ['jeanluc', 'jean', 'luc']],
  ['parts that are stop words are left out', 'mother-in-law', ['motherinlaw', 'mother', 'law']],
  ['letters with digits', 'GPT-4 B12', ['gpt4', 'gpt', '4', 'b12']],
  ['contractions say nothing', "I'm sure we'll see, don't you", ['sure', 'see']],
  ['initials', 'U.S.A. e.g.', ['usa', 'eg']],
  ['e-mail addresses', 'bob.smith@gmail.com', ['bob.smith@gmail.com', 'bob', 'smith', 'gmail', 'com']],
  ['web addresses', 'https://www.example.com/path', ['www.example.com', 'exampl', 'com', 'path']],
  ['handles and tags', '@mel #LGBTQ', ['mel', 'lgbtq']],
  ['Han and kana: characters and pairs', '黒猫だ', ['黒', '黒猫', '猫', '猫だ', 'だ']],
  ['half-width and decomposed kana', 'ｶﾞ カ\u3099', ['ガ', 'ガ']],
  ['Hangul, composed and decomposed', '한국 한국', ['한', '한국', '국', '한', '한국', '국']],
  ['scripts side by side', '東京2020', ['東', '東京', '京', '2020']],
  ['other alphabets stay whole', 'Привет नमस्ते', ['привет', 'नमस्ते']],
  ['emoji without modifiers', 'I ❤️ 🍕👩🏽‍💻', ['❤', '🍕', '👩', '💻']],
  ['flags are pairs', '🇩🇪🇫🇷 🇩', ['🇩🇪', '🇫🇷']],
  ['lone surrogates separate', 'dog\ud800cat\udc00', ['dog', 'cat']],
  ['a text of stop words keeps them', 'that is it', ['that', 'is', 'it']],
  ['nothing', ' \n…!?', []],
];

describe('analyze', () => {
  it.each(cases)('%s', (_what, text, terms) => {
    expect(analyze(text)).toEqual(terms);
  });

  it('gives the same with an empty and with a full cache', () => {
    const text = "Caroline's e-mails about the 7th";
    const first = analyze(text);
    clearAnalyzerCache();
    expect(analyze(text)).toEqual(first);
  });

  it('finds indexed words in any spelling', () => {
    const indexed = new Set(analyze('Ms. O’Brien e-mailed the café on 2023-05-07 about the wi-fi.'));
    for (const question of [
      "o'brien",
      'OBrien',
      'emails',
      'CAFE',
      'cafés',
      '2023',
      '2023-05',
      'wifi',
      'wi-fi',
    ]) {
      expect(
        analyzeQuery(question).some(({ term }) => indexed.has(term)),
        question,
      ).toBe(true);
    }
  });

  it.each([
    ['one word', 'a'.repeat(1_000_000)],
    ['joiners', 'a.'.repeat(500_000)],
    ['marks that normalization has to sort', `a${'\u0316\u0300'.repeat(500_000)}`],
    ['marks in a run of kana', `か${'\u3099\u0316'.repeat(500_000)}`],
    ['Han', '猫'.repeat(1_000_000)],
    ['surrogates', '\ud800'.repeat(1_000_000)],
    ['a letter that folds into many', '\ufdfa'.repeat(1_000_000)],
    ['hyphens', '-'.repeat(1_000_000)],
  ])('takes linear time: %s', (_what, text) => {
    // Quadratic time would take minutes, and the test would run into its limit.
    expect(Array.isArray(analyze(text))).toBe(true);
  });
});

describe('analyzeQuery', () => {
  it('weighs repeated terms', () => {
    expect(analyzeQuery('dog dogs cat')).toEqual([
      { term: 'dog', weight: 2 },
      { term: 'cat', weight: 1 },
    ]);
  });

  it('searches for pairs, and for a character only if it is alone', () => {
    expect(analyzeQuery('黒猫 犬').map(({ term }) => term)).toEqual(['黒猫', '犬']);
  });
});
