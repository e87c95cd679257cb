import { z } from 'zod';
import { describeIssues } from '../../util/describe-issues.ts';
import { type ChatFormat, chatImporter } from '../chat-importer.ts';
import type { ImportFile } from '../files/import-file.ts';
import { type ImportRecord, rejected } from '../importer.ts';
import { type ConversationPlace, conversationsOf } from '../message-records.ts';
import { once, type SaidMessage, saidRecords } from '../said.ts';

const text = z.string().nullish().catch(null);
const blocks = z.array(z.unknown()).nullish().catch(null);

const stepSchema = z.object({
  type: text,
  style: z.object({ type: text }).nullish().catch(null),
  content: blocks,
});

const versionSchema = z.object({
  role: z.string(),
  content: blocks,
  steps: z.array(stepSchema).nullish().catch(null),
});

const messageSchema = z.object({
  versions: z.array(z.unknown()).min(1),
  currentlySelected: z.number().int().min(0).catch(0),
});

const chatSchema = z.object({
  name: text,
  createdAt: z.unknown().optional(),
  messages: z.array(z.unknown()),
});

const SOURCE = 'lm-studio';

const format: ChatFormat = {
  name: SOURCE,
  description: 'LM Studio: its folder of conversations, or one of its files (….conversation.json)',
  wanted: (name) => /\.conversation\.json$/i.test(name),
  recognize: ({ keys }) =>
    keys.has('messages[].versions') ? 'its messages have "versions" as LM Studio writes them' : null,
  records: (file, context) =>
    conversationsOf(chatSchema, (data, place) => chatRecords(data, { ...place, file }))(file, context),
};
export const lmStudioImporter = chatImporter(format);

/** The name of the file is the only id of a conversation, and its beginning the only time. */
function* chatRecords(
  data: z.output<typeof chatSchema>,
  { file, ...place }: ConversationPlace & { readonly file: ImportFile },
): Generator<ImportRecord> {
  const read: SaidMessage[] = [];
  for (const [position, raw] of data.messages.entries()) {
    const where = `${place.where}, message ${position + 1}`;
    const { data: message, error } = messageSchema.safeParse(raw);
    const version = versionSchema.safeParse(
      message?.versions[message.currentlySelected] ?? message?.versions[0],
    );
    if (message === undefined || !version.success)
      yield rejected(where, describeIssues((error ?? version.error)!));
    else {
      const { role, content, steps } = version.data;
      const spoken = (steps ?? []).filter(
        ({ type, style }) => type === 'contentBlock' && style?.type !== 'thinking',
      );
      const said = spoken.length > 0 ? spoken.flatMap((step) => step.content ?? []) : (content ?? []);
      read.push({ id: String(position + 1), role, content: said, time: undefined, where });
    }
  }
  const id = file.name.replace(/^.*\//, '').replace(/(?:\.conversation)?\.json$/i, '');
  const chat = { source: SOURCE, id, title: data.name ?? undefined, start: data.createdAt };
  yield* once(chat, place, () => saidRecords(read, chat, place));
}
