import { describe, expect, it } from 'vitest';
import { told } from './told.ts';

const memory = await told([
  ['2025-01-12', 'Ada', 'I moved to Bern in March 2021 for the archive job.'],
  ['2025-02-10', 'Ada', 'I take the bus to work every day.'],
  ['2025-02-10', 'Bo', 'I play the cello in a small orchestra.'],
  ['2025-02-10', 'Bo', 'I drink coffee all day.'],
  ['2025-03-02', 'Ada', 'I work at Nordvik as an engineer.'],
  ['2025-03-02', 'Ada', 'I play the flute, do not laugh.'],
  ['2025-05-04', 'Ada', 'I moved away from Bern on 30 April 2025 and live in Basel now.'],
  ['2025-06-01', 'Ada', 'I have been taking Spanish classes since February.'],
  ['2025-06-01', 'Bo', 'My daughter Mia was born on 3 May 2019.'],
  ['2025-06-01', 'Bo', 'My flatmate Luca plays the tuba.'],
  ['2025-07-01', 'Bo', 'I no longer play the cello.'],
  ['2025-07-01', 'Bo', 'My son Kim is seven, and my niece Una is three years younger.'],
  ['2025-09-01', 'Ada', 'I switched from the bus to cycling.'],
  ['2025-09-02', 'Ada', 'I gave notice at Nordvik.'],
  ['2025-09-02', 'Bo', 'Luca moved out last Saturday.'],
  ['2025-09-03', 'Bo', 'I turned 41 yesterday.'],
  ['2025-10-03', 'Ada', 'I bought a kayak.'],
  ['2025-11-03', 'Ada', 'I retired from the choir on 1 November 2025.'],
  ['2025-11-04', 'Ada', 'I joined the choir in February 2019.'],
]);

describe('whether a state lasts', () => {
  it.each([
    ['Does Bo still play the cello?', 'No, as of 1 July 2025'],
    ['Does Ada still take the bus?', 'No, as of 1 September 2025'],
    ['Does Ada still work at Nordvik?', 'No, as of 2 September 2025'],
    ['Does Ada still live in Bern?', 'No, since 30 April 2025'],
    ['Does Bo still live with Luca?', /^No, (?:since 30 August|as of 2 September) 2025$/],
    ['Does Ada still sing in the choir?', 'No, since 1 November 2025'],
    ['Does Bo drink coffee any more?', 'Yes, as of 10 February 2025'],
    ['Does Ada still play the flute?', 'Yes, as of 2 March 2025'],
    ['Is Ada still taking Spanish classes?', 'Yes, as of 1 June 2025'],
    ['Does Ada still have the kayak?', 'Last told on 3 October 2025'],
  ])('%s %s', async (question, verdict) => {
    const answer = await memory.ask(question);
    expect(answer.verdict).toMatch(verdict);
    expect(answer.citations.length).toBeGreaterThan(0);
  });

  it.each(['Does Ada still drink tea?', 'Does Bo still live in Bern?', 'Does Bo still take the bus?'])(
    'is not told: %s',
    async (question) => {
      expect((await memory.ask(question)).verdict).toBeUndefined();
    },
  );
});

describe('how long a state lasted', () => {
  it.each([
    ['How long did Ada live in Bern?', 'About 4 years', ['moved to Bern', 'moved away from Bern']],
    ['How long was Ada in the choir?', 'About 7 years', ['joined the choir', 'retired from the choir']],
    ['How many years did Ada live in Bern?', 'About 4 years', ['moved to Bern']],
  ])('%s %s', async (question, verdict, parts) => {
    const answer = await memory.ask(question);
    expect(answer.verdict).toBe(verdict);
    const quotes = answer.citations.map(({ quote }) => quote).join('\n');
    for (const part of parts) expect(quotes).toContain(part);
  });

  it.each([
    'How long did Ada play the flute?',
    'How long did Bo live in Bern?',
    'How long did Ada work at Nordvik?',
  ])('is not told without both ends: %s', async (question) => {
    expect((await memory.ask(question)).verdict).toBeUndefined();
  });
});

describe('an age', () => {
  it.each([
    ['How old is Mia?', '7'],
    ['How old is Bo’s daughter?', '7'],
    ['How old is Bo?', '41'],
    ['How old is Kim?', '7 as of 1 July 2025'],
  ])('%s %s', async (question, verdict) => {
    expect((await memory.ask(question)).verdict).toBe(verdict);
  });

  it.each(['How old is Una?', 'How old is Ada?', 'How old is Luca?'])('is not told: %s', async (question) => {
    expect((await memory.ask(question)).verdict).toBeUndefined();
  });

  it.each([
    ['I am thirty-two.', '32 as of 2 March 2025'],
    ['I’m 32 years old now.', '32 as of 2 March 2025'],
    ['I turned thirty-two on 1 March 2025.', '33'],
    ['I was born on 9 July 1990.', '35'],
    ['I turned 30 in May 2020.', '36'],
    ['I turned 30 in 2020.', '35 or 36'],
    ['I was born in May 1984.', '42'],
    ['I was born in 1984.', '41 or 42'],
    ['If I am 40, I will stop.', undefined],
    ['Before I turned 30 in May 2020 I lived in Rome.', undefined],
    ['I am 5 months pregnant.', undefined],
    ['I am two years older than Bo.', undefined],
  ])('%s %s', async (words, verdict) => {
    const own = await told([['2025-03-02', 'Ada', words]]);
    expect((await own.ask('How old is Ada?')).verdict).toBe(verdict);
  });
});

describe('an age by a birthday', () => {
  it.each([
    ['2 June 2019', '2020-06-01', 'About 12 months'],
    ['2 June 2019', '2020-06-02', '1'],
    ['1 January 2017', '2019-12-31', '2'],
    ['1 January 2017', '2020-01-01', '3'],
    ['29 February 2016', '2019-02-28', '2'],
    ['29 February 2016', '2019-03-01', '3'],
    ['5 May 2019', '2019-09-20', 'About 5 months'],
  ])('%s on %s: %s', async (born, asOf, age) => {
    const own = await told([['2019-09-09', 'Ada', `My daughter Mia was born on ${born}.`]]);
    expect((await own.ask('How old is Mia?', { asOf })).verdict).toBe(age);
  });
});

describe('a time is as exact as it was told', () => {
  it.each([
    ['I stopped being a vegetarian in June 2025.', 'No, since June 2025'],
    ['I stopped being a vegetarian last week.', 'No, since the week of 1 September 2025'],
    ['I stopped being a vegetarian in 2024.', 'No, since 2024'],
    ['I stopped being a vegetarian on 3 June 2025.', 'No, since 3 June 2025'],
  ])('%s %s', async (words, verdict) => {
    const own = await told([['2025-09-09', 'Ada', words]]);
    expect((await own.ask('Is Ada still a vegetarian?')).verdict).toBe(verdict);
  });

  it.each([
    ['in May 2025', 'in June 2025', 'About 1 month'],
    ['in 2023', 'on 3 March 2025', 'About 2 years'],
    ['in 2024', 'on 1 March 2024', undefined],
    ['on 1 May 2025', 'on 20 June 2025', 'About 7 weeks'],
  ])('%s until %s', async (from, to, verdict) => {
    const own = await told([
      ['2025-09-09', 'Ada', `I moved to Bern ${from}.`],
      ['2025-09-10', 'Ada', `I moved away from Bern ${to}.`],
    ]);
    expect((await own.ask('How long did Ada live in Bern?')).verdict).toBe(verdict);
  });

  it('in what has changed, too', async () => {
    const own = await told([['2025-09-09', 'Ada', 'I joined Quay Robotics in July 2025.']]);
    expect((await own.ask('What has changed for Ada?')).text).toMatch(/^- July 2025: /);
  });
});

describe('what another clause or another person says', () => {
  it.each([
    [
      'I sold the scooter that I bought in 2019.',
      'Does Ada still have the scooter?',
      'No, as of 9 September 2025',
    ],
    [
      'My sister sold the scooter in May 2025.',
      'Does Ada still have the scooter?',
      'Yes, as of 9 August 2025',
    ],
    [
      'My neighbour’s scooter was stolen in May 2025.',
      'Does Ada still have the scooter?',
      'Yes, as of 9 August 2025',
    ],
    ['My scooter was stolen in May 2025.', 'Does Ada still have the scooter?', 'No, since May 2025'],
    ['Bo moved away from Bern in June 2025.', 'Does Ada still live in Bern?', 'Yes, as of 9 August 2025'],
  ])('%s %s', async (words, question, verdict) => {
    const own = await told([
      ['2025-08-09', 'Ada', 'I have a scooter.'],
      ['2025-08-09', 'Ada', 'I play the violin.'],
      ['2025-08-09', 'Ada', 'I live in Bern.'],
      ['2025-09-09', 'Ada', words],
      ['2025-09-09', 'Bo', 'I like tea.'],
    ]);
    expect((await own.ask(question)).verdict).toBe(verdict);
  });

  it('is no beginning of a state', async () => {
    const own = await told([
      ['2025-08-09', 'Ada', 'I met Cem in 2012 and I moved to Bern with him in 2016.'],
      ['2025-09-09', 'Ada', 'I moved away from Bern in 2020.'],
    ]);
    expect((await own.ask('How long did Ada live in Bern?')).verdict).toBe('About 4 years');
  });
});
