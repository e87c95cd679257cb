import { z } from 'zod';
import { describeIssues } from '../../util/describe-issues.ts';
import { type ChatFormat, chatImporter } from '../chat-importer.ts';
import { type ImportRecord, rejected } from '../importer.ts';
import { idSchema } from '../json/json-format.ts';
import {
  type ConversationPlace,
  conversationsOf,
  digestOf,
  type MessageAttachment,
} from '../message-records.ts';
import { once } from '../said.ts';
import { type BranchedMessage, branchedRecords } from '../said-branches.ts';

const text = z.string().nullish().catch(null);
const fileSchema = z.object({ name: text, type: text, url: text });

const messageSchema = z.object({
  id: idSchema.nullish().catch(null),
  parentId: text,
  role: z.string(),
  content: z.unknown().optional(),
  timestamp: z.unknown().optional(),
  files: z.array(fileSchema).nullish().catch(null),
});

const chatSchema = z.object({
  id: idSchema.nullish().catch(null),
  title: text,
  created_at: z.unknown().optional(),
  chat: z.object({
    title: text,
    history: z
      .object({ messages: z.record(z.string(), z.unknown()), currentId: text })
      .nullish()
      .catch(null),
    messages: z.array(z.unknown()).nullish().catch(null),
  }),
});

const SOURCE = 'open-webui';

const format: ChatFormat = {
  name: SOURCE,
  description: 'Open WebUI: exported chats (JSON), one or all',
  wanted: (name) => /\.json$/i.test(name),
  recognize: ({ keys }) =>
    ['', '[].'].some((list) => keys.has(`${list}chat.history`) || keys.has(`${list}chat.messages`))
      ? 'its chats have a "history" of messages'
      : null,
  records: conversationsOf(chatSchema, chatRecords),
};
export const openWebUiImporter = chatImporter(format);

function* chatRecords(data: z.output<typeof chatSchema>, place: ConversationPlace): Generator<ImportRecord> {
  const { history, messages = [] } = data.chat;
  const title = data.title ?? data.chat.title ?? undefined;
  const raw = history === null || history === undefined ? (messages ?? []) : Object.values(history.messages);
  const read: BranchedMessage[] = [];
  for (const [position, each] of raw.entries()) {
    const where = `${place.where}, message ${position + 1}`;
    const { data: message, error } = messageSchema.safeParse(each);
    if (message === undefined) yield rejected(where, describeIssues(error));
    else read.push(messageOf(message, { where, position, before: history ? null : read.at(-1)?.id }));
  }
  const id = data.id ?? `unnamed-${digestOf([title, raw[0]])}`;
  const chat = { source: SOURCE, id, title, start: data.created_at, leaf: history?.currentId };
  yield* once(chat, place, () => branchedRecords(read, chat, place));
}

/** What a model thought, and calls of tools, stand in the text of its reply. */
const DETAILS = /<details\s+type="(?:reasoning|tool_calls|code_interpreter)"[\s\S]*?<\/details>/g;

function messageOf(
  message: z.output<typeof messageSchema>,
  { where, position, before }: { where: string; position: number; before: string | null | undefined },
): BranchedMessage {
  const { content, role, timestamp, files } = message;
  return {
    ...{ where, role, time: timestamp, id: message.id ?? `message-${position + 1}` },
    content: typeof content === 'string' ? content.replace(DETAILS, '').trim() : content,
    ...(files != null && files.length > 0 && { attachments: files.flatMap(attachmentOf) }),
    parent: message.parentId ?? before ?? null,
  };
}

function attachmentOf({ name, type, url }: z.output<typeof fileSchema>): MessageAttachment[] {
  const kind = type === 'image' ? 'image' : 'file';
  const link = url?.startsWith('http') ? url : undefined;
  return name == null && link === undefined ? [] : [{ kind, description: name ?? kind, uri: link }];
}
