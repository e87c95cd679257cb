import { describe, expect, it } from 'vitest';
import { profileAnswer } from '../../src/answer/profile-answer.ts';
import { growth, LINEAR } from '../fixtures/growth.ts';
import { episodeItem, factItem, found } from './items.ts';
import { told } from './told.ts';

const memory = await told([
  ['2026-01-05', 'Ada', 'I restore old clocks. I live with my mother in Bern.'],
  ['2026-01-05', 'Ada', 'My mother wants the big room for herself.'],
  ['2026-01-06', 'Ada', 'My husband Rik calls it a collection. Rik teaches geography.'],
  ['2026-01-06', 'Ada', 'Our two little ones, Asta and Villum. Asta is seven, Villum just turned four.'],
  ['2026-01-07', 'Ada', 'Villum started kindergarten two weeks ago.'],
  ['2026-01-08', 'Ada', 'I am a bridge engineer at Nordvik. My sister Ines moved to Basel in May.'],
  ['2026-02-08', 'Ada', 'I gave notice at Nordvik.'],
  ['2026-02-09', 'Ada', 'My mother walks again with a stick.'],
  ['2026-02-10', 'Ada', 'Villum insisted on Otto. Ines and Joakim are engaged!'],
  ['2026-02-11', 'Ada', 'My mother says no. Rik broke his wrist three days ago.'],
  ['2026-02-12', 'Ada', 'My mother’s name is Hilde.'],
]);
const linesOf = async (question: string, options = {}) =>
  (await memory.ask(question, { asker: 'Ada', ...options })).text.split('\n');

describe('a portrait in an answer', () => {
  it('begins with who somebody is and what lasts', async () => {
    const lines = await linesOf('Tell me about Villum.');
    expect(lines[0]).toMatch(/little ones/);
    expect(lines[1]).toMatch(/turned four/);
    expect(lines.at(-1)).toMatch(/Otto/);
  });

  it('has in its sections relations before what happened, and a trade', async () => {
    const [family, ...others] = await linesOf('What do you know about me?');
    expect(family).toMatch(/^- Family and friends: Your mother's name is Hilde\./);
    expect(others.join(' ')).toMatch(/Work and study: .*restore old clocks/);
  });

  it('has nothing that a later statement ends, but had it before', async () => {
    expect((await linesOf('What do you know about me?')).join()).not.toContain('engineer');
    expect((await linesOf('What do you know about me?', { asOf: '2026-02-01' })).join()).toContain(
      'engineer',
    );
  });

  it.each([
    ['Tell me about my sister', /Your sister Ines moved to Basel/, /Nordvik|clocks/],
    [
      'What do you know about Rik?',
      /^- Ada: “My husband Rik .*\n- Work and study: Rik teaches geography/,
      /Nordvik/,
    ],
    ['Tell me about my mother', /Hilde[\s\S]*big room[\s\S]*stick/, /Nordvik|clocks/],
  ])('is of a relative: %s', async (question, has, lacks) => {
    const text = (await linesOf(question)).join('\n');
    expect(text).toMatch(has);
    expect(text).not.toMatch(lacks);
  });

  it.each([
    ['Tell me about Egon', /^- (?:Ada: “)?An old sailor named Egon.*\n- .*fair/],
    ['What do you know about me?', /Your two little ones/],
    ['What do you know about me?', /Work and study: .*you are with a small studio/],
    ['What do you know about me?', /Likes and dislikes: .*accordion lessons/],
  ])('has who somebody is, what has begun, and what is done: %s %s', async (question, has) => {
    const later = await told([
      ['2026-01-06', 'Ada', 'Our two little ones, Asta and Villum.'],
      ['2026-01-07', 'Ada', 'I started accordion lessons on Monday.'],
      ['2026-01-07', 'Vera', 'Who teaches you?'],
      ['2026-01-07', 'Ada', 'An old sailor named Egon, down by the harbour.'],
      ['2026-02-08', 'Ada', 'From the first of April I am with a small studio called Harbour.'],
      ['2026-02-10', 'Ada', 'Egon played at the harbour fair.'],
    ]);
    const { text, citations } = await later.ask(question, { asker: 'Ada' });
    expect(text).toMatch(has);
    expect(text.match(/\[\d+\]/g)).toEqual(citations.map(({ number }) => `[${number}]`));
  });

  it('of a relative has nothing outside the filter', async () => {
    const text = (await linesOf('Tell me about my mother', { filter: { session: '2026-02-12' } })).join();
    expect(text).toContain('Hilde');
    expect(text).not.toMatch(/stick|room/);
  });
});

it('takes time linear in what is said of somebody', () => {
  const item = factItem('fact', 'Egon plays the accordion');
  const sections = [{ title: 'Likes', facts: [{ item, said: item.statement }], total: 1 }];
  for (const piece of ['A-', 'Ann’s ', 'my old ', 'named '])
    expect(
      growth((size) => {
        const content = `So ${piece.repeat(size)}is Egon now.`;
        const episodes = [episodeItem('turn', { content, speaker: 'Ada' })];
        profileAnswer(found({ episodes }), { names: ['Egon'], facts: [item], sections });
      }, 1_000),
    ).toBeLessThan(LINEAR);
});
