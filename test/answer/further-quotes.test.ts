import { describe, expect, it } from 'vitest';
import { asksForAnswers, asksForOwnWords } from '../../src/answer/candidate-quotes.ts';
import { quoteText } from '../../src/answer/quote-text.ts';
import { thoughtsOf } from '../../src/answer/thoughts.ts';
import { episodeItem } from './items.ts';

const CONTENT =
  'It was loud in our street. The plumber came at nine with a new boiler. He needed four hours, two coffees and a hammer. Now the kitchen is warm again.';
const item = episodeItem('t1', { speaker: 'Ida', content: CONTENT });
const thoughts = thoughtsOf(item);
const shown = (isFurther: boolean) =>
  quoteText(
    {
      ...{ item, text: thoughts[1]!.text, context: CONTENT, clock: 0, validAt: 0, invalidAt: null },
      ...{ rank: 1, strength: 1, factRank: 0, turns: [item.id], withheld: new Set(), asked: 0 },
      said: { thoughts, at: 1, before: undefined, isReply: false },
    },
    { asksWhen: false, isFurther },
  )[0]!.words;

describe('a further quote', () => {
  it('is the sentence, where the first is the whole turn', () => {
    expect(shown(false)).toBe(`“${CONTENT}”`);
    expect(shown(true)).toBe(`“${thoughts[1]!.text}”`);
  });
});

describe('a question for what was said', () => {
  const bot = episodeItem('t2', { speaker: 'Pixel', role: 'assistant', content: 'Try oats.' });
  it.each([
    ['Which grain did Ida mention?', true],
    ['Which grain did Pixel mention?', false],
    ['Which grain did you mention?', false],
  ])('asks a person, or an assistant: %s', (query, isOwn) => {
    expect(asksForOwnWords({ query, episodes: [item, bot] })).toBe(isOwn);
    expect(asksForAnswers({ query, episodes: [item, bot] })).toBe(!isOwn);
  });
});
