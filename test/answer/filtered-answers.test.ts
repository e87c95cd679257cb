import { describe, expect, it } from 'vitest';
import { told } from './told.ts';

const memory = await told([
  ['2026-01-05', 'Signy', 'I live in Ghent. My dog is called Otto.'],
  ['2026-01-05', 'Aldo', 'I play the oboe.'],
  ['2026-02-05', 'Signy', 'I am allergic to walnuts. I have a boat named Tern.'],
  ['2026-03-05', 'Signy', 'I moved to Lille yesterday.'],
  ['2026-03-05', 'Aldo', 'I bought a tent for the boat.'],
]);
const JANUARY = { filter: { session: '2026-01-05' } };
const MARCH = { filter: { session: '2026-03-05' } };

describe('an answer under a filter', () => {
  it.each([
    ['Tell me about Signy', JANUARY, /Ghent|Otto/, /walnuts|Tern|Lille/],
    ['Tell me about Signy', MARCH, /Lille/, /walnuts|Tern|Otto/],
    ['Who is Signy?', { filter: { session: '2026-02-05' } }, /walnuts/, /Ghent|Otto|Lille/],
    ['Summarise what happened with Signy', JANUARY, /Otto/, /walnuts|Tern|Lille/],
    ['Give me a summary of the boat', MARCH, /tent/, /Tern/],
    ['Where does Signy live?', MARCH, /Lille/, /Ghent/],
    ['What has changed for Signy?', MARCH, /moved to Lille/, /Ghent/],
  ])('%s %o', async (question, { filter }, quoted, other) => {
    const { text, citations } = await memory.ask(question, { filter });
    expect(text).toMatch(quoted);
    expect(text).not.toMatch(other);
    expect(text).not.toContain('more)');
    for (const { item } of citations)
      expect(item.sources.map(({ session }) => session)).toContain(filter.session);
  });

  it.each([
    'What is Signy allergic to?',
    'Tell me about walnuts',
    'What boat does Signy have?',
    'Does Signy still live in Ghent?',
  ])('declines what only others tell: %s', async (question) => {
    const { answered, text } = await memory.ask(question, JANUARY);
    expect(answered).toBe(false);
    expect(text).not.toMatch(/walnuts|Tern|Lille/);
  });
});

describe('a fact that has ended', () => {
  it('is told of a period with its days', async () => {
    const { text } = await memory.ask('Summarise January.');
    expect(text).toMatch(/lives in Ghent\. \(2026-01-05 to 2026-03-0\d\) \[/);
  });

  it('is no part of a portrait, and neither is one to come', async () => {
    expect((await memory.ask('Tell me about Signy')).text).not.toMatch(/Ghent/);
    const then = (await memory.ask('Tell me about Signy', { asOf: '2026-02-20' })).text;
    expect(then).toMatch(/Ghent/);
    expect(then).not.toMatch(/Lille|more\)/);
  });
});

describe('a relative', async () => {
  const memory = await told([
    ['2026-01-05', 'Signy', 'My husband Bo works at the harbour.'],
    ['2026-02-05', 'Signy', 'My boss Lumi hates cheese.'],
    ['2026-03-05', 'Signy', 'My former husband Al works at a bakery. My new boss Henrik eats fish.'],
  ]);

  it.each([
    ['Where does Signy’s husband work?', {}, /Bo works at the harbour/],
    ['What does Signy’s boss eat?', {}, /Henrik eats fish/],
    ['What does Signy’s boss hate?', { filter: { session: '2026-02-05' } }, /Lumi hates cheese/],
    ['What does Signy’s boss hate?', { asOf: '2026-02-20' }, /Lumi hates cheese/],
  ])('is the one of the time and of the filter: %s %o', async (question, call, quoted) => {
    const { text, search } = await memory.ask(question, call);
    expect(text).toMatch(quoted);
    expect(search.query).not.toMatch('filter' in call || 'asOf' in call ? /Henrik/ : /Al /);
  });
});
