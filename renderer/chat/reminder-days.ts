import { DAY, text } from '../strings/text.ts';

const weekday = new Intl.DateTimeFormat(undefined, { weekday: 'long', timeZone: 'UTC' });

/** "Today", "Tomorrow", "Thursday"; "A year ago today" for the same day of an earlier year. `day` is at 0:00 UTC; `now` is what a clock here shows, in the form of a UTC time. */
export function dayWords(day: number, now: number): string {
  const words = text.chat.reminders;
  const days = Math.floor(day / DAY) - Math.floor(now / DAY);
  if (days < 0) return words.yearsAgo(new Date(now).getUTCFullYear() - new Date(day).getUTCFullYear());
  return [words.today, words.tomorrow][days] ?? weekday.format(day);
}
