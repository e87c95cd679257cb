import { describeIssues } from '../../util/describe-issues.ts';
import { type ChatFormat, chatImporter, type ReadContext } from '../chat-importer.ts';
import type { ImportFile } from '../files/import-file.ts';
import { type ImportRecord, rejected } from '../importer.ts';
import { readElements } from '../json/read-elements.ts';
import {
  digestOf,
  type MessageAttachment,
  messageRecords,
  type ReadTime,
  readIsoTime,
  readUnixTime,
} from '../message-records.ts';
import {
  chatSchema,
  exportSchema,
  messageSchema,
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
/** Placeholder of a file that was not exported. */
const NOT_EXPORTED = /^\(.*\)$/s;

/** The content of a message with its attachments. A picture without any description is no content. */
function messageContent(message: TelegramMessage) {
  const own = [message.text.trim(), placeOf(message), contactOf(message), pollOf(message)]
    .filter((part) => part !== '')
    .join('\n');
  const from = message.forwarded_from?.trim();
  const content = from && own !== '' ? `Forwarded from ${from}: ${own}` : own;
  const media = mediaOf(message);
  return { content, attachments: media === null || (content === '' && isMute(media)) ? [] : [media] };
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
  const description = sticker_emoji ?? (song || (file_name ?? ''));
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
  for await (const element of readElements(file, context)) {
    const before = context.in(file);
    if ('problem' in element) yield rejected(`${before}chat ${element.number}`, element.problem);
    else
      for (const [position, raw] of chatsIn(element.value).entries()) {
        const where = `${before}chat ${position + element.number}`;
        const parsed = chatSchema.safeParse(raw);
        if (parsed.success) yield* chatRecords(parsed.data, { where, context });
        else yield rejected(where, describeIssues(parsed.error));
      }
  }
}

function chatsIn(value: unknown): readonly unknown[] {
  const parsed = exportSchema.safeParse(value);
  if (!parsed.success || (parsed.data.chats == null && parsed.data.left_chats == null)) return [value];
  return [...(parsed.data.chats?.list ?? []), ...(parsed.data.left_chats?.list ?? [])];
}

interface ChatPlace {
  readonly where: string;
  readonly context: ReadContext;
}

interface ChatReading extends ChatPlace {
  readonly id: string;
  readonly title: string | undefined;
  /** Author by message id, for replies. */
  readonly authors: Map<string, string>;
  readonly ids: Set<string>;
}

function* chatRecords(chat: TelegramChat, { where, context }: ChatPlace): Generator<ImportRecord> {
  const title =
    chat.name ?? (chat.type === 'saved_messages' ? 'Saved messages' : context.settings.conversation);
  const id = chat.id ?? `unnamed-${digestOf([title, chat.type])}`;
  if (context.known.has(id)) {
    yield rejected(where, 'an earlier chat has the same id');
    return;
  }
  context.known.add(id);
  const reading = { where, context, id, title, authors: new Map<string, string>(), ids: new Set<string>() };
  for (const [position, raw] of chat.messages.entries())
    yield* readMessage(raw, { ...reading, where: `${where}, message ${position + 1}` });
}

function* readMessage(raw: unknown, reading: ChatReading): Generator<ImportRecord> {
  const { context, where } = reading;
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
  const said = messageContent(message);
  const time = timeOf(message, context);
  if (said.content === '' && said.attachments.length === 0)
    context.leftOut(where, 'a picture, recording or file that was not exported');
  else if (time === null) yield rejected(where, 'date: is missing');
  else if ('problem' in time) yield rejected(where, `date: ${time.problem}`);
  else yield* spoken(message, { ...reading, ...said, at: time.at, speaker });
}

interface Spoken extends ChatReading {
  readonly content: string;
  readonly attachments: readonly MessageAttachment[];
  readonly at: number;
  readonly speaker: string;
}

function* spoken(message: TelegramMessage, { context, where, ...said }: Spoken): Generator<ImportRecord> {
  const { at, attachments, content, id, ids, speaker, title } = said;
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
  if (exact !== null) return exact;
  const shown = readIsoTime(date);
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

const ZONED = /(?:z|[+-]\d\d:?\d\d)$/i;
