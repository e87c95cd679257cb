import { describeIssues } from '../../util/describe-issues.ts';
import { type ChatFormat, chatImporter, type ReadContext } from '../chat-importer.ts';
import type { ImportFile } from '../files/import-file.ts';
import { type ImportRecord, rejected } from '../importer.ts';
import { DAMAGED, isIn, MISSING, readElements } from '../json/read-elements.ts';
import {
  digestOf,
  type MessageAttachment,
  messageRecords,
  type ReadTime,
  readIsoTime,
  readUnixTime,
} from '../message-records.ts';
import { textIn, unknownKind } from '../unknown-content.ts';
import {
  chatSchema,
  exportSchema,
  messageSchema,
  NOT_CONTENT,
  type TelegramChat,
  type TelegramMessage,
} from './schema.ts';

const KINDS: Readonly<Record<string, string>> = {
  sticker: 'sticker',
  video_file: 'video',
  video_message: 'video',
  animation: 'image',
  voice_message: 'audio',
  audio_file: 'audio',
};
/** Placeholder of a file that was not exported, also after its name: "a.mp4 (File not included. …)". */
const NOT_EXPORTED = /^\(.*\)$|\s*\((?:file|photo|video|media|story)\b[^()]*\)$/is;

/** The content of a message with its attachments. A picture without any description is no content. */
function messageContent(message: TelegramMessage, others: OtherFields) {
  const said = message.text.trim() || (message.text_entities ?? '').trim();
  const parts = [said, placeOf(message), contactOf(message), pollOf(message)];
  const own = [...parts, otherText(others, parts.join('\n'))].filter((part) => part !== '').join('\n');
  const from = message.forwarded_from?.trim();
  const content = from && own !== '' ? `Forwarded from ${from}: ${own}` : own;
  const media = mediaOf(message);
  return { content, attachments: media === null || (content === '' && isMute(media)) ? [] : [media] };
}

type OtherFields = Readonly<Record<string, unknown>>;

/** The fields that may hold content, without those that were read. */
function otherFields(raw: object, message: TelegramMessage): OtherFields {
  const read: readonly string[] = CONTENT.filter((field) => message[field] != null);
  return Object.fromEntries(
    Object.entries(raw).filter(
      ([name, value]) => !NOT_CONTENT.test(name) && !read.includes(name) && value !== null && value !== '',
    ),
  );
}

const CONTENT = ['contact_information', 'location_information', 'poll'] as const;

/** The text of content of an unknown kind, without lines that were said already. */
function otherText(others: OtherFields, said: string): string {
  const lines = textIn(others).split('\n');
  return lines.filter((line) => !said.includes(line)).join('\n');
}

/** Why a message without content is left out. */
function leftOutReason({ file, media_type, photo, type }: TelegramMessage, others: OtherFields): string {
  if (type != null && type !== 'message') return unknownKind('a message', type);
  const fields = Object.entries(others);
  const [name] = fields.find(([, value]) => typeof value === 'object') ?? fields[0] ?? [];
  if (name !== undefined) return unknownKind('a message', name);
  if (media_type != null && KINDS[media_type] === undefined) return unknownKind('a message', media_type);
  return photo == null && file == null && media_type == null
    ? 'an empty message'
    : 'a picture, recording or file that was not exported';
}

function isMute({ description, uri }: MessageAttachment): boolean {
  return description === '' && uri === undefined;
}

function mediaOf(message: TelegramMessage): MessageAttachment | null {
  const { file, file_name, media_type, mime_type, performer, photo, sticker_emoji, title } = message;
  const place = photo ?? file;
  if (place == null && media_type == null) return null;
  const byType = /^(image|video|audio)\//.exec(mime_type ?? '')?.[1];
  const kind = photo != null ? 'image' : (KINDS[media_type ?? ''] ?? byType ?? 'file');
  const song = [performer, title].filter((part) => part).join(': ');
  const named = place != null && NOT_EXPORTED.test(place) ? place.replace(NOT_EXPORTED, '') : '';
  const description = sticker_emoji ?? (song || (file_name ?? named));
  return { kind, description, uri: place != null && !NOT_EXPORTED.test(place) ? place : undefined };
}

function placeOf({ address, location_information: at, place_name }: TelegramMessage): string {
  if (at == null) return '';
  const named = [place_name, address].filter((part) => part).join(', ');
  return `Location: ${named === '' ? '' : `${named} `}(${at.latitude}, ${at.longitude})`;
}

function contactOf({ contact_information: contact }: TelegramMessage): string {
  if (contact == null) return '';
  const { first_name, last_name, phone_number } = contact;
  return `Contact: ${[first_name, last_name, phone_number].filter((part) => part).join(' ')}`;
}

function pollOf({ poll }: TelegramMessage): string {
  if (poll == null) return '';
  return [`Poll: ${poll.question}`, ...poll.answers.map(({ text }) => `- ${text}`)].join('\n');
}

const TELEGRAM_SOURCE = 'telegram';

const telegramFormat: ChatFormat = {
  name: TELEGRAM_SOURCE,
  description: 'Telegram Desktop: result.json of one chat or of all, or the folder that holds it',
  wanted: (name) => /(?:^|\/)result\.json$/i.test(name),
  recognize: ({ keys }) => {
    if (keys.has('messages[].date_unixtime') || (keys.has('messages[].from') && keys.has('messages[].date')))
      return 'its messages have a "from" and a date as Telegram writes them';
    if (keys.has('chats.list') || (keys.has('about') && keys.has('personal_information')))
      return 'it is an export of all Telegram chats';
    return null;
  },
  records: readChats,
};
export const telegramImporter = chatImporter(telegramFormat);

async function* readChats(file: ImportFile, context: ReadContext): AsyncGenerator<ImportRecord> {
  for await (const element of readElements(file, context, { keepsParts: true })) {
    const before = context.in(file);
    if ('problem' in element) yield rejected(`${before}chat ${element.number}`, element.problem);
    else {
      const { broken, value } = element;
      const chats = chatsIn(value);
      const bareIds = bareIdsOf(chats);
      for (const [position, raw] of chats.entries()) {
        const where = `${before}chat ${position + element.number}`;
        const parsed = chatSchema.safeParse(raw);
        if (parsed.success) yield* chatRecords(parsed.data, { where, context, broken, bareIds });
        else yield rejected(where, describeIssues(parsed.error));
        if (isIn(broken, raw)) yield rejected(where, MISSING);
      }
      if (isIn(broken, value) && !isIn(broken, chats.at(-1)))
        yield rejected(`${before}after chat ${chats.length}`, MISSING);
    }
  }
}

function chatsIn(value: unknown): readonly unknown[] {
  const parsed = exportSchema.safeParse(value);
  if (!parsed.success || (parsed.data.chats == null && parsed.data.left_chats == null)) return [value];
  return [...(parsed.data.chats?.list ?? []), ...(parsed.data.left_chats?.list ?? [])];
}

/** Persons, groups and channels have ids of their own, which may be equal. */
const CLASSES = ['user', 'chat', 'channel'] as const;
type ChatClass = (typeof CLASSES)[number];

function classOf({ type }: Pick<TelegramChat, 'type'>): ChatClass {
  if (/channel|supergroup/.test(type ?? '')) return 'channel';
  return /group/.test(type ?? '') ? 'chat' : 'user';
}

/**
 * Which kind of chat has an id as its name; others with the same id get the kind in front. A person comes first, so
 * that it does not depend on the order of the chats.
 */
function bareIdsOf(chats: readonly unknown[]): ReadonlyMap<string, ChatClass> {
  const found = new Map<string, ChatClass>();
  for (const raw of chats) {
    const chat = chatSchema.safeParse(raw).data;
    if (chat?.id == null) continue;
    const [before, own] = [found.get(chat.id), classOf(chat)];
    if (before === undefined || CLASSES.indexOf(own) < CLASSES.indexOf(before)) found.set(chat.id, own);
  }
  return found;
}

interface ChatPlace {
  readonly where: string;
  readonly context: ReadContext;
  /** What of the file could not be read as a whole. */
  readonly broken: ReadonlySet<object>;
  readonly bareIds: ReadonlyMap<string, ChatClass>;
}

interface ChatReading extends ChatPlace {
  readonly id: string;
  readonly title: string | undefined;
  /** Author by message id, for replies. */
  readonly authors: Map<string, string>;
  readonly ids: Set<string>;
}

function* chatRecords(chat: TelegramChat, place: ChatPlace): Generator<ImportRecord> {
  const { where, context, bareIds } = place;
  const title =
    chat.name ?? (chat.type === 'saved_messages' ? 'Saved messages' : context.settings.conversation);
  const isBare = chat.id != null && bareIds.get(chat.id) === classOf(chat);
  const id =
    chat.id == null
      ? `unnamed-${digestOf([title, chat.type])}`
      : isBare
        ? chat.id
        : `${classOf(chat)}${chat.id}`;
  if (context.known.has(id)) {
    yield rejected(where, 'an earlier chat has the same id');
    return;
  }
  context.known.add(id);
  const reading = { ...place, id, title, authors: new Map<string, string>(), ids: new Set<string>() };
  for (const [position, raw] of chat.messages.entries())
    yield* readMessage(raw, { ...reading, where: `${where}, message ${position + 1}` });
}

function* readMessage(raw: unknown, reading: ChatReading): Generator<ImportRecord> {
  const { broken, context, where } = reading;
  if (isIn(broken, raw)) {
    yield rejected(where, DAMAGED);
    return;
  }
  const parsed = messageSchema.safeParse(raw);
  if (!parsed.success) {
    yield rejected(where, describeIssues(parsed.error));
    return;
  }
  const message = parsed.data;
  if (message.type === 'service') {
    context.leftOut(where, 'a note of Telegram, such as who joined');
    return;
  }
  const speaker = message.from?.trim() || message.from_id || 'Deleted account';
  if (message.id != null) reading.authors.set(message.id, speaker);
  const others = otherFields(raw as object, message);
  const said = messageContent(message, others);
  const time = timeOf(message, context);
  if (said.content === '' && said.attachments.length === 0)
    context.leftOut(where, leftOutReason(message, others));
  else if (time === null) yield rejected(where, 'date: is missing');
  else if ('problem' in time) yield rejected(where, `date: ${time.problem}`);
  else yield* spoken(message, { ...reading, ...said, at: time.at, offset: time.offset, speaker });
}

interface Spoken extends ChatReading {
  readonly content: string;
  readonly attachments: readonly MessageAttachment[];
  readonly at: number;
  readonly offset?: number | undefined;
  readonly speaker: string;
}

function* spoken(message: TelegramMessage, { context, where, ...said }: Spoken): Generator<ImportRecord> {
  const { at, offset, attachments, content, id, ids, speaker, title } = said;
  const own = message.id ?? digestOf([at, speaker, content]);
  if (ids.has(own)) {
    yield rejected(where, 'an earlier message has the same id');
    return;
  }
  ids.add(own);
  const { me } = context.settings;
  const record = {
    content,
    at,
    offset,
    speaker,
    attachments: [...attachments, ...replyOf(message, said)],
    role: me === undefined || me === speaker ? ('user' as const) : ('other' as const),
    conversation: { id: `${TELEGRAM_SOURCE}/${id}`, ...(title === undefined ? {} : { title }) },
    source: TELEGRAM_SOURCE,
    sourceId: `${id}/${own}`,
  };
  yield* messageRecords(record, where);
}

/** The author of the message it replies to; the replied text is in its own turn. */
function replyOf(message: TelegramMessage, { authors }: Pick<ChatReading, 'authors'>): MessageAttachment[] {
  const to = message.reply_to_message_id;
  const author = to == null ? undefined : authors.get(to);
  return author === undefined ? [] : [{ kind: 'reply', description: `reply to ${author}`, uri: `#${to}` }];
}

/** `date` is local time of the exporting computer. */
function timeOf({ date, date_unixtime }: TelegramMessage, context: ReadContext): ReadTime | null {
  const exact = readUnixTime(date_unixtime);
  const shown = readIsoTime(date);
  if (exact !== null) return withOffset(exact, shown, context);
  if (shown === null || 'problem' in shown || typeof date !== 'string' || ZONED.test(date)) return shown;
  context.noteTimeZone();
  const [year, month, day, hour, minute, second] = new Date(shown.at)
    .toISOString()
    .match(/\d+/g)!
    .map(Number);
  const at = context.clock.at({
    year: year!,
    month: month!,
    day: day!,
    hour: hour!,
    minute: minute!,
    second: second!,
  });
  return at === null ? { problem: 'is not a time' } : { at };
}

const LARGEST_OFFSET = 15 * 3_600_000;

/** The local time beside a moment tells the zone, unless the import names one. */
function withOffset(exact: ReadTime, shown: ReadTime | null, { settings }: ReadContext): ReadTime {
  if (settings.timeZone !== 'UTC' || 'problem' in exact || shown === null || 'problem' in shown) return exact;
  const offset = Math.floor(shown.at / 1000) * 1000 - Math.floor(exact.at / 1000) * 1000;
  const isZone = offset !== 0 && offset % 900_000 === 0 && Math.abs(offset) < LARGEST_OFFSET;
  return isZone ? { ...exact, offset } : exact;
}

const ZONED = /(?:z|[+-]\d\d:?\d\d)$/i;
