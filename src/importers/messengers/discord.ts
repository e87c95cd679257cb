import { z } from 'zod';
import { describeIssues } from '../../util/describe-issues.ts';
import { type ChatFormat, chatImporter, type ReadContext } from '../chat-importer.ts';
import type { ImportFile } from '../files/import-file.ts';
import { type ImportRecord, rejected } from '../importer.ts';
import { idSchema } from '../json/json-format.ts';
import { readElements } from '../json/read-elements.ts';
import type { MessageAttachment } from '../message-records.ts';
import { roleAmongPeople, type SaidMessage, saidRecords } from '../said.ts';

const text = z.string().nullish().catch(null);
const list = z.array(z.unknown()).nullish().catch(null);

const messageSchema = z.object({
  id: idSchema,
  type: z.union([z.string(), z.number()]).nullish().catch(null),
  timestamp: z.unknown().optional(),
  content: text,
  author: z.object({ name: text, nickname: text, isBot: z.boolean().nullish().catch(null) }),
  attachments: list,
});
const channelSchema = z.object({
  guild: z.object({ name: text }).nullish().catch(null),
  channel: z.object({ id: idSchema, name: text }),
  messages: z.array(z.unknown()),
});

/** A message of the package that Discord itself sends: the person's own alone, whose ids are numbers. */
const ownSchema = z.object({
  ID: idSchema,
  Timestamp: z.unknown().optional(),
  Contents: text,
  Attachments: text,
});

const SOURCE = 'discord';

const format: ChatFormat = {
  name: SOURCE,
  description: 'Discord: channels by DiscordChatExporter (JSON), or the package with one’s own messages',
  wanted: (name) => /\.json$/i.test(name),
  recognize: ({ keys }) => {
    if (keys.has('channel.id') && (keys.has('messages[].author') || keys.has('guild.id')))
      return 'its messages have an "author" and stand in a "channel"';
    return keys.has('[].Contents') && keys.has('[].Timestamp') ? 'its messages have "Contents"' : null;
  },
  records: readFile,
};
export const discordImporter = chatImporter(format);

async function* readFile(file: ImportFile, context: ReadContext): AsyncGenerator<ImportRecord> {
  const own: SaidMessage[] = [];
  const place = { where: file.name, context, nearTime: null };
  for await (const element of readElements(file, context)) {
    const where = `${context.in(file)}message ${element.number}`;
    if ('problem' in element) yield rejected(where, element.problem);
    else {
      const channel = channelSchema.safeParse(element.value);
      const { data, error } = ownSchema.safeParse(element.value);
      if (channel.success) yield* channelRecords(channel.data, { ...place, where: context.in(file) });
      else if (data !== undefined) own.push(ownMessage(data, where));
      // Other files of the package, such as the list of servers, hold no messages.
      else if (!element.alone) yield rejected(where, describeIssues(error));
      else context.leftOut(where, 'a file without messages');
    }
  }
  const folder = file.name.split('/').at(-2) ?? file.name;
  const title = context.settings.conversation;
  yield* saidRecords(own, { source: SOURCE, id: folder.replace(/^c(?=\d)/, ''), title }, place);
}

function ownMessage(
  { ID, Timestamp, Contents, Attachments }: z.output<typeof ownSchema>,
  where: string,
): SaidMessage {
  const links = (Attachments ?? '').split(/\s+/).filter((link) => link !== '');
  const attachments = links.map((uri) => ({ kind: 'file', description: fileName(uri), uri }));
  const time =
    typeof Timestamp === 'string'
      ? Timestamp.replace(/^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)$/, '$1T$2Z')
      : Timestamp;
  return { id: ID, role: 'user', content: Contents ?? '', attachments, time, where };
}

const fileName = (link: string) => /([^/?#]+)(?:[?#].*)?$/.exec(link)?.[1] ?? link;

/** Of the kinds of messages, those that say something. */
const SPEECH: ReadonlySet<string> = new Set(['Default', 'Reply', '0', '19']);

function* channelRecords(
  { guild, channel, messages }: z.output<typeof channelSchema>,
  place: { readonly where: string; readonly context: ReadContext; readonly nearTime: null },
): Generator<ImportRecord> {
  const said: SaidMessage[] = [];
  for (const [position, raw] of messages.entries()) {
    const where = `${place.where}message ${position + 1}`;
    const { data, error } = messageSchema.safeParse(raw);
    if (data === undefined) yield rejected(where, describeIssues(error));
    else {
      const { id, author, timestamp: time, content, type } = data;
      const speaker = author.nickname || author.name || 'somebody';
      const role = author.isBot ? 'other' : roleAmongPeople(speaker, place.context);
      const leftOut = SPEECH.has(String(type ?? 'Default'))
        ? undefined
        : 'a note of Discord, such as who joined';
      const attachments = (data.attachments ?? []).flatMap(attachmentOf);
      said.push({ id, role, speaker, content: content ?? '', attachments, time, where, leftOut });
    }
  }
  const name = channel.name ?? channel.id;
  const title = guild?.name && guild.name !== 'Direct Messages' ? `${guild.name} #${name}` : name;
  yield* saidRecords(said, { source: SOURCE, id: channel.id, title }, place);
}

const attachmentSchema = z.object({ fileName: text, url: text });

function attachmentOf(raw: unknown): MessageAttachment[] {
  const { data } = attachmentSchema.safeParse(raw);
  const name = data?.fileName ?? (data?.url == null ? null : fileName(data.url));
  if (name === null || name === undefined) return [];
  const kind = /\.(?:png|jpe?g|gif|webp)$/i.test(name) ? 'image' : 'file';
  return [{ kind, description: name, uri: data?.url?.startsWith('http') ? data.url : undefined }];
}
