import { expect, it } from 'vitest';
import { isQuestion } from '../../src/util/questions.ts';

it.each([
  'Where did you park?',
  'We sold the boat. Did you hear？',
  'where did u park',
  'no way! who',
  'we are off to the coast. how long for',
  'whats the dog called',
  "How's your knee",
  'why u never call',
  'what ya doing later 🙂',
  'was it expensive',
  'and how about sunday',
  'how come',
  'do ya need a lift',
  'so when is the exam',
  'Three of them. Name them.',
  'tell me more',
])('takes “%s” for a question', (text) => {
  expect(isQuestion(text)).toBe(true);
});

it.each([
  'Where did you park? By the church.',
  'when we got there it was shut',
  'what a mess',
  'what we need is rain',
  'which was kind of her',
  'where she lives nobody has a car',
  'how he did it I cannot say',
  'what u said was kind',
  "what's more, it snowed",
  'did my tax return today',
  'i know why',
  'name a day and I am there',
  `${'a '.repeat(60)}long way to say where is it or so`,
  '',
])('takes “%s” for no question', (text) => {
  expect(isQuestion(text)).toBe(false);
});
