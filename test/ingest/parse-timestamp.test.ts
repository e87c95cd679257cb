import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseTimestamp } from '../../src/util/parse-timestamp.ts';

describe.each(['UTC', 'America/New_York', 'Asia/Tokyo'])('parseTimestamp with TZ=%s', (zone) => {
  const before = process.env.TZ;
  beforeEach(() => {
    process.env.TZ = zone;
  });
  afterEach(() => {
    process.env.TZ = before ?? 'UTC';
  });

  it.each([
    ['2023-05-08T13:56:00Z', '2023-05-08T13:56:00.000Z'],
    ['2023-05-08T13:56:00', '2023-05-08T13:56:00.000Z'],
    ['2023-05-08T13:56:07.250+02:00', '2023-05-08T11:56:07.250Z'],
    ['2023-05-08T23:30-0500', '2023-05-09T04:30:00.000Z'],
    ['2023-05-08 13:56', '2023-05-08T13:56:00.000Z'],
    ['2023-05-08', '2023-05-08T00:00:00.000Z'],
    ['20230508T135600Z', '2023-05-08T13:56:00.000Z'],
    ['1:56 pm on 8 May, 2023', '2023-05-08T13:56:00.000Z'],
    ['12:09 am on 13 September, 2023', '2023-09-13T00:09:00.000Z'],
    ['2023/05/30 (Tue) 20:42', '2023-05-30T20:42:00.000Z'],
    ['May 8, 2023 1:56 PM', '2023-05-08T13:56:00.000Z'],
    ['Mon, 08 May 2023 13:56:00 GMT', '2023-05-08T13:56:00.000Z'],
    ['1683554160000', '2023-05-08T13:56:00.000Z'],
  ])('%s', (text, expected) => {
    const time = parseTimestamp(text);
    expect(time === null ? null : new Date(time).toISOString()).toBe(expected);
  });

  it.each([
    '',
    'soon',
    '8/5/2023',
    '2023-02-30',
    '2023-13-01',
    '2023-05-08T25:00',
    '8 May 2023 and more',
    'x'.repeat(1e6),
  ])('rejects %#', (text) => {
    expect(parseTimestamp(text)).toBeNull();
  });
});

it('parseTimestamp accepts dates and numbers', () => {
  expect(parseTimestamp(new Date(42))).toBe(42);
  expect(parseTimestamp(42.9)).toBe(42);
  expect(parseTimestamp(Number.NaN)).toBeNull();
  expect(parseTimestamp(new Date(Number.NaN))).toBeNull();
});
