import { basename, dirname } from 'node:path';
import { FileUnreadableError } from '../../errors/index.ts';
import { type ChatFormat, chatImporter, type ReadContext } from '../chat-importer.ts';
import type { FileSample, ImportFile } from '../files/import-file.ts';
import { type ImportRecord, rejected } from '../importer.ts';
import { digestOf, MAX_MESSAGE_LENGTH, messageRecords } from '../message-records.ts';
import { fileLines, type Line } from '../read-lines.ts';
import { UniqueNames } from '../unique-names.ts';
import { chatShape, isBlocks, isChatName, sampleLine, shapeOf } from './chat-shape.ts';
import { type DateOrder, DateOrders, inOrder } from './date-order.ts';
import { type Header, HeaderReader, withoutMarks } from './header.ts';
import { messageContent, splitSpeaker } from './line.ts';
import { OwnTexts } from './own-text.ts';

/** File names of WhatsApp exports, in common languages. */
const PREFIX =
  /^(?:whatsapp chat(?: with|\s*[-–])|whatsapp-chat mit|chat de whatsapp con|conversa do whatsapp com|discussion whatsapp avec|chat whatsapp con|whatsapp-chat met)\s*/i;
/** Suffix of a repeated download, which is the same chat. */
const COPY = /\s*\(\d{1,3}\)$/;

/** The name of the chat, without parts that change between exports; null if the file has none. */
function chatName(file: ImportFile, context: ReadContext): string | null {
  const { conversation } = context.settings;
  const isOnly = context.files.files.length === 1;
  if (conversation !== undefined && isOnly) return conversation;
  const own = nameIn(basename(file.name));
  if (own !== null) return own;
  if (context.files.kind !== 'file' && isOnly) return nameIn(context.name);
  const folder = basename(dirname(file.name));
  return folder === '.' ? null : nameIn(folder);
}

function nameIn(name: string): string | null {
  const plain = name
    .replace(/\.(?:txt|zip)$/i, '')
    .replace(COPY, '')
    .replace(PREFIX, '')
    .trim();
  return plain === '' || /^_?chat$/i.test(plain) ? null : plain;
}

interface ChatSurvey {
  /** Knows from all headers which words name halves of a day. */
  readonly headers: HeaderReader;
  readonly order: DateOrder;
  readonly people: ReadonlySet<string>;
  /** The name at the start of an iPhone's export: the other person, or the group. */
  readonly owner: string | null;
}

/** The most speaker names to collect. */
const MOST_PEOPLE = 20_000;

/**
 * Reads a whole chat once to determine its date order and speakers.
 *
 * Throws FileUnreadableError if it has no message that can be read.
 */
async function surveyChat(file: ImportFile, context: ReadContext): Promise<ChatSurvey> {
  const headers = new HeaderReader(context.settings.dateFormat);
  const orders = new DateOrders();
  const people = new Set<string>();
  let owner: string | null = null;
  let isFirst = true;
  let count = 0;
  const unread: string[] = [];
  for await (const line of fileLines(file, context)) {
    const header = 'text' in line ? headers.read(line.text) : null;
    if (header === null) {
      if ('text' in line && isFirst && unread.length < LINES_SHOWN) unread.push(line.text);
      continue;
    }
    orders.add(header.date, header.isHalfDay);
    const speech = splitSpeaker(header.rest, null);
    count++;
    if (speech !== null && people.size < MOST_PEOPLE) people.add(speech.speaker);
    if (isFirst && speech?.said.startsWith('\u200e')) owner = speech.speaker;
    isFirst = false;
  }
  if (count === 0 || (people.size === 0 && count >= NOTES_ALONE))
    throw new FileUnreadableError(context.path, `${context.in(file)}${noMessage(unread)}`);
  const { dateOrder } = context.settings;
  const found = orders.find();
  context.noteTimeZone();
  if (dateOrder === 'auto' && found.by !== 'dates') noteGuess(context, found);
  return { order: dateOrder === 'auto' ? found.order : dateOrder, people, owner, headers };
}

/** A chat may hold a few notes of WhatsApp alone; so many dates without a name are no chat. */
const NOTES_ALONE = 5;

/** Of the lines before the first message, the most to keep for a report. */
const LINES_SHOWN = 300;

/** Asks for the form of the dates, with a line of the file whose words are not shown. */
function noMessage(lines: readonly string[]): string {
  if (isBlocks(lines))
    return 'it is a chat in the layout of an exporter of Signal or iMessage, which is not read. Convert it to JSON lines with content, speaker and at; if it is a document, import it with --format text';
  const sample = sampleLine(lines);
  const line = sample === null ? '' : `; one is "${shapeOf(sample)}" (0 for a digit, a for a letter)`;
  return `no line of it begins with a date, a time and a name in a form that is known${line}. Name the form with --date-format (the setting dateFormat), such as "D.M.YYYY H:mm"; if it is a document, import it with --format text`;
}

function noteGuess(context: ReadContext, { order, by }: ReturnType<DateOrders['find']>): void {
  const why = by === 'sequence' ? 'since they are then in order' : 'since the file does not determine it';
  context.note(`Its dates could be read with the day or the month first; they are read ${order}, ${why}`);
}

const WHATSAPP_SOURCE = 'whatsapp';

const whatsAppFormat: ChatFormat = {
  name: WHATSAPP_SOURCE,
  description: 'WhatsApp: the exported chat, as text or as the archive with its pictures',
  wanted: (name) => /\.txt$/i.test(name),
  recognize,
  records: readChat,
};
export const whatsAppImporter = chatImporter(whatsAppFormat);

function recognize({ name, text }: FileSample): string | null {
  const shape = chatShape(text);
  if (shape === 'readable') return 'its lines begin with a date and a name as WhatsApp writes them';
  if (text.trim() !== '' && isChatName(name)) return 'its name is that of a chat exported from WhatsApp';
  return shape === 'unreadable' ? 'its lines look like the messages of a chat' : null;
}

interface Begun {
  readonly header: Header;
  readonly where: string;
  readonly lines: string[];
  length: number;
}

async function* readChat(file: ImportFile, context: ReadContext): AsyncGenerator<ImportRecord> {
  const { headers, order, people, owner } = await surveyChat(file, context);
  const name = chatName(file, context) ?? owner ?? context.settings.conversation ?? 'chat';
  const chat = { name, order, people, context, ids: new UniqueNames(), own: new OwnTexts() };
  let begun: Begun | null = null;
  for await (const line of fileLines(file, context)) {
    const where = `${context.in(file)}line ${line.number}`;
    const header = 'text' in line ? headers.read(line.text) : null;
    if (header !== null) {
      if (begun !== null) yield* finish(begun, chat);
      begun = { header, where, lines: [header.rest], length: 0 };
    } else if ('problem' in line) yield rejected(where, line.problem);
    else if (begun !== null) goOn(begun, line);
    else if (withoutMarks(line.text).trim() !== '') context.leftOut(where, 'text before the first message');
  }
  if (begun !== null) yield* finish(begun, chat);
}

/** Text beyond the longest message is counted, not kept. */
function goOn(begun: Begun, { text }: Extract<Line, { text: string }>): void {
  begun.length += text.length + 1;
  if (begun.length <= MAX_MESSAGE_LENGTH) begun.lines.push(text);
}

interface Chat {
  readonly name: string;
  readonly order: DateOrder;
  readonly people: ReadonlySet<string>;
  readonly context: ReadContext;
  readonly ids: UniqueNames;
  readonly own: OwnTexts;
}

function* finish({ header, where, lines, length }: Begun, chat: Chat): Generator<ImportRecord> {
  const { context, ids, name, order, own, people } = chat;
  const speech = splitSpeaker(lines.join('\n'), people);
  if (speech === null) {
    context.leftOut(where, 'a note of WhatsApp, such as who joined');
    return;
  }
  const { speaker, said } = speech;
  const sourceId = ids.take(digestOf([name, header.stamp, speaker]));
  const content = messageContent(said, own);
  const at = timeOf(header, { order, context });
  if (length > MAX_MESSAGE_LENGTH) yield rejected(where, `is longer than ${MAX_MESSAGE_LENGTH} characters`);
  else if ('leftOut' in content) context.leftOut(where, content.leftOut);
  else if (at === null) yield rejected(where, `its date is invalid if dates are ${order}`);
  else {
    const { me } = context.settings;
    const role = me === undefined || me === speaker ? ('user' as const) : ('other' as const);
    const conversation = { id: `${WHATSAPP_SOURCE}/${name}`, title: name };
    const source = WHATSAPP_SOURCE;
    yield* messageRecords({ ...content, at, speaker, role, conversation, source, sourceId }, where);
  }
}

function timeOf(
  { date, hour, minute, second }: Header,
  { order, context }: { order: DateOrder; context: ReadContext },
): number | null {
  const day = inOrder(date, order);
  return day === null ? null : context.clock.at({ ...day, hour, minute, second });
}
