import { DATE_WORD, patternOf } from './date-format.ts';
import type { ShownDate } from './date-order.ts';
import { DateWords, wordKey } from './date-words.ts';

export interface Header {
  readonly date: ShownDate;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  /** Whether it uses a 12-hour clock. */
  readonly isHalfDay: boolean;
  /** Whether only the colon after a name ends it, as in some lists: "02-12-26 22:55:45 Ana: …". */
  readonly isBare: boolean;
  /** Date and time as written, normalized across devices; part of a message's identity. */
  readonly stamp: string;
  /** The text after it: "Ana: Hello", or a note by WhatsApp. */
  readonly rest: string;
}

/** Direction marks, with which an iPhone also marks its own text. */
const MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

const WORD = DATE_WORD;
const YEAR = String.raw`\d{4}|\d{2}`;
/** "13.06.26", "2026/6/13", "2026년 6월 13일". */
const NUMBERS = String.raw`(?<first>\d{1,4})\s?(?<separator>[./-]|年|년)\s?(?<middle>\d{1,2})\s?(?:[./-]|月|월)\s?(?<last>\d{1,4})[.日일]?`;
/** "13 de junio de 2026", "June 13, 2026", "2026. jún. 13.", each also after the name of the day. */
const NAMED = [
  String.raw`(?<day1>\d{1,2})(?:st|nd|rd|th|er|[.º])?[\s-](?:de\s|of\s)?(?<month1>${WORD})[\s,-]{1,2}(?:de\s|del\s)?(?<year1>${YEAR})`,
  String.raw`(?<month2>${WORD})\s(?<day2>\d{1,2})(?:st|nd|rd|th|[.º])?,?\s(?<year2>\d{4})`,
  String.raw`(?<year3>\d{4})[.,]?\s(?<month3>${WORD})\s(?<day3>\d{1,2})[.]?`,
].join('|');
const DATE = String.raw`(?:${WORD}[,\s]\s?)?(?:${NUMBERS}|${NAMED})`;
/** "22:01", "22.01.05", "14h05", "6时08分". */
const CLOCK = String.raw`(?<hour>\d{1,2})\s?(?:[:.：٫h时時點点시])\s?(?<minute>\d{2})(?:\s?[:.：٫m分분]\s?(?<second>\d{2}))?(?:\s?[s分분秒초])?`;
/** The words between date and time, and after the time: "klo", "下午", "p. m.", "ч.". */
const BETWEEN = String.raw`(?<before>[^\p{N}\[\]:\n]{0,24}?)`;
const AFTER = String.raw`(?<after>[^\p{N}\[\]:\n]{0,20}?)`;
const STAMPS = [
  `${DATE}${BETWEEN}${CLOCK}${AFTER}`,
  `${CLOCK}(?<after>[^\\p{N}\\[\\]:\\n]{0,20})[,\\s]${DATE}(?<before>)`,
];
const REST = String.raw`(?:\s(?<rest>[\s\S]*))?$`;
/** "12/31/21, 10:01 PM - Ana: …" of Android, "[31.12.21, 22:01:05] Ana: …" of an iPhone. */
const HEADERS = STAMPS.flatMap((stamp) => [
  new RegExp(String.raw`^\[\s?${stamp}\s?\]${REST}`, 'iu'),
  new RegExp(String.raw`^${stamp}\s[-–—]${REST}`, 'iu'),
]);
const BARE = new RegExp(
  String.raw`^${DATE},?\s(?<before>)${CLOCK}(?<after>\s?[ap]\.?\s?m\.?)?(?:\s?[|,;:])?\s(?<rest>[^\s:\d|,;<][^:\n]{0,60}:(?:\s[\s\S]*)?)$`,
  'iu',
);
const ANY_CLOCK = /\d\s?[:.：٫h時时點点시]\s?\d\d/iu;
/** A header is short, so only this many characters are matched. */
const LONGEST_HEADER = 80;

/** Reads the headers of one file, in the form of any phone or in a given one. */
export class HeaderReader {
  readonly #words = new DateWords();
  readonly #given: RegExp | null;
  /** Of each word beside a time, the latest hour: after 12 it does not name a half of the day. */
  readonly #latest = new Map<string, number>();
  /** Number of headers that brackets or a dash end, without those that only a name ends. */
  #balance = 0;

  constructor(format?: string) {
    this.#given = format === undefined ? null : patternOf(format);
  }

  /** The header of a message, or null for a continuation line. */
  read(line: string): Header | null {
    const plain = withPlainStart(line);
    if (this.#given !== null) return this.#found(this.#given.exec(plain), false);
    if (!ANY_CLOCK.test(plain.slice(0, LONGEST_HEADER)) || !/^\[?\s?[\p{L}\d]/u.test(plain)) return null;
    for (const pattern of HEADERS) {
      const header = this.#found(pattern.exec(plain), false);
      if (header !== null) this.#balance++;
      if (header !== null) return header;
    }
    // Where other headers have an end of their own, a line such as "13.06.26 18:08 Train: late" is text.
    const bare = this.#balance > 0 ? null : this.#found(BARE.exec(plain), true);
    if (bare !== null) this.#balance--;
    return bare;
  }

  #found(match: RegExpExecArray | null, isBare: boolean): Header | null {
    if (match === null) return null;
    const parts = match.groups!;
    const date = this.#date(parts);
    const [shownHour, minute, second] = [parts.hour, parts.minute, parts.second ?? 0].map(Number);
    if (date === null || shownHour! > 24 || minute! > 59) return null;
    const words = [parts.before, parts.after].map((each) => wordKey(each ?? ''));
    for (const word of words) this.#latest.set(word, Math.max(shownHour!, this.#latest.get(word) ?? 0));
    const half = words.find((word) => this.#words.hourOf(word, shownHour!) !== null) ?? null;
    const isHalfDay = half !== null && this.#latest.get(half)! <= 12;
    const shown = half === 'am' || half === 'pm' ? half[0] : half;
    return {
      date,
      hour: isHalfDay ? this.#words.hourOf(half, shownHour!)! : shownHour! % 24,
      minute: minute!,
      second: second!,
      isHalfDay,
      isBare,
      stamp: [...stampOf(date, parts), parts.hour, parts.minute, parts.second ?? '', shown ?? ''].join(' '),
      rest: parts.rest ?? '',
    };
  }

  #date(parts: Readonly<Record<string, string | undefined>>): ShownDate | null {
    const { first, last, middle, separator } = parts;
    if (first !== undefined && middle !== undefined && last !== undefined)
      return {
        numbers: [Number(first), Number(middle), Number(last)],
        digits: [first.length, last.length],
        separator: separator ?? '',
      };
    const [day, month, year] = ['day', 'month', 'year'].map((name) =>
      [1, 2, 3].map((place) => parts[`${name}${place}`]).find((each) => each !== undefined),
    );
    const number = /^\d+$/.test(month ?? '') ? Number(month) : this.#words.monthOf(wordKey(month ?? ''));
    if (day === undefined || year === undefined || number === null) return null;
    const fullYear = year.length === 2 ? 2000 + Number(year) : Number(year);
    return { numbers: [fullYear, number, Number(day)], digits: [4, 2], separator: '' };
  }
}

/** Numbers as written, so that another export of the chat has the same. */
function stampOf({ numbers }: ShownDate, { first, last, middle }: Record<string, string | undefined>) {
  return first === undefined ? numbers.map(String) : [first, middle, last];
}

/** Normalizes special spaces, digits of other scripts and marks in the part that may be a header. */
function withPlainStart(line: string): string {
  const start = line.slice(0, LONGEST_HEADER);
  const end = /\]|\s[–—-]\s/.exec(start)?.index ?? LONGEST_HEADER;
  const at = Math.min(end, line.length);
  const plain = line
    .slice(0, at)
    .replace(MARKS, '')
    .replace(/[\u00a0\u2000-\u200b\u202f\u3000]/g, ' ')
    .replace(/،/g, ',')
    .replace(/\p{Nd}/gu, asciiDigit);
  return plain + line.slice(at);
}

/** The digits of a script are ten characters in a row. */
function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0)!;
  if (code < 0x80) return digit;
  let value = 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value++;
  return String(value);
}

export function withoutMarks(text: string): string {
  return text.replace(MARKS, '');
}
