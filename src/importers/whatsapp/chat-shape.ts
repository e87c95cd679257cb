import { HeaderReader, withoutMarks } from './header.ts';
import { splitSpeaker } from './line.ts';

/** The most lines of a sample to look at. */
const LINES_READ = 300;

/** What a text is, by the beginnings of its lines. `unreadable`: a chat of a form that is not read. */
export type ChatShape = 'readable' | 'unreadable' | null;

/** What logs and lists of changes have in the place of a name. */
const LEVEL =
  /\b(?:INFO|WARN|WARNING|ERROR|DEBUG|TRACE|FATAL|CRITICAL|NOTICE|SEVERE|VERBOSE)\b|[[\]{}<>=/\\|@]/;
const LABEL =
  /^(?:added|changed|fixed|removed|deprecated|security|feat|fix|chore|docs|refactor|test|info|warn|warning|error|debug|trace|fatal|critical|notice|note|todo|done|updated?|summary|agenda|topic|decision|action|result|start|end)$/i;
const LOWER_WORD = /^[a-z0-9_.-]+$/;
/** The words for a chat in the names of WhatsApp's files. */
const CHAT_WORD =
  /chat|czat|чат|conversa|convers|discussion|sohbet|keskustelu|perbualan|beszélgetés|συνομιλία|trò chuyện|دردشة|محادثة|گپ|चैट|聊天|对话|對話|トーク|チャット|대화|แชท|צ['׳’]אט|শ|চ্যাট/iu;
const WHATSAPP_WORD = /whats\s?app|واتس\s?اب|واتساب|वॉट्सऐप|व्हाट्सऐप|व्हाट्सएप/iu;

/** Whether a file has the name of an exported chat. */
export function isChatName(name: string): boolean {
  const own = name.replace(/^.*\//, '');
  return /(?:^|[\s_])_chat\.txt$/i.test(own) || (WHATSAPP_WORD.test(own) && CHAT_WORD.test(own));
}

export function chatShape(text: string): ChatShape {
  const lines = text
    .split(/\r\n?|\n/, 2 * LINES_READ)
    .filter((line) => withoutMarks(line).trim() !== '')
    .slice(0, LINES_READ);
  if (isBlocks(lines)) return 'unreadable';
  if (isReadable(lines)) return 'readable';
  return isLikeChat(lines) ? 'unreadable' : null;
}

/** At the beginning each tenth line is enough, because messages may be long; elsewhere each third. */
function isReadable(lines: readonly string[]): boolean {
  const reader = new HeaderReader();
  const headers = lines.map((line) => reader.read(line.trimEnd()));
  const found = headers.filter((header) => header !== null);
  const names = found.flatMap(({ rest }) => splitSpeaker(rest, null)?.speaker ?? []);
  const isDense =
    headers[0] != null
      ? found.length * 10 >= lines.length
      : found.length > 2 && found.length * 3 >= lines.length;
  if (!isDense || names.length === 0 || isLog(names)) return false;
  const bare = found.filter(({ isBare }) => isBare);
  const haveSeconds = bare.some(({ second }) => second > 0);
  return (
    bare.length * 2 <= found.length ||
    (isOfPeople(names) && (haveSeconds || new Set(names).size * 2 < names.length + 2))
  );
}

function isLog(names: readonly string[]): boolean {
  return names.filter((name) => LEVEL.test(name) || LABEL.test(name)).length * 3 > names.length;
}

/** Names without any other mark of a chat: a few that come again, and not those of programs. */
function isOfPeople(names: readonly string[]): boolean {
  const distinct = new Set(names).size;
  return distinct * 2 <= names.length + 2 && !names.every((name) => LOWER_WORD.test(name));
}

const STAMP = String.raw`(?<stamp>[\p{N}\p{L}\p{M}\p{Cf}\s.,،:/'’"״+–—-]{4,60}?)`;
const NAME = String.raw`(?<name>[^\s\p{N}:<>[\](){}=\\/|,;-][^:<>\n]{0,40}|\+\p{N}[\p{N}\s]{5,20})`;
/** "13/06 18:08 - Ana: …", "13 juin 26 à 18h05 | Ana: …", "20260613 1808 Ana: …", "Ana [13/06 18:08]: …". */
const LIKE_HEADERS = [
  `^[[(]?\\s?${STAMP}(?:\\s?[\\])]|\\s[-–—|]|[,;])\\s?<?${NAME}(?::\\s|>\\s)`,
  `^(?=(?:[^\\p{N}\\n]{0,15}\\p{N}){7})${STAMP}:?\\s(?=[~+\\p{Lu}\\p{Lo}])${NAME}:\\s`,
  `^${NAME},?\\s[[(]${STAMP}[\\])]:?(?:\\s|$)`,
].map((pattern) => new RegExp(pattern, 'u'));
/** With a dot only if no further dot follows, which would make it a date. */
const CLOCK =
  /(?<![\p{N}.])\p{N}{1,2}\s?(?:[:٫：h時时點点시]|\.(?=\p{N}{2}(?![\p{N}.])))\s?\p{N}{2}(?:[:.,]\p{N}+)*/u;

interface LikeHeader {
  readonly name: string;
  /** The stamp with 0 for numbers and a for words. */
  readonly shape: string;
  /** Whether two numbers are beside the time. */
  readonly isFull: boolean;
}

/** The beginning of a line like that of a message: a time with something of a date, and a name. */
function likeHeader(line: string): LikeHeader | null {
  const plain = withoutMarks(line);
  for (const pattern of LIKE_HEADERS) {
    const { name, stamp } = pattern.exec(plain)?.groups ?? {};
    if (name === undefined || stamp === undefined) continue;
    const date = stamp.replace(CLOCK, '');
    const isTimed = date !== stamp || /\p{N}{8}/u.test(stamp);
    const isDated = /\p{N}/u.test(date) || (plain.startsWith('[') && /\p{L}{3}/u.test(date));
    if (!isTimed || !isDated) continue;
    return {
      name,
      shape: stamp.replace(/\p{N}+/gu, '0').replace(/\p{L}[\p{L}\p{M}]*/gu, 'a'),
      isFull: /\p{N}[^\p{N}]+\p{N}|\p{N}{8}/u.test(date),
    };
  }
  return null;
}

/** Many lines with something like a date and a time, then one of a few names. */
function isLikeChat(lines: readonly string[]): boolean {
  const headers = lines.map(likeHeader);
  const found = headers.filter((header) => header !== null);
  const counts = new Map<string, number>();
  for (const { shape } of found) counts.set(shape, (counts.get(shape) ?? 0) + 1);
  const alike = Math.max(0, ...counts.values());
  const names = found.map(({ name }) => name);
  const isDense = headers[0] == null ? alike * 3 >= lines.length : alike * 10 >= lines.length;
  const isShort = found.length > 0 && found.length * 2 >= lines.length && found.every(({ isFull }) => isFull);
  const isEnough = found.length > 2 || isShort;
  return isEnough && alike * 2 > found.length && isDense && !isLog(names) && isOfPeople(names);
}

const DATE_LINE = /^[A-Z][a-z]{2} \d{2}, \d{4} +\d{1,2}:\d{2}:\d{2} [AP]M(?: \(|$)/;

/** Signal's and iMessage's messages as blocks of lines: a date, a sender and the text. */
export function isBlocks(lines: readonly string[]): boolean {
  const count = (pattern: RegExp) => lines.filter((line) => pattern.test(line)).length;
  const isSignal = count(/^From: /) > 0 && count(/^Type: (?:incoming|outgoing)/i) > 0 && count(/^Sent: /) > 0;
  return (
    isSignal || (DATE_LINE.test(lines[0] ?? '') && count(DATE_LINE) * 6 >= lines.length) || isSenders(lines)
  );
}

/** Whether lines of a date and a time alone are followed by one of a few short lines. */
function isSenders(lines: readonly string[]): boolean {
  const reader = new HeaderReader();
  const isStamp = (line: string) => reader.read(`${line.trim().replace(/\s*\([^()]*\)$/, '')} - `) !== null;
  const senders = lines.flatMap((line, at) => (isStamp(line) ? [lines[at + 1]?.trim() ?? ''] : []));
  const short = senders.filter((sender) => sender !== '' && sender.length <= 40);
  return short.length > 3 && short.length * 6 >= lines.length && new Set(short).size * 2 <= short.length;
}

/** The line that says most of the form of dates; null if none has a number. */
export function sampleLine(lines: readonly string[]): string | null {
  const plain = lines.map((line) => withoutMarks(line));
  return plain.find((line) => likeHeader(line) !== null) ?? plain.find((line) => /\p{N}/u.test(line)) ?? null;
}

const SHOWN = 60;

/** A line without its words: "00.00.0000 aaa 00:00 - Aaa: …". */
export function shapeOf(line: string): string {
  const start = withoutMarks(line).trim().slice(0, SHOWN);
  const name = /:\s/.exec(start);
  return `${start
    .slice(0, name === null ? SHOWN : name.index + 1)
    .replace(/\p{N}/gu, '0')
    .replace(/\p{Lu}/gu, 'A')
    .replace(/\p{L}/gu, (letter) => (letter === 'A' ? 'A' : 'a'))
    .replace(/\p{M}/gu, '')
    .replace(/[^\s\p{P}\p{S}0Aa]/gu, '?')} …`;
}
