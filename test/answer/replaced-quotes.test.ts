import { describe, expect, it } from 'vitest';
import { endsSomething } from '../../src/answer/replaced-quotes.ts';
import { growth, LINEAR } from '../fixtures/growth.ts';
import { told } from './told.ts';

const memory = await told([
  ['2026-01-05', 'Ragna', 'I drink mate every morning now.'],
  ['2026-01-05', 'Joost', 'I play the oboe every evening.'],
  ['2026-02-10', 'Ragna', 'I switched from mate to ginger water, it was too bitter.'],
  ['2026-03-15', 'Joost', 'I gave up the oboe. Bagpipes now.'],
]);

describe('what somebody left', () => {
  it.each([
    ['I switched from rooibos to cocoa.', true],
    ['I gave up the violin.', true],
    ['I had to quit the choir.', true],
    ['I did not like it, so I quit the choir.', true],
    ['I stopped the lessons.', true],
    ['I left the bakery.', true],
    ['I left Nordvik in March.', true],
    ['I left my job at the bakery last week.', true],
    ['I left the bakery for a mill.', true],
    ['I left the party at nine.', false],
    ['I left my keys on the table.', false],
    ['I left the scooter behind the shed.', false],
    ['I have not left the bakery.', false],
    ['There is some soup left.', false],
    ['I have not switched from rooibos to cocoa.', false],
    ['I never gave up the violin.', false],
    ['I haven’t quit the choir.', false],
    ['I didn’t stop, I mean I’d never have stopped the lessons.', false],
    ['I might have quit the choir.', false],
    ['If I quit the choir, Obi will too.', false],
    ['I want to quit the choir.', false],
    ['I almost quit the choir.', false],
    ['I stopped at the bakery.', false],
    ['I stopped by the library and bought a violin.', false],
    ['We stopped for tea.', false],
    ['I stopped in Ghent.', false],
  ])('is said: %s %s', (text, is) => expect(endsSomething(text)).toBe(is));

  it('is read in time linear in a long text', () => {
    for (const part of ['\n', '. ', ' ', 'I quit '])
      expect(growth((size) => endsSomething(part.repeat(size)), 2_500)).toBeLessThan(LINEAR);
  });
});

describe('what somebody left for something else', () => {
  it.each([
    ['What does Ragna drink now?', 'Ragna switched from mate to ginger water.'],
    ['What instrument does Joost play now?', 'Joost gave up the oboe.'],
  ])('is not given as what holds now: %s', async (question, quote) => {
    const { answered, citations } = await memory.ask(question);
    expect(answered).toBe(true);
    expect(citations[0]!.quote).toBe(quote);
  });

  it('is left to questions about the past', async () => {
    expect((await memory.ask('What did Ragna drink in January?')).text).toMatch(/mate every morning/);
  });
});

describe('what ends a found statement', () => {
  it.each([
    [
      'I drink that smoky lapsang every morning now.',
      'I gave up the lapsang though, my stomach hated it.',
      'Does Ada still drink the lapsang?',
      /^No, as of 12 April 2025/,
    ],
    [
      'I work at the bakery.',
      'I left the bakery in March.',
      'Is Ada still at the bakery?',
      /^No, since March 2025/,
    ],
    [
      'I started at the bakery in 2019.',
      'I left the bakery in March.',
      'How long did Ada work at the bakery?',
      /^About 6 years/,
    ],
    [
      'I live in Bern.',
      'I left Bern for Basel last week.',
      'Does Ada still live in Bern?',
      /^No, since the week of/,
    ],
    ['I own a violin.', 'I left the violin on the train.', 'Does Ada still have the violin?', /^Yes/],
  ])('%s %s', async (before, after, question, verdict) => {
    const own = await told([
      ['2025-01-02', 'Ada', before],
      ['2025-04-12', 'Ada', `Lilac at most. ${after}`],
      ['2025-04-12', 'Bo', 'I like tea.'],
    ]);
    expect((await own.ask(question)).text).toMatch(verdict);
  });

  it('is told though no search finds it', async () => {
    const more = Array.from({ length: 24 }, (_, at): [string, string, string] => [
      `2025-02-${at + 1 < 10 ? '0' : ''}${at + 1}`,
      'Ada',
      `The train had cold tea to drink in car ${at}.`,
    ]);
    const own = await told([
      ['2025-01-02', 'Ada', 'I drink that smoky lapsang tea every morning now.'],
      ...more,
      ['2025-04-12', 'Ada', 'Lilac at most. I gave up the lapsang though. Peppermint from here on.'],
      ['2025-04-12', 'Bo', 'I like tea.'],
    ]);
    const { text } = await own.ask('What tea does Ada drink now?');
    expect(text).toContain('gave up the lapsang');
    expect(text).not.toContain('every morning');
  });
});
