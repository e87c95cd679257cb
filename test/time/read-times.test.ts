import { describe, expect, it } from 'vitest';
import { readTimes } from '../../src/time/read-times.ts';

/** Tuesday. */
const REFERENCE = Date.UTC(2024, 0, 9, 20, 15);

function day(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

function read(text: string, reference = REFERENCE): string[] {
  return readTimes(text, { reference }).map(({ interval }) => {
    return `${interval.precision} ${day(interval.start)} ${day(interval.end)}`;
  });
}

describe('readTimes', () => {
  it.each([
    ['We moved in yesterday.', 'day 2024-01-08 2024-01-09'],
    ['He called the day before yesterday.', 'day 2024-01-07 2024-01-08'],
    ['I will ring the dentist tomorrow.', 'day 2024-01-10 2024-01-11'],
    ['She cooked last night.', 'day 2024-01-08 2024-01-09'],
    ['The fence fell over last Friday.', 'day 2024-01-05 2024-01-06'],
    ['Last Tuesday was grim.', 'day 2024-01-02 2024-01-03'],
    ['I saw him on Wednesday.', 'day 2024-01-03 2024-01-04'],
    ['I will see him on Wednesday.', 'day 2024-01-10 2024-01-11'],
    ['My exam is next Thursday, I will be ready.', 'day 2024-01-18 2024-01-19'],
    ['We were ill last week.', 'week 2024-01-01 2024-01-08'],
    ['The course starts next week.', 'week 2024-01-15 2024-01-22'],
    ['We got the keys the week before 14 December 2023.', 'week 2023-12-04 2023-12-11'],
    ['I quit the week before last.', 'week 2023-12-25 2024-01-01'],
    ['They left the day after 31 December 2023.', 'day 2024-01-01 2024-01-02'],
    ['I fell ill the Monday before last Friday.', 'day 2024-01-01 2024-01-02'],
    ['We hiked last weekend.', 'span 2024-01-06 2024-01-08'],
    ['We will hike this weekend.', 'span 2024-01-13 2024-01-15'],
    ['We hiked this weekend.', 'span 2024-01-06 2024-01-08'],
    ['I sold the van last month.', 'month 2023-12-01 2024-01-01'],
    ['I am selling the van next month.', 'month 2024-02-01 2024-03-01'],
    ['They married last year.', 'year 2023-01-01 2024-01-01'],
    ['They married two years ago.', 'year 2022-01-01 2023-01-01'],
    ['He arrived three weeks ago.', 'week 2023-12-18 2023-12-25'],
    ['He arrived a few days ago.', 'about 2024-01-04 2024-01-08'],
    ['We will go in two weeks.', 'week 2024-01-22 2024-01-29'],
    ['We swam last summer.', 'season 2023-06-01 2023-09-01'],
    ['We are going to swim this summer.', 'season 2024-06-01 2024-09-01'],
    ['It snowed in November.', 'month 2023-11-01 2023-12-01'],
    ['We planted it in January.', 'month 2024-01-01 2024-02-01'],
    ['I will defend my thesis in March.', 'month 2024-03-01 2024-04-01'],
    ['We watched the fireworks on the 4th of July.', 'day 2023-07-04 2023-07-05'],
    ['We will watch the fireworks on the 4th of July.', 'day 2024-07-04 2024-07-05'],
    ['She was born on 29 February 2000.', 'day 2000-02-29 2000-03-01'],
    ['I graduated in 2022.', 'year 2022-01-01 2023-01-01'],
    ['2022', 'year 2022-01-01 2023-01-01'],
    ['I have lived here since 2016.', 'year 2016-01-01 2017-01-01'],
    ['I have been a nurse for three years.', 'year 2021-01-01 2022-01-01'],
    ['We went in June 2021.', 'month 2021-06-01 2021-07-01'],
    ['I joined a month ago today.', 'day 2023-12-09 2023-12-10'],
    ['I joined exactly two weeks ago.', 'day 2023-12-26 2023-12-27'],
    ['We met a week ago on Saturday.', 'day 2023-12-30 2023-12-31'],
    ['We leave a week from Friday.', 'day 2024-01-19 2024-01-20'],
    ['We leave three days from now.', 'day 2024-01-12 2024-01-13'],
    ['I saw her two Fridays ago.', 'day 2023-12-29 2023-12-30'],
    ['I saw her the Monday before last.', 'day 2024-01-01 2024-01-02'],
    ['We will go the weekend after next.', 'span 2024-01-27 2024-01-29'],
    ['We sold it half a year ago.', 'month 2023-07-01 2023-08-01'],
    ['I paid on the 30th of last month.', 'day 2023-12-30 2023-12-31'],
    ['I paid on the 31st.', 'day 2023-12-31 2024-01-01'],
    ['I sang on the last Friday of November.', 'day 2023-11-24 2023-11-25'],
    ['We got engaged on Christmas Eve.', 'day 2023-12-24 2023-12-25'],
    ['I booked a room for April.', 'month 2024-04-01 2024-05-01'],
    ['It snowed in mid-November.', 'month 2023-11-01 2023-12-01'],
    ['The fair ran from May 3 to May 7, 2023.', 'span 2023-05-03 2023-05-08'],
  ])('%s', (text, expected) => {
    expect(read(text)).toEqual([expected]);
  });

  it.each([
    // Ahead unless the verb is past.
    ['2026-05-12', 'The concert is on 12 December.', 'day 2026-12-12 2026-12-13'],
    ['2026-05-12', 'The concert was on 12 December.', 'day 2025-12-12 2025-12-13'],
    ['2026-05-12', 'She dug the pond on 12 December.', 'day 2025-12-12 2025-12-13'],
    ['2026-05-12', 'Our fair takes place on March 3.', 'day 2027-03-03 2027-03-04'],
    ['2026-05-12', 'The fair is on the first Saturday of March.', 'day 2027-03-06 2027-03-07'],
    // The weekday decides.
    ['2026-04-05', 'My exam was moved to Thursday 9 April.', 'day 2026-04-09 2026-04-10'],
    ['2026-04-05', 'Thursday, April 9: exam', 'day 2026-04-09 2026-04-10'],
    ['2026-04-05', 'We sang there on Wednesday 9 April.', 'day 2025-04-09 2025-04-10'],
    // What was arranged lies ahead, unless it has just been.
    ['2024-01-20', 'I managed to plan a vacation for the 10th of February.', 'day 2024-02-10 2024-02-11'],
    ['2024-01-20', 'The match was postponed to 3 March.', 'day 2024-03-03 2024-03-04'],
    ['2024-01-20', 'They invited me to speak in May.', 'month 2024-05-01 2024-06-01'],
    ['2024-03-05', 'The match was postponed to 3 March, and we won.', 'day 2024-03-03 2024-03-04'],
    // A close day that a past verb does not have: after a perfect, before a noun, after a present verb.
    ['2024-11-24', 'I have enrolled in a 1 December workshop.', 'day 2024-12-01 2024-12-02'],
    ['2024-11-24', 'I’ve got a fair planned with Ana on December 7.', 'day 2024-12-07 2024-12-08'],
    ['2024-11-24', 'I finished the notes for our December 10 session.', 'day 2024-12-10 2024-12-11'],
    ['2024-11-24', 'We bought tickets for the December 7 show.', 'day 2024-12-07 2024-12-08'],
    ['2024-11-24', 'Mara finished the notes for Mara’s 10 December session.', 'day 2024-12-10 2024-12-11'],
    ['2024-11-24', 'Mara is kind of stressed about a fair on 28 November.', 'day 2024-11-28 2024-11-29'],
    ['2024-11-24', 'I am so stressed about a fair on 28 November.', 'day 2024-11-28 2024-11-29'],
    ['2024-11-24', 'I am at a fair on 28 November that Ana invited me to.', 'day 2024-11-28 2024-11-29'],
    ['2024-05-24', 'I have enrolled in a 1 December workshop.', 'day 2023-12-01 2023-12-02'],
    ['2024-11-24', 'We sang on the 7th of December.', 'day 2023-12-07 2023-12-08'],
    ['2024-11-24', 'I have a boat, and I painted it on 7 December.', 'day 2023-12-07 2023-12-08'],
    ['2024-12-03', 'I have registered for a fair on 1 December.', 'day 2024-12-01 2024-12-02'],
    // A weekend, a season and a weekday by the tense of their clause.
    ['2026-04-08', 'I will call. I met Dr. Klein this weekend. I will pay.', 'span 2026-04-04 2026-04-06'],
    ['2026-04-08', 'I will see St. Olav’s this weekend. I was ill.', 'span 2026-04-11 2026-04-13'],
    ['2026-04-08', 'This weekend I baked bread.', 'span 2026-04-04 2026-04-06'],
    ['2026-04-08', 'I baked bread this weekend and I will bake rolls soon.', 'span 2026-04-04 2026-04-06'],
    ['2026-04-08', 'I will bake bread this weekend, and we had rolls before.', 'span 2026-04-11 2026-04-13'],
    ['2026-04-08', 'We painted the fence over the weekend.', 'span 2026-04-04 2026-04-06'],
    ['2026-04-11', 'We baked bread this weekend.', 'span 2026-04-11 2026-04-13'],
    ['2026-03-08', 'This winter was long.', 'season 2025-12-01 2026-03-01'],
    ['2026-04-08', 'I ran home this Monday.', 'day 2026-04-06 2026-04-07'],
    // "Next" is of the next week, "this" and "on" the coming one.
    ['2026-04-06', 'The fair is next Saturday.', 'day 2026-04-18 2026-04-19'],
    ['2026-04-06', 'The fair is this Saturday.', 'day 2026-04-11 2026-04-12'],
    ['2026-04-06', 'The fair is on Saturday.', 'day 2026-04-11 2026-04-12'],
    ['2026-04-12', 'The fair is next Saturday.', 'day 2026-04-18 2026-04-19'],
    // Somewhere between two bounds.
    ['2026-04-06', 'I moved to Bergen a few years back.', 'about 2021-04-06 2024-04-07'],
    ['2026-04-06', 'I lost it the other day.', 'about 2026-03-30 2026-04-06'],
  ])('said on %s: %s', (day, text, expected) => {
    expect(read(text, Date.parse(day))).toEqual([expected]);
  });

  it.each([
    ['I have been learning the harp for two years now.', 'year 2024-01-01 2025-01-01'],
    ['I have been a vegetarian for three weeks.', 'week 2026-03-16 2026-03-23'],
    ['I have lived here since May.', 'month 2025-05-01 2025-06-01'],
    ['I sleep well since the end of August.', 'month 2025-08-01 2025-09-01'],
    ['I eat no meat since early August.', 'month 2025-08-01 2025-09-01'],
    ['I have played for the last two years.', 'year 2024-01-01 2025-01-01'],
  ])('reads a beginning and no end: %s', (text, expected) => {
    const reference = Date.parse('2026-04-06');
    expect(read(text, reference)).toEqual([expected]);
    expect(readTimes(text, { reference })).toMatchObject([{ begins: true }]);
  });

  it('shows an imprecise time as such', () => {
    const [time] = readTimes('I moved a few years back.', { reference: Date.parse('2026-04-06') });
    expect(time).toMatchObject({ shown: 'around April 2021–April 2024', begins: false });
  });

  it.each(['12 December', 'Snow in December', 'Concert on the 12th of December'])(
    'gives no year to what neither a verb nor a weekday dates: %s',
    (text) => {
      expect(read(text)).toEqual([]);
    },
  );

  it.each([
    'It may rain.',
    'The cat sat down.',
    'Give me a second.',
    'I am busy right now.',
    'They march every spring.',
    'The sun was out.',
    'I have 3 cats and 12 fish.',
    'Rated 4/5, open 24/7.',
    'I get up at 6am.',
    'We play every Friday.',
    'I worked there for three years.',
    'The last week of school was fun.',
    'He came back a week later.',
    'The trail is 2000 miles long.',
    'I live on the 3rd floor.',
    'The rent is due on the 3rd of every month.',
  ])('reads no time in: %s', (text) => {
    expect(read(text)).toEqual([]);
  });

  it('keeps the words and says whether they need the time of the talk', () => {
    const [relative] = readTimes('We met last Friday.', { reference: REFERENCE });
    expect(relative).toMatchObject({
      relative: true,
      shown: '5 January 2024',
      interval: { text: 'last Friday' },
    });
    const [absolute] = readTimes('We met in 2019.', { reference: REFERENCE });
    expect(absolute).toMatchObject({ relative: false, shown: '2019' });
  });

  it('crosses the ends of months and years', () => {
    expect(read('I saw it yesterday.', Date.UTC(2024, 2, 1))).toEqual(['day 2024-02-29 2024-03-01']);
    expect(read('I saw it last month.', Date.UTC(2024, 2, 31))).toEqual(['month 2024-02-01 2024-03-01']);
    expect(read('I saw it last week.', Date.UTC(2025, 0, 1))).toEqual(['week 2024-12-23 2024-12-30']);
  });

  it('leaves a speaker called April alone', () => {
    const options = { reference: REFERENCE, ignore: ['April 2nd', 'April'] };
    expect(readTimes('Everyone waited, since April was late.', options)).toEqual([]);
  });

  it('gives the same on machines of all time zones', () => {
    const before = process.env.TZ;
    const text = 'I went yesterday, on 3 March 2023 and on the 2nd of May.';
    const results = ['UTC', 'Pacific/Kiritimati', 'America/Los_Angeles', 'Asia/Kolkata'].map((zone) => {
      process.env.TZ = zone;
      return JSON.stringify([0, 11, 23].map((hour) => read(text, Date.UTC(2023, 4, 8, hour, 30))));
    });
    process.env.TZ = before ?? 'UTC';
    expect(new Set(results).size).toBe(1);
    expect(results[0]).toContain('day 2023-05-07 2023-05-08');
  });
});

describe('the day that something was put to', () => {
  /** Monday, 4 May 2026. */
  const monday = Date.UTC(2026, 4, 4, 10);
  const shown = (text: string) =>
    readTimes(text, { reference: monday, tense: undefined }).map((each) => each.shown);

  it.each<[text: string, day: string]>([
    ['The meeting was moved to Thursday.', '7 May 2026'],
    ['The meeting has been moved to Thursday.', '7 May 2026'],
    ['They moved the meeting to Thursday afternoon.', '7 May 2026'],
    ['My dentist appointment got rescheduled to Friday.', '8 May 2026'],
    ['The meeting was rescheduled for this Thursday.', '7 May 2026'],
    ['The flight was booked for Sunday.', '10 May 2026'],
    ['The flight was rebooked for Sunday.', '10 May 2026'],
    ['I booked a table for Friday.', '8 May 2026'],
    ['The party was planned for Saturday.', '9 May 2026'],
    ['The deadline was extended to Wednesday.', '6 May 2026'],
    ['The deadline has been extended until Wednesday.', '6 May 2026'],
    ['My shift was changed to Tuesday.', '5 May 2026'],
    ['The launch got pushed back to Friday.', '8 May 2026'],
    ['The launch was brought forward to Tuesday.', '5 May 2026'],
    ['The exam was postponed until Thursday.', '7 May 2026'],
    ['The exam was put off till Thursday.', '7 May 2026'],
    ['We postponed the trip to Saturday.', '9 May 2026'],
    ['The hearing was adjourned to Thursday.', '7 May 2026'],
    ['The call was switched to Wednesday morning.', '6 May 2026'],
    ['The review was shifted to Friday.', '8 May 2026'],
    ['I made a dentist appointment for Thursday.', '7 May 2026'],
    ['The wedding was confirmed for Saturday.', '9 May 2026'],
    ['The game was moved to the weekend.', '9–10 May 2026'],
    ['The game was moved to this weekend.', '9–10 May 2026'],
    ['The party was set for Christmas Eve.', '24 December 2026'],
    ['The concert was postponed to June.', 'June 2026'],
    ['The meeting was moved to next Monday.', '11 May 2026'],
    ['The move was fixed for 9 May.', '9 May 2026'],
    ['The deadline is now Friday.', '8 May 2026'],
    ['The meeting was moved from Tuesday to Thursday.', '7 May 2026'],
    ['The report was due by Friday.', '8 May 2026'],
  ])('is ahead: %s', (text, day) => {
    expect(shown(text)).toEqual([day]);
  });

  it.each<[text: string, day: string]>([
    ['We met on Thursday.', '30 April 2026'],
    ['I was moved to tears on Thursday.', '30 April 2026'],
    ['It was moved there last Thursday.', '30 April 2026'],
    ["I was moved by Thursday's concert.", '30 April 2026'],
    ['We moved to Ghent on Friday.', '1 May 2026'],
    ["She brought cake to Thursday's meeting.", '30 April 2026'],
    ['He changed his mind on Tuesday.', '28 April 2026'],
    ['I changed to decaf on Tuesday.', '28 April 2026'],
    ['I signed up for a class on Tuesday.', '28 April 2026'],
    ['We fixed the bug by Friday.', '1 May 2026'],
    ['I had a meeting on Thursday.', '30 April 2026'],
    ['The deadline was Friday.', '1 May 2026'],
  ])('is past: %s', (text, day) => {
    expect(shown(text)).toEqual([day]);
  });

  it('of a season is the present one in the past tense', () => {
    expect(shown('I moved in spring.')).toEqual(['spring 2026']);
    expect(shown('I moved in winter.')).toEqual(['winter 2025']);
  });
});

describe('months ahead and behind', () => {
  /** Monday, 15 June 2026. */
  const monday = Date.UTC(2026, 5, 15, 10);
  const shown = (text: string) => readTimes(text, { reference: monday }).map((each) => each.shown);

  it.each<[text: string, time: string]>([
    ['I booked a cabin for the last two weeks of July with Tom.', '18–31 July 2026'],
    ['We are away the first ten days of August.', '1–10 August 2026'],
    ['I was ill for the first two weeks of May.', '1–14 May 2026'],
    ['I spent the last three days of April in Rome.', '28–30 April 2026'],
    ['The last two weeks of August 2025 were hot.', '18–31 August 2025'],
    // No word with "ed" at its end is past for that.
    ['My passport expires in September, I need to renew it.', 'September 2026'],
    ['I need a new coat in October.', 'October 2026'],
    ['We planted a hundred trees in March.', 'March 2026'],
  ])('%s', (text, time) => expect(shown(text)).toEqual([time]));
});
