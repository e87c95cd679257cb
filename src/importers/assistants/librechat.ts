import { z } from 'zod';
import { describeIssues } from '../../util/describe-issues.ts';
import { type ChatFormat, chatImporter } from '../chat-importer.ts';
import { type ImportRecord, rejected } from '../importer.ts';
import { idSchema } from '../json/json-format.ts';
import { type ConversationPlace, conversationsOf } from '../message-records.ts';
import { once } from '../said.ts';
import { type BranchedMessage, branchedRecords } from '../said-branches.ts';

const text = z.string().nullish().catch(null);

const messageSchema = z.object({
  messageId: idSchema,
  parentMessageId: text,
  isCreatedByUser: z.boolean(),
  text,
  content: z.array(z.unknown()).nullish().catch(null),
  createdAt: z.unknown().optional(),
  children: z.array(z.unknown()).nullish().catch(null),
});
type LibreMessage = z.output<typeof messageSchema>;

/** A part of a reply; the text of older ones stands in `value`. */
const partSchema = z.object({
  type: z.literal('text'),
  text: z.union([z.string(), z.object({ value: z.string() }).transform(({ value }) => value)]),
});

const chatSchema = z.object({
  conversationId: idSchema,
  title: text,
  createdAt: z.unknown().optional(),
  exportAt: z.unknown().optional(),
  messages: z.array(z.unknown()),
});

const SOURCE = 'librechat';

const format: ChatFormat = {
  name: SOURCE,
  description: 'LibreChat: an exported conversation (JSON), as a list or a tree',
  wanted: (name) => /\.json$/i.test(name),
  recognize: ({ keys }) =>
    keys.has('conversationId') && keys.has('messages[].isCreatedByUser')
      ? 'its messages have "isCreatedByUser"'
      : null,
  records: conversationsOf(chatSchema, chatRecords),
};
export const libreChatImporter = chatImporter(format);

function* chatRecords(data: z.output<typeof chatSchema>, place: ConversationPlace): Generator<ImportRecord> {
  const { conversationId: id, title } = data;
  const read: BranchedMessage[] = [];
  const waiting = data.messages.map((raw, position) => ({
    raw,
    where: `${place.where}, message ${position + 1}`,
  }));
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { data: message, error } = messageSchema.safeParse(next.raw);
    if (message === undefined) yield rejected(next.where, describeIssues(error));
    else {
      read.push(messageOf(message, next.where));
      waiting.push(...(message.children ?? []).map((raw) => ({ raw, where: next!.where })));
    }
  }
  const chat = { source: SOURCE, id, title: title ?? undefined, start: data.createdAt ?? data.exportAt };
  yield* once(chat, place, () => branchedRecords(read, chat, place));
}

function messageOf(message: LibreMessage, where: string): BranchedMessage {
  const { messageId: id, parentMessageId: parent, isCreatedByUser, createdAt: time } = message;
  const parts = (message.content ?? []).flatMap((part) => partSchema.safeParse(part).data?.text ?? []);
  const content = message.text?.trim() ? message.text : parts.join('\n\n');
  return { id, where, time, content, role: isCreatedByUser ? 'user' : 'assistant', parent: parent ?? null };
}
