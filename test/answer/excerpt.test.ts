import { describe, expect, it } from 'vitest';
import { excerpt } from '../../src/answer/excerpt.ts';

const FILLER = 'The meeting went on about budgets and chairs. ';
const LONG = `${FILLER.repeat(20)}Rosa sold her blue bicycle to a neighbour. ${FILLER.repeat(20)}`;

describe('an excerpt of a long turn', () => {
  it('is the passage around the words of the question, from the beginning of a sentence', () => {
    const part = excerpt(LONG, { longest: 200, question: 'Who bought the bicycles that Rosa sold?' });
    expect(part.length).toBeLessThanOrEqual(200);
    expect(part).toMatch(/^\[…\] The meeting/);
    expect(part).toContain('Rosa sold her blue bicycle to a neighbour.');
    expect(part).toMatch(/ \[…\]$/);
  });

  it('prefers the passage with more of the words', () => {
    const text = `A bicycle stood there. ${FILLER.repeat(20)}Her bicycle had a silver bell. ${FILLER.repeat(20)}`;
    expect(excerpt(text, { longest: 200, question: 'What bell is on the bicycle?' })).toContain(
      'silver bell',
    );
  });

  it.each([
    ['a short text', 'Rosa sold her bicycle.', 'bicycle'],
    ['a text without the words', LONG, 'Which opera did Paul hear?'],
    ['a question without words', LONG, 'Who?'],
  ])('is all of %s', (_, text, question) => {
    expect(excerpt(text, { longest: 400, question })).toBe(text);
  });

  it('is the beginning of a text without the words, where there is no room for its end', () => {
    const part = excerpt(LONG, { longest: 110, question: 'Which opera did Paul hear?' });
    expect(part).toBe(`${FILLER.repeat(3).slice(0, part.length - 4)} […]`);
    expect([part.length > 80, part.length <= 110]).toEqual([true, true]);
  });

  it('contains the passage that was found, though another has as many of the words', () => {
    const text = `A bicycle stood there. ${FILLER.repeat(20)}Her bicycle had a silver bell. ${FILLER.repeat(20)}`;
    const start = text.indexOf('Her bicycle');
    const passage = { start, end: start + 'Her bicycle had a silver bell.'.length };
    const part = excerpt(text, { longest: 200, question: 'Which bicycle?', passage });
    expect(part).toContain('Her bicycle had a silver bell.');
    expect(part.length).toBeLessThanOrEqual(200);
  });

  it('is the part around the words in a passage that does not fit', () => {
    const passage = { start: FILLER.length, end: LONG.length };
    const part = excerpt(LONG, { longest: 200, question: 'bicycle', passage });
    expect(part).toContain('Rosa sold her blue bicycle');
    expect(excerpt(LONG, { longest: 200, question: 'opera', passage })).toMatch(/^\[…\] The meeting/);
  });

  it('shows parts that lie apart, and marks what is between them', () => {
    const text = `Her bicycle had a silver bell. ${FILLER.repeat(20)}The opera began at eight. ${FILLER.repeat(20)}`;
    const part = excerpt(text, {
      longest: 120,
      question: 'When did the opera begin, and was the bell heard?',
    });
    expect(part).toMatch(/^Her bicycle had a silver bell\. .*\[…\] .*The opera began at eight\..* \[…\]$/);
    expect(part.length).toBeLessThanOrEqual(120);
  });

  it('takes time linear in the text', () => {
    const lines = 'a bicycle\n'.repeat(10_000);
    expect(excerpt(lines, { longest: 500, question: 'bicycle bell' }).length).toBeLessThanOrEqual(500);
    const huge = 'bicycle bell '.repeat(200_000);
    expect(excerpt(huge, { longest: 500, question: 'bicycle bell' }).length).toBeLessThanOrEqual(500);
  });
});
