import type { Milliseconds } from '../model/ids.ts';
import { DAY, type Interval } from '../time/calendar.ts';
import { readTimes } from '../time/read-times.ts';
import { isQuestion } from '../util/questions.ts';
import { DECISIVE_COVERAGE } from './defaults.ts';
import type { Passage } from './passages.ts';
import { timeOf } from './quote-text.ts';
import { YES_OR_NO } from './score-quotes.ts';

/** "Would", "could" and "or" are no questions of fact, or have no yes. */
const OPEN = /^\s*(?:would|could|should|can|may|might)\b|\bor\b|\b(?:both|all|any)\b/i;
/** What is doubted, or said with a condition. */
const DOUBTED =
  /\b(?:if|whether|would|could|might|may|maybe|perhaps|probably|thought|should|almost|nearly|but|though|although|except|unless)\b/i;
/** What is wanted, planned, promised or due is not said to be so. */
const INTENDED =
  /\b(?:hop(?:e|es|ed|ing)|wish\w*|want(?:s|ed)? to|plan(?:s|ned|ning)? to|think(?:s|ing)? (?:of|about)|consider\w*|try(?:ing)? to|will|going to|soon|promis\w+|vow\w*|sw(?:ears|ore)|agree[sd]? to|offer(?:s|ed)? to|intend\w*|needs? to|ha(?:s|ve|d) to|must|supposed to|forgot to)\b|['’]ll\b/gi;
const NEGATED =
  /\b(?:not|never|cannot|without|nobody|none|neither|nor|hardly|refus\w+|fail(?:s|ed) to)\b|n['’]t\b/i;
/** It was so, but is no more. */
const ENDED = /\b(?:no longer|used to|stopped|quit|gave up)\b/i;
const ASKS_PAST = /^\s*(?:did|was|were|had)\b/i;
/** "It is my first time" denies that it was so before. */
const FIRST_TIME = /\bfirst (?:time|ever)\b/i;
const ASKS_EVER = /\b(?:ever|before|already|again)\b/i;
/** In a longer sentence "not" may deny something else; in words. */
const LONGEST_DENIAL = 16;
const ASKS_NEGATED = /n['’]t\b|\b(?:not|never|no longer|stop\w*|quit|first time|last time|used? to)\b/i;
const REPLY = /^\s*(?:(?:oh|well|haha|hm+|ah)[,!.]*\s+)?(?<word>yes|yeah|yep|yup|no|nope|nah)(?![\p{L}])/iu;

/**
 * What a question for yes or no comes to, by the first passage: "Yes" or "No" only where its statement has all that is
 * asked, or its opposite, and nothing is left open; null otherwise.
 */
export function yesOrNo(question: string, chosen: readonly Passage[]): 'Yes' | 'No' | null {
  if (!YES_OR_NO.test(question) || OPEN.test(question) || ASKS_NEGATED.test(question)) return null;
  const verdicts = chosen.map(({ lead }) => verdictOf(question, lead));
  return new Set(verdicts.filter((each) => each !== null)).size === 1 ? verdicts[0]! : null;
}

/** The same of one statement. */
export function verdictOf(
  question: string,
  { text, coverage, coverageAround, denies: isOpposite, said, hasEnded }: Passage['lead'],
): 'Yes' | 'No' | null {
  if (hasEnded) return null;
  const before = said?.before?.content;
  const reply = said?.at === 0 && before !== undefined && isQuestion(before) ? REPLY.exec(text) : null;
  if (reply !== null && coverageAround >= DECISIVE_COVERAGE)
    return /^y/i.test(reply.groups!.word!) ? 'Yes' : 'No';
  if (!isDecisive({ coverage }) || isHedged(text, question)) return null;
  if (isOpposite) return 'No';
  if (denies(text)) return isDenial(text) ? 'No' : null;
  if (ENDED.test(text) && !ASKS_PAST.test(question)) return 'No';
  return FIRST_TIME.test(text) && ASKS_EVER.test(question) ? 'No' : 'Yes';
}

/** The month hedges nothing. */
const MAY = /(?<!^)\bMay\b/g;
const ASKS_DONE = /^\s*(?:did|was|were|ha[sd]|have)\b/i;
/** Letters by which a longer form of a verb is the same verb. */
const STEM = 4;

/** "Jonas promises to print it" decides what he promised, and not whether he printed it. */
function isHedged(text: string, question: string): boolean {
  const asked: readonly string[] = question.toLowerCase().match(/\p{L}+/gu) ?? [];
  const isAsked = (verb: string) =>
    asked.some((word) => word === verb || (verb.length > STEM && word.startsWith(verb.slice(0, STEM))));
  // That somebody wanted something does not say that it is wanted still.
  const isOver = (verb: string) => verb.endsWith('ed') && !ASKS_DONE.test(question);
  const intended = Array.from(text.matchAll(INTENDED), ([words]) => /\p{L}+/u.exec(words)![0].toLowerCase());
  return DOUBTED.test(text.replace(MAY, '')) || intended.some((verb) => !isAsked(verb) || isOver(verb));
}

/** "I started on Thursday, don't laugh" denies nothing. */
const ORDER = /(?<=,\s?)(?:please )?(?:do not|don['’]t|never) \p{L}+/giu;

/** Whether a sentence is short enough that its "not" denies all of it. */
export function isDenial(text: string): boolean {
  return denies(text) && (text.match(/[\p{L}'’]+/gu)?.length ?? 0) <= LONGEST_DENIAL;
}

function denies(text: string): boolean {
  return NEGATED.test(text.replace(ORDER, ''));
}

/** Whether a statement has as much of a question as decides it. */
export function isDecisive({ coverage }: Pick<Passage['lead'], 'coverage'>): boolean {
  return coverage >= DECISIVE_COVERAGE;
}

const COUNTS = /\bhow many (?!years|months|weeks|days|hours|minutes)/i;
const ORDINALS = 'first second third fourth fifth sixth seventh eighth ninth tenth'.split(' ');
const ORDINAL = new RegExp(`\\b(?:${ORDINALS.join('|')})\\b`, 'gi');
/** A number that may itself be the count; dates have been taken out. */
const NUMBER =
  /\b(?:\d+|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|several|(?:a )?(?:few|couple))\b/i;

/**
 * How many events or members the passages have: those of different days that say all that is asked, or the highest
 * ordinal among them ("her fourth"). Null where a number is said, or fewer than two are told.
 */
export function leastCount(question: string, chosen: readonly Passage[]): number | null {
  if (!COUNTS.test(question)) return null;
  const whole = chosen.map(({ lead }) => lead).filter(isDecisive);
  if (whole.some(({ text, clock }) => NUMBER.test(withoutTimes(text, clock)))) return null;
  const events = new Set(whole.map((quote) => timeOf(quote).start));
  const ordinals = whole.flatMap(({ text }) => text.toLowerCase().match(ORDINAL) ?? []);
  const count = Math.max(events.size, ...ordinals.map((word) => ORDINALS.indexOf(word) + 1));
  return count < 2 ? null : count;
}

function withoutTimes(text: string, said: Milliseconds): string {
  return readTimes(text, { reference: said })
    .toReversed()
    .reduce((rest, { index, length }) => rest.slice(0, index) + rest.slice(index + length), text);
}

const HOW_LONG = /\bhow long (?:ago\b|(?:have|has)\b)/i;
const SAYS_HOW_LONG = /\b(?:years?|months?|weeks?|days?)\b/i;
const UNITS = [
  ['year', 365.25 * DAY],
  ['month', 30.44 * DAY],
  ['week', 7 * DAY],
  ['day', DAY],
] as const;

/** Units in which a time from one of the ends to another is known: of months that are told, no days. */
export function knownUnits(ends: readonly Interval[]): readonly (typeof UNITS)[number][] {
  const widest = Math.max(0, ...ends.map(({ start, end }) => end - start));
  return UNITS.filter(([name, each]) => name === 'year' || 2 * each >= widest);
}

/**
 * "About 3 years": a length of time in the largest unit of which it has two, and in none that is finer than its ends were
 * told; null below half of one.
 */
export function aboutSpan(length: Milliseconds, ends: readonly Interval[]): string | null {
  const units = knownUnits(ends);
  const unit = units.find(([, each]) => length >= 2 * each) ?? units.at(-1)!;
  const amount = Math.round(length / unit[1]);
  return Number.isFinite(amount) && amount > 0
    ? `About ${amount} ${unit[0]}${amount === 1 ? '' : 's'}`
    : null;
}

/** "About 3 years": the time since the event that the first passage dates, up to the time of the question; or null. */
export function timeSince(question: string, chosen: readonly Passage[], now: Milliseconds): string | null {
  const lead = chosen[0]?.lead;
  if (lead === undefined || !HOW_LONG.test(question) || !isDecisive(lead)) return null;
  const { item, text, clock } = lead;
  if (SAYS_HOW_LONG.test(text)) return null;
  const start =
    (item.kind === 'fact' ? item.event : null) ?? readTimes(text, { reference: clock })[0]?.interval;
  return start === undefined ? null : aboutSpan(now - start.start, [start]);
}
