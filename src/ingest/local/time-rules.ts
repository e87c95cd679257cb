import type { Milliseconds } from '../../model/ids.ts';
import { dayOf, type Interval, monthOf, shift, span, unitFrom, utc, weekOf, yearOf } from './time-math.ts';
import {
  nearSeason,
  nearWeekday,
  relativeMonth,
  relativeSeason,
  relativeWeekday,
  relativeWeekend,
} from './time-relative.ts';
import { absolute, relative, type TimeContext, type TimeRule } from './time-rule.ts';
import {
  AMOUNT,
  MONTH,
  SEASON,
  SHORT_MONTH,
  SHORT_WEEKDAY,
  toAmount,
  toMonth,
  toSeason,
  toUnit,
  toWeekday,
  UNIT,
  WEEKDAY,
} from './time-words.ts';

const RECURRING = /\b(?:every|each|most|some|other)\s{1,3}(?:single\s|other\s)?$/i;
const PERFECT = /\b(?:have|has|had|'ve|been)\b/i;
const REST_OF = /^\s{1,3}(?:of|in)\b(?!\s+(?:the\s+)?(?:year|month|week))/i;
const NEVER_A_YEAR = /^\s{0,2}(?:%|\$|km|kg|lbs?|miles|people|dollars|steps|calories|pieces|words)/i;

/** Rules in order of strength: a match of an earlier one hides what a later one finds in the same words. */
export const TIME_RULES: readonly TimeRule[] = [
  relative(`\\b(?:the )?day before yesterday\\b`, (_, { reference }) => unitFrom(reference, 'day', -2)),
  relative(`\\b(?:the )?day after tomorrow\\b`, (_, { reference }) => unitFrom(reference, 'day', 2)),
  relative(`\\byesterday\\b|\\blast night\\b`, (_, { reference }) => unitFrom(reference, 'day', -1)),
  relative(`\\btomorrow\\b`, (_, { reference }) => unitFrom(reference, 'day', 1)),
  relative(
    `\\b(?:today|tonight|this (?:morning|afternoon|evening)|earlier today)\\b(?!'s (?:world|society|age))`,
    (_, { reference }) => dayOf(reference),
  ),
  relative(`\\bthe other (?:day|night|evening|morning)\\b`, (_, { reference }) =>
    span(unitFrom(reference, 'day', -7).start, dayOf(reference).start),
  ),
  relative(`\\b(${AMOUNT}) (?:hour|minute)s? ago\\b`, (match, { reference }) =>
    /hour/i.test(match[0]) ? dayOf(reference - toAmount(match[1]!).most * 3_600_000) : dayOf(reference),
  ),
  relative(`\\b(${AMOUNT}) ${UNIT} (?:ago|back|before now)\\b`, (match, context) =>
    amountFrom(match, context.reference, -1),
  ),
  relative(`\\b(?:in|within) (?:the next )?(${AMOUNT}) ${UNIT}\\b(?!'? (?:of|time off))`, (match, context) =>
    context.tense === 'past' ? null : amountFrom(match, context.reference, 1),
  ),
  relative(`\\b(${AMOUNT}) ${UNIT} from (?:now|today)\\b`, (match, context) =>
    amountFrom(match, context.reference, 1),
  ),
  relative(
    `\\b(?:(?:over|in|for|during|within) )?(?:the |these )?(?:last|past) (${AMOUNT}) ${UNIT}\\b`,
    (match, { reference }) => sinceAmount(match, reference),
  ),
  relative(
    `\\b(?:over|during|in) the (?:last|past) (day|week|month|year)\\b`,
    (match, { reference, after }) =>
      REST_OF.test(after) ? null : span(shift(reference, toUnit(match[1]!), -1), reference),
  ),
  relative(`\\b(?:for|since) (?:about |over |almost |nearly |around |the )?(${AMOUNT}) ${UNIT}\\b`, heldFor),
  relative(
    `\\b(?:(?:early|earlier|late|later|all|over|since) )?(?:the )?(last|past|previous|this past|this coming|this|next|coming|following) (week|weekend|month|year)\\b`,
    (match, context) => (REST_OF.test(context.after) ? null : relativeUnit(match, context)),
  ),
  relative(
    `\\b(?:on |since )?(last|past|this past|this coming|this|next|coming) (${WEEKDAY}|(?:${SHORT_WEEKDAY})(?=[\\s.,!?;]|$))\\b`,
    (match, { reference, tense, after }) =>
      REST_OF.test(after) ? null : relativeWeekday(match[1]!, toWeekday(match[2]!), { reference, tense }),
  ),
  relative(`\\b(?:since )?(last|this past|this|next|coming) (${SEASON})\\b`, (match, { reference, tense }) =>
    relativeSeason(match[1]!, toSeason(match[2]!)!, { reference, tense }),
  ),
  relative(`\\b(?:since )?(last|this past|this|next|coming) (${MONTH})\\b`, (match, { reference, tense }) =>
    relativeMonth(match[1]!, toMonth(match[2]!), { reference, tense }),
  ),
  absolute(
    `\\b(since |from )?(?:early |late |mid-?)?(${MONTH}|(?:${SHORT_MONTH})\\b\\.?)(?: of|,)? ((?:19|20)\\d\\d)\\b`,
    (match, { reference }) => onward(match[1], monthOf(Number(match[3]), toMonth(match[2]!)), reference),
  ),
  absolute(`\\b(?:the )?(${SEASON}) (?:of )?((?:19|20)\\d\\d)\\b`, (match) =>
    nearSeason(toSeason(match[1]!)!, Number(match[2])),
  ),
  absolute(`\\b(?:the )?(?:early |mid |late )?((?:19|20)\\d0)'?s\\b`, (match) =>
    span(utc(Number(match[1]), 0), utc(Number(match[1]) + 10, 0)),
  ),
  absolute(
    `\\b(since|in|back in|from|until|till|by|of|during|around|before|after|early|late|year|summer|winter|through)( late| early| mid)? ((?:19|20)\\d\\d)\\b(?![-/.:]\\d)`,
    (match, { reference, after }) =>
      NEVER_A_YEAR.test(after) ? null : onward(match[1], yearOf(Number(match[3])), reference),
  ),
  absolute(`^\\s{0,3}((?:19|20)\\d\\d)\\s{0,3}$`, (match) => yearOf(Number(match[1]))),
  relative(
    `\\b(?:on |this |since |until |by |come )?(${WEEKDAY})\\b(?! (?:nights|mornings|afternoons|evenings|night lights))`,
    (match, context) => (RECURRING.test(context.before) ? null : nearWeekday(toWeekday(match[1]!), context)),
  ),
  relative(`\\bon (${SHORT_WEEKDAY})(?=[\\s.,!?;]|$)`, (match, context) =>
    isCapital(match[1]!) ? nearWeekday(toWeekday(match[1]!), context) : null,
  ),
  relative(
    `\\b(in|back in|since|during|until|by|for|early|late|mid|of)[ -](${MONTH})\\b(?! \\d)`,
    (match, context) => bareMonth(match, context),
  ),
  relative(
    `\\b(?:in|during|over|since) (?:the )?(${SEASON})\\b(?!s| break)`,
    (match, { reference, tense }) => {
      const season = toSeason(match[1]!)!;
      if (tense === 'unknown' || tense === 'present') return null;
      return relativeSeason(tense === 'past' ? 'last' : 'coming', season, { reference, tense });
    },
  ),
];

/** "Two weeks ago" is the calendar week that far back, "a few weeks ago" the span of all that it may mean. */
function amountFrom(match: RegExpExecArray, reference: Milliseconds, sign: 1 | -1): Interval {
  const { least, most } = toAmount(match[1]!);
  const unit = toUnit(match[2]!);
  if (least === most) return unitFrom(reference, unit, sign * least);
  const [near, far] = [shift(reference, unit, sign * least), shift(reference, unit, sign * most)];
  return span(dayOf(Math.min(near, far)).start, dayOf(Math.max(near, far)).end);
}

function sinceAmount(match: RegExpExecArray, reference: Milliseconds): Interval {
  return span(shift(reference, toUnit(match[2]!), -toAmount(match[1]!).most), reference);
}

/** "For three years" reaches up to now only when it still goes on; after a plain past it has no known end. */
function heldFor(match: RegExpExecArray, context: TimeContext): Interval | null {
  const goesOn =
    PERFECT.test(context.before) || context.tense === 'unknown' || /^\s{0,2}now\b/i.test(context.after);
  return goesOn ? sinceAmount(match, context.reference) : null;
}

function relativeUnit(match: RegExpExecArray, { reference, tense }: TimeContext): Interval {
  const direction = match[1]!.toLowerCase();
  const unit = toUnit(match[2]!);
  if (unit === 'weekend') return relativeWeekend(direction, { reference, tense });
  if (direction === 'this') return unit === 'week' ? weekOf(reference) : unitFrom(reference, unit, 0);
  const back = ['last', 'past', 'previous', 'this past'].includes(direction);
  return unitFrom(reference, unit, back ? -1 : 1);
}

/** "Since 2016" lasts until it was said; any other preposition leaves the period as it is. */
function onward(preposition: string | undefined, period: Interval, reference: Milliseconds): Interval | null {
  if (!/^since/i.test(preposition ?? '')) return period;
  return period.start < reference ? span(period.start, reference) : null;
}

/** "May" and "March" are months only when written with a capital. */
function bareMonth(match: RegExpExecArray, { reference, tense }: TimeContext): Interval | null {
  const name = match[2]!;
  if (!isCapital(name) && /^(?:may|march)$/i.test(name)) return null;
  // What is booked "for April" lies ahead, however it is told.
  const back =
    !/^for$/i.test(match[1]!) && (tense === 'past' || tense === 'unknown' || /since/i.test(match[1]!));
  const period = relativeMonth(back ? 'recent' : 'coming', toMonth(name), {
    reference,
    tense: back ? tense : 'future',
  });
  return onward(match[1], period, reference);
}

function isCapital(word: string): boolean {
  return word.charAt(0) !== word.charAt(0).toLowerCase();
}
