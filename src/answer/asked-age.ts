import type { Milliseconds } from '../model/ids.ts';
import { type Interval, startOfDay } from '../time/calendar.ts';
import { readTimes } from '../time/read-times.ts';
import { escaped } from '../util/escaped.ts';
import { askedSubject } from './asked-subject.ts';
import { dayOf } from './quote-text.ts';
import type { Reckoning } from './reckoning.ts';
import type { ScoredQuote, TermKnowledge } from './score-quotes.ts';
import { aboutSpan } from './verdict.ts';

type Knowledge = Pick<TermKnowledge, 'people' | 'relative'> & { readonly now: Milliseconds };

const ASKS_AGE = /\bhow old (?:is|are|am)\b|\bwhat age (?:is|are|am)\b|\bwhat is \S+['’]s age\b/i;
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
const ONES =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );
const NUMBER = String.raw`(?<age>\d{1,3}|(?:${TENS.join('|')})(?:[- ](?:${ONES.slice(1, 10).join('|')}))?|${ONES.slice(1).join('|')})`;
const ADVERBS = `(?:(?:now|already|just|about|only|still|almost|nearly) )*`;
/** After a number of years, and not of months or of things: "is seven.", "turned 41 yesterday", "is 8 years old". */
const AFTER_AGE = String.raw`(?=\s*(?:[.,;:!?)]|$)| years?[- ]old|(?: years?)? (?:now|today|already|and|but)(?!\p{L}))`;
/** After a birthday its day may follow. */
const AFTER_BIRTHDAY = `(?:${AFTER_AGE}|(?= (?:yesterday|this|on|in|last|next|two|three|four|five)))`;

/**
 * How old somebody is who is asked about, by the day of birth or a birthday ("turned 41 yesterday"), or by the last
 * statement of the age, with its day. Null where none is told.
 */
export function ageOf(
  question: string,
  scored: readonly ScoredQuote[],
  { people, relative, now }: Knowledge,
): Reckoning | null {
  if (!ASKS_AGE.test(question) || people === undefined) return null;
  const asked = askedSubject(question, people);
  if (asked === null) return null;
  const owner = asked.noun === null || relative != null ? null : asked.name;
  const names = [asked.noun === null ? asked.name : null, relative?.name, asked.noun].filter(
    (each) => each != null,
  );
  const patternsOf = patternsFor(names);
  const told = scored.flatMap((lead) => {
    const speaker = lead.item.kind === 'episode' ? lead.item.speaker : null;
    if (owner !== null && speaker !== owner && !lead.text.includes(owner)) return [];
    if (UNREAL.test(lead.text)) return [];
    const found = ageIn(lead, patternsOf(asked.noun === null && speaker === asked.name));
    return found === null ? [] : [{ lead, ...found }];
  });
  const [best] = told.toSorted(
    (a, b) => Number(b.born !== null) - Number(a.born !== null) || b.lead.validAt - a.lead.validAt,
  );
  if (best === undefined) return null;
  const { lead, age, born } = best;
  const words = born === null ? `${age} as of ${dayOf(lead.clock)}` : grown(born, now);
  if (words === null) return null;
  return {
    words,
    passages: [{ lead, quotes: [lead] }],
    isList: false,
  };
}

/** "If I am forty", "before I turned 30" */
const UNREAL =
  /(?<!\p{L})(?:[Ii]f|[Uu]nless|[Bb]efore|[Uu]ntil|[Tt]ill|[Oo]nce|[Bb]y the time|as though) (?:I|we|he|she|my|our|\p{Lu}\p{L}*)(?!\p{L})/u;

type Patterns = Readonly<Record<'is' | 'turned' | 'born' | 'hyphened', RegExp>>;

/** @returns How a text tells the age of those names, and of its speaker if that is the one. */
function patternsFor(names: readonly string[]): (isSpeaker: boolean) => Patterns {
  const written = names.map(escaped).join('|');
  const forms = [false, true].map((isSpeaker): Patterns => {
    const who = String.raw`(?<![\p{L}])(?:${written}${isSpeaker ? '|I' : ''})`;
    const withName = (rest: string) => new RegExp(`${who}${rest}`, 'iu');
    return {
      is: withName(`(?: (?:is|are|am)|['’](?:m|s|re)|,) ${ADVERBS}${NUMBER}${AFTER_AGE}`),
      turned: withName(`(?: has)? ${ADVERBS}turn(?:ed|s) ${NUMBER}${AFTER_BIRTHDAY}`),
      born: withName(String.raw` (?:was|were|is) born (?:on|in)\b`),
      hyphened: new RegExp(
        String.raw`(?<![\p{L}\p{N}])${NUMBER}[- ]years?[- ]old (?:${written})(?!\p{L})`,
        'iu',
      ),
    };
  });
  return (isSpeaker) => forms[isSpeaker ? 1 : 0]!;
}

interface Age {
  readonly age: number | null;
  /** The time of birth; null where only the age is told. */
  readonly born: Interval | null;
}

function ageIn({ text, clock }: ScoredQuote, { is, turned, born, hyphened }: Patterns): Age | null {
  const birth = born.exec(text);
  if (birth !== null) {
    const [time] = readTimes(text.slice(birth.index), { reference: clock });
    return time === undefined || time.year === 'open' ? null : { age: null, born: time.interval };
  }
  const birthday = turned.exec(text);
  if (birthday !== null) {
    const age = numberOf(birthday.groups!.age!);
    const [time] = readTimes(text.slice(birthday.index), { reference: clock });
    if (time === undefined) return { age, born: null };
    const { start, end, precision } = time.interval;
    return { age, born: { start: yearsBefore(start, age), end: yearsBefore(end, age), precision } };
  }
  const said = is.exec(text) ?? hyphened.exec(text);
  return said === null ? null : { age: numberOf(said.groups!.age!), born: null };
}

function numberOf(written: string): number {
  if (/\d/.test(written)) return Number(written);
  const [tens, ones = 'zero'] = written.toLowerCase().split(/[- ]/);
  const ten = TENS.indexOf(tens!);
  return ten < 0 ? ONES.indexOf(tens!) : 10 * (ten + 2) + ONES.indexOf(ones);
}

/** In full years, "41 or 42" of a year of birth, "About 5 months" of a baby; null before the birth and where it is vague. */
function grown(born: Interval, now: Milliseconds): string | null {
  const [most, years] = [fullYears(born.start, now), fullYears(startOfDay(born.end - 1), now)];
  if (years < 1) return aboutSpan(now - born.start, [born]);
  if (most - years > 1) return null;
  return most === years ? `${years}` : `${years} or ${most}`;
}

function yearsBefore(at: Milliseconds, years: number): Milliseconds {
  const day = new Date(at);
  return day.setUTCFullYear(day.getUTCFullYear() - years);
}

function fullYears(born: Milliseconds, now: Milliseconds): number {
  const [from, to] = [new Date(born), new Date(now)];
  const years = to.getUTCFullYear() - from.getUTCFullYear();
  return now < from.setUTCFullYear(to.getUTCFullYear()) ? years - 1 : years;
}
