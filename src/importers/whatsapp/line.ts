/** The first three numbers of a line, in the order in which they stand. */
export interface ShownDate {
  readonly numbers: readonly [number, number, number];
  /** How many digits the first and the last have; a year of two digits is one of this century. */
  readonly digits: readonly [number, number];
  readonly separator: string;
}

/** How a message begins. */
export interface Header {
  readonly date: ShownDate;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  /** Whether the clock has twelve hours. */
  readonly isHalfDay: boolean;
  /** Date and time as they stand, without what differs between devices; part of a message's identity. */
  readonly stamp: string;
  /** What follows: "Ana: Hello", or a note of WhatsApp's. */
  readonly rest: string;
}

/** Directions of writing, and marks by which an iPhone sets its own words apart from a person's. */
const MARKS = /[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;
const DATE = String.raw`(\d{1,4})(\.|-|/)\s?(\d{1,2})[./-]\s?(\d{1,4})\.?`;
const HALF_BEFORE = String.raw`(?:(上午|下午|오전|오후|午前|午後)\s?)?`;
const CLOCK = String.raw`(\d{1,2})[:.](\d{2})(?:[:.](\d{2}))?`;
const HALF_AFTER = String.raw`(?:\s?(a|p)\.?\s?m\.?)?`;
const TIME = `${HALF_BEFORE}${CLOCK}${HALF_AFTER}`;
/** "12/31/21, 10:01 PM - Ana: …" of Android, "[31.12.21, 22:01:05] Ana: …" of an iPhone. */
const HEADER = new RegExp(
  String.raw`^(?:\[${DATE},?\s${TIME}\]|${DATE},?\s${TIME}\s[-–])(?:\s([\s\S]*))?$`,
  'i',
);
const AFTERNOON = /^(?:p|下午|오후|午後)$/i;
const GROUPS = 9;
/** A header is short; so is the work of a line that is none. */
const LONGEST_HEADER = 60;

/** What begins a message, or null for a line that goes on with the one before. */
export function readHeader(line: string): Header | null {
  const plain = withPlainStart(line);
  if (!/^\[?\d/.test(plain)) return null;
  const match = HEADER.exec(plain);
  if (match === null) return null;
  const groups =
    match[1] === undefined ? match.slice(1 + GROUPS, 1 + 2 * GROUPS) : match.slice(1, 1 + GROUPS);
  const [first = '', separator = '', middle, last = '', before, hour, minute, second, after] = groups;
  const half = before ?? after;
  const shownHour = Number(hour);
  if (half !== undefined && shownHour > 12) return null;
  return {
    date: {
      numbers: [Number(first), Number(middle), Number(last)],
      digits: [first.length, last.length],
      separator,
    },
    hour: half === undefined ? shownHour : (shownHour % 12) + (AFTERNOON.test(half) ? 12 : 0),
    minute: Number(minute),
    second: Number(second ?? 0),
    isHalfDay: half !== undefined,
    stamp: [first, middle, last, hour, minute, second ?? '', half?.toLowerCase() ?? ''].join(' '),
    rest: match.at(-1) ?? '',
  };
}

/** Narrow and other spaces, digits of other scripts and marks are made plain where a header may stand. */
function withPlainStart(line: string): string {
  const start = line.slice(0, LONGEST_HEADER);
  const end = /\]|\s[–-]\s/.exec(start)?.index ?? LONGEST_HEADER;
  const at = Math.min(end, line.length);
  const plain = line
    .slice(0, at)
    .replace(MARKS, '')
    .replace(/[\u00a0\u2007\u2009\u202f]/g, ' ')
    .replace(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) & 0xf));
  return plain + line.slice(at);
}

export function withoutMarks(text: string): string {
  return text.replace(MARKS, '');
}
