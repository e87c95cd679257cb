import type { Milliseconds } from '../../model/ids.ts';
import type { Tense } from './tense.ts';
import { DAY, dayOf, type Interval, shift, span, startOfDay, unitFrom, utc, weekdayOf } from './time-math.ts';
import { nearWeekday, relativeMonth, relativeWeekday } from './time-relative.ts';
import { relative, type TimeContext, type TimeRule } from './time-rule.ts';
import { AMOUNT, MONTH, toAmount, toMonth, toUnit, toWeekday, WEEKDAY } from './time-words.ts';

const DAY_NUMBER = '([12]\\d|3[01]|0?[1-9])(?:st|nd|rd|th)';
/** What may follow a bare "on the 3rd"; a noun would make it a floor or a try. */
const NO_NOUN = '(?=\\s{0,2}(?:[.,!?;)]|$)|\\s(?:and|at|but|so|with|for|to|in|when|because)\\b)';
const ORDINALS = ['first', 'second', 'third', 'fourth'];
const FEASTS: Readonly<Record<string, readonly [month: number, day: number]>> = {
  'christmas eve': [11, 24],
  'christmas day': [11, 25],
  "new year's eve": [11, 31],
  "new year's day": [0, 1],
  halloween: [9, 31],
  "valentine's day": [1, 14],
};

/** No exact rule matches a text without one of these. */
export const EXACT_CUE =
  /\bago\b|\bfrom (?:today|tomorrow|next|this|\w{2,6}day)|before last|after next|fortnight|\d(?:st|nd|rd|th)\b|\bthe (?:first|second|third|fourth|last) |christmas|new year|halloween|valentine/i;

/** Expressions that name one day, or count from another time than now; each would else be read by its parts. */
export const EXACT_RULES: readonly TimeRule[] = [
  relative(`\\b(${AMOUNT}) (day|week|month|year)s? ago (?:today|tonight|to the day)\\b`, dayBack),
  relative(`\\b(?:exactly|precisely) (${AMOUNT}) (day|week|month|year)s? ago\\b`, dayBack),
  relative(`\\b(${AMOUNT}) weeks? ago,? (?:on |last |this past )?(${WEEKDAY})\\b`, (match, { reference }) =>
    weekdayNear(toWeekday(match[2]!), reference - exact(match[1]!) * 7 * DAY),
  ),
  relative(`\\b(?:on |last )?(${WEEKDAY}),? (${AMOUNT}) weeks? ago\\b`, (match, { reference }) =>
    weekdayNear(toWeekday(match[1]!), reference - exact(match[2]!) * 7 * DAY),
  ),
  relative(
    `\\b(${AMOUNT}) (day|week|month|year)s? from (today|tomorrow|(?:next |this |this coming )?(?:${WEEKDAY}))\\b`,
    dayOnward,
  ),
  relative(`\\b(${AMOUNT}) (${WEEKDAY})s ago\\b`, (match, { reference }) => {
    const last = relativeWeekday('last', toWeekday(match[2]!), { reference, tense: 'past' });
    return dayOf(last.start - (exact(match[1]!) - 1) * 7 * DAY);
  }),
  relative(`\\b(?:on )?the (${WEEKDAY}) before last\\b(?! [a-z])`, (match, { reference }) => {
    const last = relativeWeekday('last', toWeekday(match[1]!), { reference, tense: 'past' });
    return dayOf(last.start - 7 * DAY);
  }),
  relative('\\bthe (week|weekend|month|year) after next\\b', (match, { reference }) =>
    unitFrom(reference, toUnit(match[1]!), 2),
  ),
  relative('\\b(?:a|one) fortnight ago\\b', (_, { reference }) => unitFrom(reference, 'week', -2)),
  relative('\\bin a fortnight\\b', (_, { reference }) => unitFrom(reference, 'week', 2)),
  relative('\\bhalf a year ago\\b', (_, { reference }) => unitFrom(reference, 'month', -6)),
  relative('\\b(?:a|one) year and a half ago\\b', (_, { reference }) => unitFrom(reference, 'month', -18)),
  relative(`\\b(?:on )?the ${DAY_NUMBER} (?:of )?(last|this|next) month\\b`, (match, { reference }) =>
    dayOfMonth(Number(match[1]), reference, monthStep(match[2]!)),
  ),
  relative(`\\b(last|this|next) month,? on the ${DAY_NUMBER}\\b`, (match, { reference }) =>
    dayOfMonth(Number(match[2]), reference, monthStep(match[1]!)),
  ),
  relative(
    `\\b(?:on )?the (${ORDINALS.join('|')}|last) (${WEEKDAY}|week|weekend) (?:of|in) (?:(last|this|next) month|(${MONTH})(?: ((?:19|20)\\d\\d))?)\\b`,
    partOfMonth,
  ),
  relative(`\\bon the ${DAY_NUMBER}${NO_NOUN}`, bareDay),
  relative(
    `\\b(?:on |last |this |next )?(${Object.keys(FEASTS).join('|')})\\b(?! (?:party|dinner|lunch|costume))`,
    feast,
  ),
];

function exact(words: string): number {
  return toAmount(words).most;
}

/** "A month ago today" is a day, where "a month ago" is a month. */
function dayBack(match: RegExpExecArray, { reference }: TimeContext): Interval {
  return dayOf(shift(reference, toUnit(match[2]!), -exact(match[1]!)));
}

function weekdayNear(weekday: number, time: Milliseconds): Interval {
  const ahead = (weekday - weekdayOf(time) + 7) % 7;
  return dayOf(time + (ahead > 3 ? ahead - 7 : ahead) * DAY);
}

function dayOnward(match: RegExpExecArray, { reference }: TimeContext): Interval {
  const from = match[3]!.toLowerCase().split(' ');
  const anchor = { reference, tense: 'future' as Tense };
  const base =
    from[0] === 'today' || from[0] === 'tomorrow'
      ? startOfDay(reference) + (from[0] === 'tomorrow' ? DAY : 0)
      : from.length > 1
        ? relativeWeekday(from.slice(0, -1).join(' '), toWeekday(from.at(-1)!), anchor).start
        : nearWeekday(toWeekday(from[0]!), anchor).start;
  return dayOf(shift(base, toUnit(match[2]!), exact(match[1]!)));
}

function monthStep(direction: string): number {
  return { last: -1, this: 0, next: 1 }[direction.toLowerCase()] ?? 0;
}

/** Null for a 31st that the month does not have. */
function dayOfMonth(day: number, reference: Milliseconds, months: number): Interval | null {
  const date = new Date(reference);
  const start = utc(date.getUTCFullYear(), date.getUTCMonth() + months, day);
  return new Date(start).getUTCDate() === day ? dayOf(start) : null;
}

/** "On the 30th": the nearest month that has one, back for a past, else ahead. */
function bareDay(match: RegExpExecArray, { reference, tense, before }: TimeContext): Interval | null {
  if (tense === 'unknown' || /\b(?:every|each)\b/i.test(before)) return null;
  const [day, today] = [Number(match[1]), startOfDay(reference)];
  for (const off of [0, 1, 2]) {
    const found = dayOfMonth(day, reference, tense === 'past' ? -off : off);
    if (found !== null && (tense === 'past' ? found.start <= today : found.start >= today)) return found;
  }
  return null;
}

/** "The last Friday of January", "the first week of next month". */
function partOfMonth(match: RegExpExecArray, { reference, tense }: TimeContext): Interval | null {
  const month = monthMeant(match, { reference, tense });
  const place = ORDINALS.indexOf(match[1]!.toLowerCase());
  const part = match[2]!.toLowerCase();
  if (part === 'week') {
    return place < 0
      ? span(month.end - 7 * DAY, month.end)
      : span(month.start + place * 7 * DAY, month.start + (place + 1) * 7 * DAY);
  }
  const weekday = part === 'weekend' ? 6 : toWeekday(part);
  const first = month.start + ((weekday - weekdayOf(month.start) + 7) % 7) * DAY;
  const last = month.end - DAY - ((weekdayOf(month.end - DAY) - weekday + 7) % 7) * DAY;
  const start = place < 0 ? last : first + place * 7 * DAY;
  return part === 'weekend' ? span(start, start + 2 * DAY) : dayOf(start);
}

function monthMeant(
  match: RegExpExecArray,
  { reference, tense }: Pick<TimeContext, 'reference' | 'tense'>,
): Interval {
  if (match[3] !== undefined) return unitFrom(reference, 'month', monthStep(match[3]));
  const month = toMonth(match[4]!);
  if (match[5] !== undefined) return unitFrom(utc(Number(match[5]), month), 'month', 0);
  const isAhead = tense === 'future';
  return relativeMonth(isAhead ? 'coming' : 'recent', month, { reference, tense });
}

function feast(match: RegExpExecArray, { reference, tense }: TimeContext): Interval | null {
  const direction = /^(?:last|this|next)/i.exec(match[0])?.[0].toLowerCase();
  const [month, day] = FEASTS[match[1]!.toLowerCase()]!;
  const year = new Date(reference).getUTCFullYear();
  const [back, today] = [
    direction === 'last' || (direction === undefined && tense === 'past'),
    startOfDay(reference),
  ];
  const days = [year - 1, year, year + 1].map((each) => utc(each, month, day));
  if (back)
    return dayOf(days.findLast((each) => each < today || (each === today && direction === undefined))!);
  return tense === 'unknown' && direction === undefined ? null : dayOf(days.find((each) => each >= today)!);
}
