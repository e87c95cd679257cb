import { expect, it } from 'vitest';
import { isTimeZone, zoneOffset } from '../../src/util/time-zone.ts';

const HOUR = 3_600_000;
const [SUMMER, WINTER] = [Date.UTC(2026, 6, 1), Date.UTC(2026, 0, 1)];

it.each([
  ['UTC', SUMMER, 0],
  ['Europe/Oslo', SUMMER, 2],
  ['Europe/Oslo', WINTER, 1],
  ['America/New_York', WINTER, -5],
  ['Asia/Kolkata', WINTER, 5.5],
  ['America/St_Johns', WINTER, -3.5],
])('%s at %d is %d hours ahead', (zone, at, hours) => expect(zoneOffset(zone, at)).toBe(hours * HOUR));

it('knows what a zone is', () => {
  expect(['Europe/Oslo', 'UTC', 'Mars/Base', ''].map(isTimeZone)).toEqual([true, true, false, false]);
});
