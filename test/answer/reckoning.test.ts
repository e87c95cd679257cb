import { describe, expect, it } from 'vitest';
import { told } from './told.ts';

const memory = await told([
  ['2026-01-10', 'Runa', 'I paid €40 for the varnish of the canoe.'],
  ['2026-01-17', 'Runa', 'The new paddles for the canoe cost 85 euros.'],
  ['2026-01-17', 'Obi', 'I paid £300 for my bicycle.'],
  ['2026-02-01', 'Obi', 'I spent 25 dollars on the tent repair.'],
  ['2026-02-03', 'Obi', 'The tent pegs cost 12 euros.'],
  ['2026-03-02', 'Runa', 'I launched the canoe on 1 March 2026.'],
  ['2026-03-24', 'Runa', 'The canoe capsized on 22 March 2026.'],
  ['2026-04-02', 'Obi', 'I ran a half marathon in Ghent yesterday.'],
  ['2026-05-04', 'Obi', 'I ran a half marathon in Lille on Saturday.'],
]);

describe('a sum of amounts', () => {
  it.each([
    [['I paid 12,50 € for the paint of the boat.', 'The rope of the boat cost 7,25 €.'], 'At least €19.75'],
    [
      ['I paid €1.250,50 for the sail of the boat.', 'The mast of the boat cost €1,100.'],
      'At least €2,350.50',
    ],
    [
      ['I paid €40 for the boat paint.', 'The paint of the boat cost €40.', 'I paid €9 for the boat rope.'],
      'At least €49',
    ],
    [['I paid €40 for the boat paint.', 'I paid €40 for the boat rope.'], 'At least €80'],
    [
      ['I paid €40 for the boat.', 'I earned €90 with the boat.', 'I paid €5 for a boat hook.'],
      'At least €45',
    ],
    [
      ['I paid €40 for the boat.', 'I owe Obi €90 for the boat.', 'I paid €5 for a boat hook.'],
      'At least €45',
    ],
    [
      ['I paid €40 for the boat.', 'A boat like that costs €900.', 'I paid €5 for a boat hook.'],
      'At least €45',
    ],
    [
      ['I paid €40 for the boat.', 'I didn’t buy the boat lamp for €20.', 'I paid €5 for a boat hook.'],
      'At least €45',
    ],
    [
      ['I paid €40 for the boat.', 'A boat cover would cost €70.', 'I paid €5 for a boat hook.'],
      'At least €45',
    ],
    [
      ['I paid €40 for the boat.', 'I will pay €70 for a boat cover.', 'I paid €5 for a boat hook.'],
      'At least €45',
    ],
  ])('%j', async (words, verdict) => {
    const memory = await told(words.map((each) => ['2026-03-02', 'Runa', each] as const));
    expect((await memory.ask('How much did Runa spend on the boat?')).verdict).toBe(verdict);
  });

  it('has what is told again on another day once, if that is said', async () => {
    const memory = await told([
      ['2026-03-02', 'Runa', 'I paid €40 for the boat paint.'],
      ['2026-03-05', 'Runa', 'As I said, I paid €40 for the boat paint.'],
      ['2026-04-05', 'Runa', 'I paid €40 for the boat paint.'],
    ]);
    expect((await memory.ask('How much did Runa spend on the boat?')).verdict).toBe('At least €80');
  });
});

describe('what statements come to together', () => {
  it.each([
    ['How much did Runa spend on the canoe?', 'At least €125', ['€40', '85 euros']],
    [
      'How many days were there between the launch of the canoe and when it capsized?',
      '21 days',
      ['launched', 'capsized'],
    ],
    ['How long after Runa launched the canoe did it capsize?', '21 days', ['launched', 'capsized']],
    [
      'How many weeks passed between 1 March 2026 and when the canoe capsized?',
      'About 3 weeks',
      ['capsized'],
    ],
    ['How many days passed from when Runa launched the canoe until today?', '92 days', ['launched']],
    ['How many days have passed between now and when the canoe capsized?', '71 days', ['capsized']],
    [
      'How many weeks were there between the launch of the canoe and last Monday?',
      'About 12 weeks',
      ['launched'],
    ],
    ['How many times has Obi run a half marathon?', 'At least 2', ['Ghent', 'Lille']],
  ])('%s %s', async (question, verdict, parts) => {
    const answer = await memory.ask(question);
    expect(answer.verdict).toBe(verdict);
    expect(answer.text.startsWith(verdict)).toBe(true);
    const quotes = answer.citations.map(({ quote }) => quote).join('\n');
    for (const part of parts) expect(quotes).toContain(part);
  });

  it.each([
    'How long did it take Obi to get from Ghent to Lille?',
    'How long is it between Ghent and Lille?',
    'How many days did Obi need from the shed to the canoe?',
    'How long was it from March to May?',
  ])('is no time between places or things, nor of dates alone: %s', async (question) => {
    expect((await memory.ask(question)).verdict).toBeUndefined();
  });

  it.each(['How much did Obi spend on the tent?', 'How much did Obi pay for the bicycle?'])(
    'is no sum over currencies, nor of one amount: %s',
    async (question) => {
      expect((await memory.ask(question)).verdict).toBeUndefined();
    },
  );
});

describe('how long it is until something', () => {
  it.each([
    ['My wedding is on 20 June 2026.', 'How long until Ada’s wedding?', '19 days'],
    ['My wedding is on 20 June 2026.', 'How many days are left until my wedding?', '19 days'],
    ['My wedding is on 20 June 2026.', 'How many weeks until Ada’s wedding?', 'About 3 weeks'],
    ['My wedding is in October 2026.', 'How long is it until Ada’s wedding?', 'About 4 months'],
    ['I fly to Rome on 3 July 2026.', 'How long until Ada flies to Rome?', '32 days'],
    ['My exam is on 20 June 2026.', 'How long before my exam?', '19 days'],
    ['My wedding was on 20 June 2025.', 'How long until Ada’s wedding?', undefined],
    ['I waited for a day until the race on 3 May 2025.', 'How long did Ada wait until the race?', undefined],
  ])('%s %s', async (words, question, verdict) => {
    const own = await told([
      ['2026-05-09', 'Ada', words],
      ['2026-05-09', 'Bo', 'I like tea.'],
    ]);
    expect((await own.ask(question, { asker: 'Ada' })).verdict).toBe(verdict);
  });
});
