import { describe, expect, it } from 'vitest';
import { told } from '../answer/told.ts';

const memory = await told([
  ['2026-01-05', 'Lena', 'My father has a parrot. I live in Ghent. The brown hen is fat.'],
  ['2026-01-06', 'Lena', 'My brother found a sturgeon, I planted a bluebell.'],
]);
const read = async (question: string) => (await memory.ask(question)).search.query;

describe('a question with words that memory does not have', () => {
  it.each([
    'Which hen is fatter?',
    'Is the hen sturdier?',
    'Who was bothered?',
    'Was the water bluer?',
    'Who mothered the hen?',
  ])('keeps a word of the language: %s', async (question) => expect(await read(question)).toBe(question));

  it.each([
    ['where does lena liv', 'where does Lena live'],
    ['What does Lena’s fathr have?', 'What does Lena’s father have?'],
    ['Who has a parot?', 'Who has a parrot?'],
  ])('has its typing errors put right: %s', async (question, expected) =>
    expect(await read(question)).toBe(expected),
  );
});
