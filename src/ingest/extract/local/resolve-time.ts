import { type ParsedComponents, strict } from 'chrono-node';
import type { Milliseconds } from '../../../model/ids.ts';
import type { TimeInterval } from '../../../model/nodes.ts';
import {
  DAY,
  dayOf,
  describeInterval,
  type Interval,
  inferTense,
  span,
  startOfDay,
  type Tense,
  unitFrom,
  utc,
  weekOf,
} from './time-math.ts';
import {
  EXACT_CUE,
  EXACT_RULES,
  TIME_RULES,
  type TimeRule,
  toUnit,
  toWeekday,
  WEEKDAY,
} from './time-rules.ts';

/** Longer texts are read up to here. */
export const MAX_TIME_TEXT = 2_000;
/** What lies further off is a misreading (a price, a part number), not a memory. */
const [EARLIEST, LATEST] = [utc(1000, 0), utc(2200, 0)];

const ANY_TIME =
  /\d|\b(?:today|tonight|yesterday|tomorrow|last|this|next|past|ago|back|since|for|the other|the|in|on|over|during|until|by|early|late|mid|of|from (?:now|today|tomorrow|next|this)|coming|christmas|year's|halloween|(?:sun|mon|tues|wednes|thurs|fri|satur)day)\b/i;
const BEFORE_OR_AFTER = new RegExp(
  `\\bthe (night|day|week|weekend|month|year|${WEEKDAY}) (before|prior to|preceding|after|following) `,
  'gi',
);
/** How far after "the week before" its anchor may begin: "the", "on", "my". */
const ANCHOR_GAP = 4;
const SLASH_WITHOUT_YEAR = /^\d{1,2}\/\d{1,2}$/;
const MODAL_MONTH = /^(?:may|march)\b|\b(?:may|march)$/;

export interface TimeMention {
  readonly interval: TimeInterval;
  readonly index: number;
  readonly length: number;
  /** Whether the words mean nothing without the time they were said at. */
  readonly relative: boolean;
  /** The interval in absolute words, to be set beside the original ones. */
  readonly shown: string;
}

export interface TimeOptions {
  /** When it was said. */
  readonly reference: Milliseconds;
  /** Left out, it is guessed from the text's own verbs. */
  readonly tense?: Tense | undefined;
  /** Names that look like dates, such as a speaker called April. */
  readonly ignore?: readonly string[] | undefined;
}

interface Reading extends Interval {
  readonly index: number;
  readonly length: number;
  readonly relative: boolean;
}

/**
 * The times that a text speaks of, in the order of the text, as half-open UTC intervals. The text's first
 * `MAX_TIME_TEXT` characters are read. Relative and vague expressions are resolved by our own rules, written-out
 * dates by chrono-node; what neither can place ("some day", "a week later") is left out.
 */
export function resolveTimes(text: string, options: TimeOptions): TimeMention[] {
  const read = mask(text.slice(0, MAX_TIME_TEXT), options.ignore ?? []);
  if (!ANY_TIME.test(read)) return [];
  const context = { reference: options.reference, tense: options.tense ?? inferTense(read) };
  const kept: Reading[] = [];
  for (const reading of readings(read, context)) {
    if (isSane(reading) && !kept.some((other) => overlap(other, reading))) kept.push(reading);
  }
  return kept.sort((a, b) => a.index - b.index).map((reading) => toMention(text, reading));
}

type Context = { readonly reference: Milliseconds; readonly tense: Tense };

function* readings(text: string, context: Context): Generator<Reading> {
  yield* beforeOrAfter(text, context);
  yield* writtenOut(text, context);
  const rules = EXACT_CUE.test(text) ? [...EXACT_RULES, ...TIME_RULES] : TIME_RULES;
  for (const rule of rules) yield* applied(rule, text, context);
}

function* applied(rule: TimeRule, text: string, context: Context): Generator<Reading> {
  for (const match of text.matchAll(rule.pattern)) {
    const end = match.index + match[0].length;
    const around = {
      before: text.slice(Math.max(0, match.index - 60), match.index),
      after: text.slice(end, end + 40),
    };
    const interval = rule.resolve(match, { ...context, ...around });
    if (interval !== null)
      yield { ...interval, index: match.index, length: match[0].length, relative: rule.relative };
  }
}

/** "The week before last Friday": a unit counted from another time in the text. */
function* beforeOrAfter(text: string, context: Context): Generator<Reading> {
  for (const match of text.matchAll(BEFORE_OR_AFTER)) {
    const tail = match.index + match[0].length;
    const anchor = anchorAt(text.slice(tail, tail + 60), match[1]!, context);
    if (anchor === null) continue;
    const back = !/after|following/i.test(match[2]!);
    const interval = beside(match[1]!.toLowerCase(), anchor, back ? -1 : 1);
    yield { ...interval, index: match.index, length: match[0].length + anchor.until, relative: true };
  }
}

function anchorAt(
  tail: string,
  unit: string,
  context: Context,
): (Interval & { readonly until: number }) | null {
  const last = /^last\b(?! [a-z])/i.exec(tail);
  if (last !== null && /^(?:week|weekend|month|year)$/i.test(unit)) {
    return { ...unitFrom(context.reference, toUnit(unit), -1), until: last[0].length };
  }
  for (const reading of [
    ...writtenOut(tail, context),
    ...TIME_RULES.flatMap((rule) => [...applied(rule, tail, context)]),
  ]) {
    if (reading.index <= ANCHOR_GAP) return { ...reading, until: reading.index + reading.length };
  }
  return null;
}

function beside(unit: string, anchor: Interval, sign: 1 | -1): Interval {
  const edge = sign < 0 ? anchor.start : anchor.end - 1;
  if (unit === 'day' || unit === 'night') return dayOf(edge + sign * DAY);
  if (unit === 'week') return weekOf(edge + sign * 7 * DAY);
  if (unit === 'weekend' || unit === 'month' || unit === 'year') return unitFrom(edge, unit, sign);
  const [wanted, found] = [toWeekday(unit), new Date(edge).getUTCDay()];
  return dayOf(edge + sign * ((sign * (wanted - found) + 7) % 7 || 7) * DAY);
}

/** chrono sees noon of the reference's day, so that no daylight-saving gap of the machine's zone can reach it. */
function* writtenOut(text: string, { reference, tense }: Context): Generator<Reading> {
  if (!/\d|\b(?:first|second|third|fourth)\b/i.test(text)) return;
  const noon = new Date(startOfDay(reference) + DAY / 2);
  for (const result of strict.parse(text, { instant: noon, timezone: 0 })) {
    if (isMisfire(result.text, result.start)) continue;
    const start = dayFrom(result.start, { reference, tense });
    const end = result.end == null ? start : dayFrom(result.end, { reference, tense });
    const interval = end > start ? span(start, end + DAY) : dayOf(start);
    yield {
      ...interval,
      index: result.index,
      length: result.text.length,
      relative: !result.start.isCertain('year'),
    };
  }
}

/** A clock time alone is no date; "4/5" is a fraction; a month in small letters may be a verb. */
function isMisfire(text: string, start: ParsedComponents): boolean {
  if (!start.isCertain('month') || !start.isCertain('day')) return true;
  return SLASH_WITHOUT_YEAR.test(text) || (MODAL_MONTH.test(text) && !/\d(?:st|nd|rd|th)\b/.test(text));
}

/** Without a year, the date nearest in the direction of the tense. */
function dayFrom(parsed: ParsedComponents, { reference, tense }: Context): Milliseconds {
  const [year, month, day] = [
    parsed.get('year') ?? 0,
    (parsed.get('month') ?? 1) - 1,
    parsed.get('day') ?? 1,
  ];
  if (parsed.isCertain('year')) return utc(year, month, day);
  const today = startOfDay(reference);
  const candidates = [-1, 0, 1].map((off) => utc(new Date(reference).getUTCFullYear() + off, month, day));
  if (tense === 'past') return candidates.findLast((each) => each <= today)!;
  if (tense === 'future') return candidates.find((each) => each >= today)!;
  return candidates.reduce((best, each) => (Math.abs(each - today) < Math.abs(best - today) ? each : best));
}

function isSane({ start, end }: Reading): boolean {
  return Number.isFinite(start) && start < end && start >= EARLIEST && end <= LATEST;
}

function overlap(a: Reading, b: Reading): boolean {
  return a.index < b.index + b.length && b.index < a.index + a.length;
}

function toMention(text: string, reading: Reading): TimeMention {
  const { start, end, precision, index, length, relative } = reading;
  const interval = { start, end, precision, text: text.slice(index, index + length).trim() };
  return { interval, index, length, relative, shown: describeInterval(interval) };
}

function mask(text: string, names: readonly string[]): string {
  return names.reduce((masked, name) => masked.replaceAll(name, 'x'.repeat(name.length)), text);
}
