import { z } from 'zod';
import { describeIssues } from '../../util/describe-issues.ts';
import { type ChatFormat, chatImporter, type ReadContext } from '../chat-importer.ts';
import type { ImportFile } from '../files/import-file.ts';
import { type ImportRecord, rejected } from '../importer.ts';
import { idSchema } from '../json/json-format.ts';
import { jsonLines } from '../json-lines.ts';
import { digestOf, type MessageAttachment } from '../message-records.ts';
import { type SaidMessage, saidRecords } from '../said.ts';
import { UniqueNames } from '../unique-names.ts';

const text = z.string().nullish().catch(null);

/** A frame of Signal's own export (`main.jsonl`): a recipient, a chat, or an item of a chat. */
const frameSchema = z.object({
  recipient: z
    .object({
      id: idSchema,
      self: z.unknown().optional(),
      contact: z.record(z.string(), z.unknown()).nullish().catch(null),
      group: z
        .object({ snapshot: z.object({ title: z.object({ title: text }).nullish() }).nullish() })
        .nullish()
        .catch(null),
    })
    .optional(),
  chat: z.object({ id: idSchema, recipientId: idSchema }).optional(),
  chatItem: z
    .object({
      chatId: idSchema,
      authorId: idSchema,
      dateSent: z.unknown().optional(),
      outgoing: z.unknown().optional(),
      standardMessage: z
        .object({
          text: z.object({ body: text }).nullish().catch(null),
          attachments: z.array(z.unknown()).nullish().catch(null),
        })
        .nullish()
        .catch(null),
    })
    .optional(),
});
type Frame = z.output<typeof frameSchema>;

/** A line of `data.json` by signal-export. */
const exportedSchema = z.object({
  date: z.string(),
  sender: z.string(),
  body: text,
  attachments: z
    .array(z.object({ name: text }))
    .nullish()
    .catch(null),
  deleted: z.boolean().nullish().catch(null),
  call: z.boolean().nullish().catch(null),
});

const SOURCE = 'signal';

const format: ChatFormat = {
  name: SOURCE,
  description: 'Signal: its own export (main.jsonl with its folder), or data.json by signal-export',
  wanted: (name) => /(?:^|\/)(?:main\.jsonl|data\.json)$/i.test(name),
  recognize: ({ text }) => {
    if (/^\{"(?:chatItem|recipient|chat)":/m.test(text)) return 'its lines are the frames of Signal’s export';
    return /^\{"date": ?"[^"]+", "sender": ?"/m.test(text)
      ? 'its lines have "date" and "sender" as signal-export writes them'
      : null;
  },
  records: readLinesOf,
};
export const signalImporter = chatImporter(format);

interface People {
  readonly names: Map<string, string>;
  readonly chats: Map<string, string>;
  own: string | undefined;
}

async function* readLinesOf(file: ImportFile, context: ReadContext): AsyncGenerator<ImportRecord> {
  const people: People = { names: new Map(), chats: new Map(), own: undefined };
  const chats = new Map<string, SaidMessage[]>();
  const exported: SaidMessage[] = [];
  const names = new UniqueNames();
  for await (const line of jsonLines(file, context)) {
    const { where } = line;
    if (line.kind === 'rejected') {
      yield line;
      continue;
    }
    const own = exportedSchema.safeParse(line.value);
    const { data, error } = frameSchema.safeParse(line.value);
    if (own.success) exported.push(exportedMessage(own.data, { where, context, names }));
    else if (data === undefined) yield rejected(where, describeIssues(error));
    else if (data.chatItem === undefined) note(data, people);
    else {
      const { chatId } = data.chatItem;
      const known = chats.get(chatId) ?? [];
      known.push(itemMessage(data.chatItem, { where, context, people }));
      chats.set(chatId, known);
    }
  }
  const place = { where: file.name, context, nearTime: null };
  for (const [id, messages] of chats)
    yield* saidRecords(
      messages,
      { source: SOURCE, id, title: people.names.get(people.chats.get(id) ?? '') },
      place,
    );
  const folder = file.name.split('/').at(-2) ?? context.settings.conversation ?? 'chat';
  yield* saidRecords(exported, { source: SOURCE, id: folder, title: folder }, place);
}

function note({ recipient, chat }: Frame, people: People): void {
  if (chat !== undefined) people.chats.set(chat.id, chat.recipientId);
  if (recipient === undefined) return;
  if (recipient.self !== undefined) people.own = recipient.id;
  const name = contactName(recipient.contact ?? {}) ?? recipient.group?.snapshot?.title?.title;
  if (name != null) people.names.set(recipient.id, name);
}

/** As one's phone shows it: a name that one gave, that of the address book, or that of the profile. */
function contactName(contact: Readonly<Record<string, unknown>>): string | undefined {
  const nickname = z.object({ given: text, family: text }).safeParse(contact.nickname).data;
  const pairs = [
    [nickname?.given, nickname?.family],
    [contact.systemGivenName, contact.systemFamilyName],
    [contact.profileGivenName, contact.profileFamilyName],
    [contact.username],
    [contact.e164],
  ];
  return pairs
    .map((parts) => parts.filter((part) => part !== null && part !== undefined && part !== '').join(' '))
    .find((name) => name !== '');
}

const pointerSchema = z.object({
  pointer: z.object({ fileName: text, contentType: text, caption: text }).nullish().catch(null),
});

function itemMessage(
  item: NonNullable<Frame['chatItem']>,
  { where, context, people }: { where: string; context: ReadContext; people: People },
): SaidMessage {
  const { authorId, dateSent: time, standardMessage, outgoing } = item;
  const isOwn = outgoing !== undefined || authorId === people.own;
  const speaker = isOwn ? (context.settings.me ?? 'user') : (people.names.get(authorId) ?? 'somebody');
  const attachments = (standardMessage?.attachments ?? []).flatMap((raw): MessageAttachment[] => {
    const pointer = pointerSchema.safeParse(raw).data?.pointer;
    const description = pointer?.caption || pointer?.fileName;
    const kind = pointer?.contentType?.split('/')[0] ?? 'file';
    return description ? [{ kind: /^(?:image|audio|video)$/.test(kind) ? kind : 'file', description }] : [];
  });
  return {
    ...{ where, speaker, time: timeIn(time), attachments, id: digestOf([time, authorId]) },
    role: isOwn ? 'user' : 'other',
    content: standardMessage?.text?.body ?? '',
    leftOut: standardMessage == null ? 'a note of Signal, such as a call' : undefined,
  };
}

/** Milliseconds are written as a text. */
const timeIn = (time: unknown) => (typeof time === 'string' && /^\d+$/.test(time) ? Number(time) : time);

function exportedMessage(
  { date, sender, body, attachments, deleted, call }: z.output<typeof exportedSchema>,
  { where, context, names }: { where: string; context: ReadContext; names: UniqueNames },
): SaidMessage {
  const isOwn = sender === 'Me';
  const speaker = isOwn ? (context.settings.me ?? 'user') : sender;
  const leftOut = deleted ? 'a deleted message' : call ? 'a note of Signal, such as a call' : undefined;
  return {
    ...{ where, speaker, time: date, leftOut, id: names.take(digestOf([date, sender])) },
    role: isOwn ? 'user' : 'other',
    content: body ?? '',
    attachments: (attachments ?? []).flatMap(({ name }) =>
      name ? [{ kind: 'file', description: name }] : [],
    ),
  };
}
