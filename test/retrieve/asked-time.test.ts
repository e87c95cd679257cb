import { describe, expect, it } from 'vitest';
import { isAskedFor } from '../../src/retrieve/asked-time.ts';
import { readQuestion } from '../../src/retrieve/question.ts';
import { growth, LINEAR } from '../fixtures/growth.ts';

/** A Wednesday. */
const REFERENCE = Date.parse('2024-06-12T12:00:00Z');
const read = (text: string, speakers: readonly string[] = []) =>
  readQuestion(text, speakers, { now: REFERENCE }).time;
const covers = (text: string, day: string) => isAskedFor(Date.parse(`${day}T12:00:00Z`), read(text));

describe('the time of a question', () => {
  it.each([
    'When did Ann move?',
    'How long has she lived there?',
    'What year did Ann move?',
    'On which date was the party?',
    'How many weeks did it take?',
    'What did she do last week?',
    'What happened in May?',
    'Who came on 7 May 2023?',
    'Where was she in 2022?',
    'What did she paint recently?',
    'Where did they go last summer?',
    'What did she eat 3 hours ago?',
    'What does she do this week?',
    'Was fand am 2023-05-07 statt?',
    '2022年她在哪里？',
  ])('is asked for or mentioned: %s', (text) => expect(read(text).isAsked).toBe(true));

  it.each([
    'What is the name of her cat?',
    'May I know who plays?',
    'Did they march for freedom?',
    'Does she love the sun and the moon?',
    'How many children does she have?',
    'Who ate 3/4 of the cake?',
    'Did she run the marathon in 3 hours?',
    'Did they hike for two weeks?',
    'Who found it within 20 minutes?',
    '她的猫叫什么名字？',
    '',
  ])('is not: %s', (text) => expect(read(text).isAsked).toBe(false));

  it('is not read from the name of a speaker', () => {
    expect(read('What does April like?').isAsked).toBe(true);
    expect(read('What does April like?', ['April', 'Ann']).isAsked).toBe(false);
  });

  it.each([
    ['on 7 May 2023', ['2023-05-07'], ['2023-05-06', '2023-05-08', '2024-05-07']],
    ['in May 2023', ['2023-05-01', '2023-05-31'], ['2023-04-30', '2023-06-01', '2024-05-10']],
    ['in May', ['2023-05-01', '2024-05-31'], ['2023-04-30', '2023-06-01']],
    ['on 7 May', ['2023-05-07', '2020-05-07'], ['2023-05-08']],
    ['in 2022', ['2022-01-01', '2022-12-31'], ['2021-12-31', '2023-01-01']],
    ['last week', ['2024-06-03', '2024-06-09'], ['2024-06-02', '2024-06-10']],
    ['last month', ['2024-05-01', '2024-05-31'], ['2024-04-30', '2024-06-01']],
    ['last year', ['2023-01-01', '2023-12-31'], ['2022-12-31', '2024-01-01']],
    ['this week', ['2024-06-10', '2024-06-16'], ['2024-06-09', '2024-06-17']],
    ['between May and July 2023', ['2023-05-01', '2023-06-15', '2023-07-31'], ['2023-04-30', '2023-08-01']],
    ['from November 2022 to February', ['2022-11-01', '2023-02-28'], ['2022-10-31', '2023-03-01']],
    ['May – July 2023', ['2023-05-01', '2023-07-31'], ['2023-04-30', '2024-06-01']],
    ['from March to May', ['2022-03-01', '2023-04-15', '2024-05-31'], ['2023-02-28', '2023-06-01']],
    ['between November and February', ['2022-11-01', '2023-01-15', '2024-02-29'], ['2023-03-01']],
    ['from 30 December to 2 January', ['2022-12-31', '2023-01-02'], ['2022-12-29', '2023-01-03']],
    ['from 3 May to 7 June 2023', ['2023-05-03', '2023-06-07'], ['2023-05-02', '2023-06-08', '2024-05-20']],
    ['between 2021 and 2023', ['2021-01-01', '2022-06-01', '2023-12-31'], ['2020-12-31', '2024-01-01']],
    ['from 2021 to May 2023', ['2022-06-01', '2023-05-31'], ['2020-12-31', '2023-06-01']],
    ['in 2021 and 2023', ['2021-06-01', '2023-06-01'], ['2022-06-01']],
    ['yesterday', ['2024-06-11'], ['2024-06-10', '2024-06-12']],
    ['in the past few months', ['2024-04-01', '2024-06-01'], ['2023-12-31', '2024-06-13']],
    ['in the last two weeks of August', ['2023-08-18', '2022-08-31'], ['2023-08-17', '2023-09-01']],
    ['in the first three days of May 2023', ['2023-05-01', '2023-05-03'], ['2023-05-04', '2022-05-01']],
    ['on the first weekend of October 2023', ['2023-10-07', '2023-10-08'], ['2023-10-01', '2023-10-06']],
    ['on the last Sunday of October', ['2023-10-29'], ['2023-10-30', '2023-10-27', '2022-10-30']],
    ['in early March', ['2023-03-01', '2024-03-10'], ['2023-03-11', '2023-02-28']],
    ['in mid-September', ['2023-09-11', '2023-09-20'], ['2023-09-10', '2023-09-21']],
    ['at the end of February 2024', ['2024-02-21', '2024-02-29'], ['2024-02-20', '2024-03-01']],
    ['in the first half of June', ['2023-06-01', '2023-06-15'], ['2023-06-16']],
    [
      'between mid-November and the end of November',
      ['2023-11-11', '2023-11-30'],
      ['2023-11-10', '2023-12-01'],
    ],
    ['on New Year’s Eve'.replace('’', "'"), ['2023-12-31', '2020-12-31'], ['2023-12-30', '2024-01-01']],
    ['at Christmas', ['2023-12-25'], ['2023-12-23', '2024-01-01']],
    ['a week before Christmas', ['2023-12-18', '2023-12-16'], ['2023-12-12', '2023-12-24']],
    ['two days after 3 May 2023', ['2023-05-05'], ['2023-05-03', '2023-05-08']],
  ])('covers the stated interval: What did she do %s?', (when, inside, outside) => {
    const text = `What did she do ${when}?`;
    expect(inside.filter((day) => !covers(text, day))).toEqual([]);
    expect(outside.filter((day) => covers(text, day))).toEqual([]);
  });

  it.each([
    ['Monday', 10],
    ['Wednesday', 12],
    ['Friday', 14],
    ['Saturday', 15],
    ['Sunday', 16],
  ])('covers Saturday and Sunday for a weekend when asked on a %s', (_, day) => {
    const asked = (when: string) =>
      readQuestion(`What did she do ${when} weekend?`, [], { now: Date.UTC(2024, 5, day, 12) }).time.periods;
    const june = (first: number) => [
      {
        ...{ start: Date.UTC(2024, 5, first), end: Date.UTC(2024, 5, first + 2) },
        ...{ yearly: false, isByAsking: true },
      },
    ];
    expect(asked('last')).toEqual(june(8));
    expect(asked('this past')).toEqual(june(8));
    expect(asked('this')).toEqual(june(15));
    expect(asked('next')).toEqual(june(22));
    expect(asked('a')).toEqual([]);
  });

  it('covers nothing if no time is named', () => {
    expect(read('When did she move?')).toMatchObject({
      isAsked: true,
      periods: [],
      without: 'When did she move?',
    });
  });

  it.each([
    ['What did Ann buy in January?', 'What did Ann buy?'],
    ['Where was Ann in the last two weeks of August?', 'Where was Ann?'],
    ['On 7 May 2023, what did Ann say?', 'what did Ann say?'],
    ['What did she plan between May and July 2023 for us?', 'What did she plan for us?'],
    ['What did Ann paint?', 'What did Ann paint?'],
  ])('leaves the rest of the question: %s', (text, rest) => {
    expect(read(text).without.replace(/^[, ]+/, '')).toBe(rest);
  });

  it.each([
    ['How many cats did he have as of December 2023?', true, false],
    ['Where was she living in May?', true, false],
    ['What did they talk about on 5 March?', false, true],
    ['What did she buy in May?', false, false],
  ])('%s: asks for a state %s, for what was said %s', (text, asksState, asksTold) => {
    expect(read(text)).toMatchObject({ asksState, asksTold });
  });

  it('takes time linear in the length of the question', () => {
    for (const piece of ['between ', 'a week before ', 'early ', 'as of the ', '1 May ', 'do a b c '])
      expect(growth((size) => read(piece.repeat(size)), 150)).toBeLessThan(LINEAR);
  });
});
