/** Languages of phones, as Intl names them; the order decides only where a word means two things. */
const LANGUAGES = (
  'en es pt fr de it nl tr ru id ms ar hi zh-Hans zh-Hant ja ko pl uk ro cs sk hu el bg sr hr bs sl lt lv et fi sv da nb is ' +
  'he fa ur bn pa gu mr ta te kn ml ne si th km lo my vi fil sw af az kk uz ka hy mk sq ca eu gl ga cy am'
).split(' ');

/** Forms that phones write and Intl does not. */
const OTHER_HALVES: Readonly<Record<string, boolean>> = {
  'לפנה״צ': false,
  'אחה״צ': true,
  오전: false,
  오후: true,
  ก่อนเที่ยง: false,
  หลังเที่ยง: true,
  قبلازظهر: false,
  بعدازظهر: true,
  पूर्वाह्न: false,
  अपराह्न: true,
};

/** A word as a key: "p. m." and "PM" are one. */
export function wordKey(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{M}״]+/gu, '');
}

/** The words with which the languages of phones write halves of a day and months, from Intl. */
export class DateWords {
  #hours: ReadonlyMap<string, ReadonlySet<number>> | null = null;
  #months: ReadonlyMap<string, number> | null = null;

  /** The hour of 24 that "6" with this word is; null if the word does not name a part of the day with this hour. */
  hourOf(word: string, shown: number): number | null {
    if (word === '' || shown > 12) return null;
    if (word === 'am' || word === 'pm') return (shown % 12) + (word === 'pm' ? 12 : 0);
    const other = OTHER_HALVES[word];
    if (other !== undefined) return (shown % 12) + (other ? 12 : 0);
    this.#hours ??= hoursByWord();
    const hours = [...(this.#hours.get(word) ?? [])].filter((hour) => hour % 12 === shown % 12);
    return hours[0] ?? null;
  }

  /** From 1; null if the word is no month. */
  monthOf(word: string): number | null {
    this.#months ??= monthsByWord();
    return this.#months.get(word) ?? null;
  }
}

function hoursByWord(): Map<string, Set<number>> {
  const hours = new Map<string, Set<number>>();
  for (const dayPeriod of [undefined, 'short', 'long'] as const)
    for (const language of LANGUAGES) {
      const format = formatOf(language, { hour: 'numeric', hour12: true, dayPeriod });
      for (let hour = 0; hour < 24; hour++)
        for (const { type, value } of format.formatToParts(Date.UTC(2024, 0, 1, hour)))
          if (type === 'dayPeriod') {
            const word = wordKey(value);
            hours.set(word, (hours.get(word) ?? new Set()).add(hour));
          }
    }
  return hours;
}

function monthsByWord(): Map<string, number> {
  const months = new Map<string, number>();
  for (const language of LANGUAGES)
    for (const month of ['long', 'short'] as const)
      for (const day of [undefined, 'numeric'] as const) {
        const format = formatOf(language, { month, day, calendar: 'gregory' });
        for (let number = 1; number <= 12; number++)
          for (const { type, value } of format.formatToParts(Date.UTC(2024, number - 1, 15)))
            if (type === 'month' && !/\p{N}/u.test(value) && !months.has(wordKey(value)))
              months.set(wordKey(value), number);
      }
  return months;
}

function formatOf(language: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' });
}

export interface CalendarDay {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

const DAY = 86_400_000;

/** Years of other calendars, all from 2009 to 2056, when no calendar's years are those of another. */
const CALENDARS: readonly { readonly name: string; readonly from: number; readonly to: number }[] = [
  { name: 'buddhist', from: 2552, to: 2599 },
  { name: 'persian', from: 1387, to: 1429 },
  { name: 'islamic-umalqura', from: 1430, to: 1480 },
];

/** The day in the calendar of the West; null if the other calendar has no such day. */
export function gregorian({ year, month, day }: CalendarDay): CalendarDay | null {
  const calendar = CALENDARS.find(({ from, to }) => year >= from && year <= to);
  if (calendar === undefined) return { year, month, day };
  if (calendar.name === 'buddhist') return { year: year - 543, month, day };
  const format = new Intl.DateTimeFormat(`en-u-ca-${calendar.name}`, {
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    timeZone: 'UTC',
  });
  const shown = (at: number) => {
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type as string, Number(value)]));
    return [
      parts.get('year') ?? parts.get('relatedYear') ?? 0,
      parts.get('month')!,
      parts.get('day')!,
    ] as const;
  };
  const start = calendar.name === 'persian' ? Date.UTC(year + 621, 2, 20) : islamicStart(year);
  const guess = start + ((month - 1) * (calendar.name === 'persian' ? 30.5 : 29.5) + day - 1) * DAY;
  for (let step = -8; step <= 8; step++) {
    const at = Math.round(guess / DAY + step) * DAY;
    const [shownYear, shownMonth, shownDay] = shown(at);
    if (shownYear !== year || shownMonth !== month || shownDay !== day) continue;
    const found = new Date(at);
    return { year: found.getUTCFullYear(), month: found.getUTCMonth() + 1, day: found.getUTCDate() };
  }
  return null;
}

/** About the first day of 1430 was 29 December 2008. */
function islamicStart(year: number): number {
  return Date.UTC(2008, 11, 29) + (year - 1430) * 354.367 * DAY;
}
