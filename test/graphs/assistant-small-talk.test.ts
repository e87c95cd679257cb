import { describe, expect, it } from 'vitest';
import { replyToSmallTalk } from '../../graphs/assistant/small-talk.ts';
import { replyToOrder } from '../../graphs/assistant/without-model.ts';

describe('replyToSmallTalk', () => {
  it.each([
    'hi',
    'Hello there!',
    'thanks',
    'Great, thanks!',
    'Thank you so much :)',
    'ok',
    'How are you?',
    'Bye.',
    'Hi, what can you do?',
    'What is this?',
    'How does this work',
    'help',
    'Hello! Who are you?',
  ])('answers “%s”', (text) => expect(replyToSmallTalk(text)).not.toBeNull());

  it.each([
    'Hi, where does Clara live?',
    'I thanked Clara',
    'Hello Kitty',
    'Thanksgiving',
    '?',
    'no',
    'yes',
    'What can Ida do?',
    'Who are the neighbours?',
    'What is this plant called?',
  ])('leaves “%s” to memory', (text) => expect(replyToSmallTalk(text)).toBeNull());
});

describe('replyToOrder', () => {
  it.each([
    'Write a haiku about rain',
    'please write me an email to my landlord',
    'Can you translate this: guten Tag',
    'Translate good morning to French.',
    'Tell me a joke',
    'Calculate 17 * 23',
    'Write me a plan for next week',
    'Please write a letter to my landlord by tomorrow',
    'Write a haiku about every Sunday',
    'Create a short list of names',
    'Draft an e-mail:\nI come late\nIt rains',
  ])('says of “%s” that it needs a model', (text) => expect(replyToOrder(text)).toContain('none is set'));

  it.each([
    'Write down that I moved to Bergen.',
    'Draft due on Friday',
    'I write a haiku every morning.',
    'Tell me about the story that Ida wrote',
    'Translate more often, said my teacher.',
    'Who wrote a haiku about rain?',
    'Create a backup every Sunday.',
    'Create a backup of the laptop',
    'Write a letter to grandma every week',
    'Write the report by Friday.',
    'Design the flyer tomorrow',
    'Draft the contract\nCall Ida\nBuy milk',
    'Remember: write a letter to grandma',
    'Generate a report on the 1st of each month',
  ])('leaves “%s” to memory', (text) => expect(replyToOrder(text)).toBeNull());
});
