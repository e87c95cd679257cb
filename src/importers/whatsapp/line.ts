import type { MessageAttachment } from '../message-records.ts';

/** The first three numbers of a line, in order. */
export interface ShownDate {
  readonly numbers: readonly [number, number, number];
  /** Number of digits of the first and the last one; a year of two digits is in this century. */
  readonly digits: readonly [number, number];
  readonly separator: string;
}

/** The header of a message. */
export interface Header {
  readonly date: ShownDate;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  /** Whether it uses a 12-hour clock. */
  readonly isHalfDay: boolean;
  /** Date and time as written, normalized across devices; part of a message's identity. */
  readonly stamp: string;
  /** The text after it: "Ana: Hello", or a note by WhatsApp. */
  readonly rest: string;
}

/** Direction marks, with which an iPhone also marks its own text. */
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
/** A header is short, so only this many characters are matched. */
const LONGEST_HEADER = 60;

/** The header of a message, or null for a continuation line. */
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

/** Normalizes special spaces, digits of other scripts and marks in the part that may be a header. */
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

type MessageContent =
  | { readonly content: string; readonly attachments: readonly MessageAttachment[] }
  | { readonly leftOut: string };

/** On an iPhone, text by WhatsApp itself starts with this mark. */
const OWN_WORDS = /^\s*\u200e/;
const NOT_EXPORTED = 'a picture, recording or file that was not exported';
const OMITTED =
  /^<[^<>\n]{0,40}(?:omitted|weggelassen|ausgeschlossen|omitid[oa]s?|omess[oi]|omise?s?|omitted|omitido|weggelaten|udeladt|utelämna[dt]|utelatt|pominięto|не включён|省略|제외|atlandı)[^<>\n]{0,20}>$/i;
const OMITTED_PLAIN =
  /(?:^|\s)(?:image|photo|video|audio|sticker|gif|document|contact card|video note) omitted$/i;
const DELETED =
  /^(?:this message was deleted|you deleted this message|diese nachricht wurde gelöscht|du hast diese nachricht gelöscht|se eliminó este mensaje|eliminaste este mensaje|ce message a été supprimé|vous avez supprimé ce message)\.?$/i;
const EDITED = /\s*<[^<>\n]{0,20}(?:edited|bearbeitet|editó|modifié|editada|modificato)[^<>\n]{0,20}>$/i;
/** "IMG-1.jpg (file attached)" of Android, "<attached: 1-PHOTO.jpg>" of an iPhone. */
const ATTACHED_AFTER = /^(\S[^\n/\\]{0,200}\.\w{1,5}) \([^()\n]{3,40}\)(?:\n|$)/;
const ATTACHED_WITHIN = /\u200e?<[^<>:\n]{2,30}: ([^<>\n/\\]{1,200}\.\w{1,5})>/;

export function messageContent(said: string): MessageContent {
  const plain = withoutMarks(said).trim();
  if (plain === '' || plain === 'null') return { leftOut: 'an empty message' };
  if (DELETED.test(plain)) return { leftOut: 'a message that was deleted' };
  const within = ATTACHED_WITHIN.exec(said);
  const after = within === null ? ATTACHED_AFTER.exec(plain) : null;
  if (within !== null) return withFile(within[1]!, said.replace(within[0], ''));
  if (after !== null) return withFile(after[1]!, plain.slice(after[0].length));
  if (OMITTED.test(plain)) return { leftOut: NOT_EXPORTED };
  if (OMITTED_PLAIN.test(plain)) return omitted(said);
  if (OWN_WORDS.test(said)) return { leftOut: 'a note of WhatsApp, such as who joined' };
  return { content: withoutEdit(plain), attachments: [] };
}

function withFile(name: string, rest: string): MessageContent {
  const content = withoutEdit(withoutMarks(rest).trim());
  return { content, attachments: [{ kind: kindOf(name), description: withoutMarks(name), uri: name }] };
}

/** "report.pdf • 3 pages document omitted" still has the file's name before the mark. */
function omitted(said: string): MessageContent {
  const name = withoutMarks(said.replace(/^\s*\u200e/, '').split('\u200e')[0] ?? '').trim();
  if (name === '' || OMITTED_PLAIN.test(name)) return { leftOut: NOT_EXPORTED };
  return { content: '', attachments: [{ kind: 'file', description: name }] };
}

function withoutEdit(text: string): string {
  return text.replace(EDITED, '');
}

function kindOf(name: string): string {
  const ending = /\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  if (/^(?:jpe?g|png|gif|webp|heic)$/.test(ending)) return 'image';
  if (/^(?:mp4|mov|3gp|mkv|webm)$/.test(ending)) return 'video';
  return /^(?:opus|ogg|mp3|m4a|aac|amr|wav)$/.test(ending) ? 'audio' : 'file';
}

/** "Ana: Hello". A colon without a space separates name and text only after a known name. */
export function splitSpeaker(
  rest: string,
  people: ReadonlySet<string> | null,
): { speaker: string; said: string } | null {
  const match = /^([^:\n]{1,120}):(\s|$)?/.exec(rest);
  if (match === null) return null;
  const speaker = withoutMarks(match[1]!).replace(/^~\s?/, '').trim();
  const isName = speaker !== '' && !/["“”«»„]/.test(speaker);
  const isParted = match[2] !== undefined ? people === null || people.has(speaker) : people?.has(speaker);
  return isName && isParted ? { speaker, said: rest.slice(match[0].length) } : null;
}
