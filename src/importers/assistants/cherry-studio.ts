import { z } from 'zod';
import { describeIssues } from '../../util/describe-issues.ts';
import { parseJson } from '../../util/parse-json.ts';
import { type ChatFormat, chatImporter } from '../chat-importer.ts';
import { type ImportRecord, rejected } from '../importer.ts';
import { idSchema } from '../json/json-format.ts';
import { type ConversationPlace, conversationsOf } from '../message-records.ts';
import { once, type SaidMessage, saidRecords } from '../said.ts';

const text = z.string().nullish().catch(null);

const messageSchema = z.object({
  id: idSchema,
  role: z.string(),
  content: text,
  createdAt: z.unknown().optional(),
  type: text,
  blocks: z.array(z.string()).nullish().catch(null),
});

const blockSchema = z.object({
  id: idSchema,
  type: z.string(),
  content: text,
  file: z.object({ origin_name: text, name: text }).nullish().catch(null),
  url: text,
});
type Block = z.output<typeof blockSchema>;

const topicSchema = z.object({ id: idSchema, messages: z.array(z.unknown()) });

const backupSchema = z.object({
  localStorage: z.record(z.string(), z.unknown()).catch({}),
  indexedDB: z.object({
    topics: z.array(z.unknown()),
    message_blocks: z.array(z.unknown()).catch([]),
  }),
});

const SOURCE = 'cherry-studio';

const format: ChatFormat = {
  name: SOURCE,
  description: 'Cherry Studio: a backup (zip), or its data.json',
  wanted: (name) => /(?:^|\/)data\.json$/i.test(name),
  // The parts are large: which one the beginning of the file has depends on its order.
  recognize: ({ keys }) =>
    keys.has('indexedDB') || keys.has('localStorage.persist:cherry-studio')
      ? 'it is a backup of Cherry Studio'
      : null,
  records: conversationsOf(backupSchema, backupRecords),
};
export const cherryStudioImporter = chatImporter(format);

function* backupRecords(
  data: z.output<typeof backupSchema>,
  place: ConversationPlace,
): Generator<ImportRecord> {
  const titles = titlesIn(data.localStorage);
  const blocks = new Map<string, Block>();
  for (const raw of data.indexedDB.message_blocks) {
    const { data: block } = blockSchema.safeParse(raw);
    if (block !== undefined) blocks.set(block.id, block);
  }
  for (const [position, raw] of data.indexedDB.topics.entries()) {
    const where = `topic ${position + 1}`;
    const { data: topic, error } = topicSchema.safeParse(raw);
    if (topic === undefined) yield rejected(where, describeIssues(error));
    else {
      const read: SaidMessage[] = [];
      for (const [index, each] of topic.messages.entries()) {
        const at = `${where}, message ${index + 1}`;
        const { data: message, error } = messageSchema.safeParse(each);
        if (message === undefined) yield rejected(at, describeIssues(error));
        else read.push(messageOf(message, { where: at, blocks }));
      }
      const chat = { source: SOURCE, id: topic.id, title: titles.get(topic.id) };
      const own = { ...place, where };
      yield* once(chat, own, () => saidRecords(read, chat, own));
    }
  }
}

function messageOf(
  message: z.output<typeof messageSchema>,
  { where, blocks }: { readonly where: string; readonly blocks: ReadonlyMap<string, Block> },
): SaidMessage {
  const { id, role, createdAt: time } = message;
  const own = (message.blocks ?? []).flatMap((name) => blocks.get(name) ?? []);
  const spoken = own.filter(({ type }) => type === 'main_text' || type === 'code');
  const content = spoken.map((block) => block.content ?? '').join('\n\n') || (message.content ?? '');
  const attachments = own.flatMap(({ type, file, url }) => {
    const kind = type === 'image' ? 'image' : 'file';
    const name = file?.origin_name ?? file?.name;
    if (type !== 'image' && type !== 'file') return [];
    return [{ kind, description: name ?? kind, uri: url?.startsWith('http') ? url : undefined }];
  });
  const leftOut = message.type === 'clear' ? 'a mark of the program' : undefined;
  return { id, role, content, attachments, time, where, leftOut };
}

const storedSchema = z.object({
  assistants: z.array(
    z.looseObject({ topics: z.array(z.object({ id: idSchema, name: z.string() })).catch([]) }),
  ),
});

/** Titles stand in the settings of the window, as JSON within JSON. */
function titlesIn(storage: Readonly<Record<string, unknown>>): ReadonlyMap<string, string> {
  const kept = z.object({ assistants: z.unknown() }).safeParse(unwrapped(storage['persist:cherry-studio']));
  const stored = storedSchema.safeParse(unwrapped(kept.data?.assistants));
  const topics = stored.data?.assistants.flatMap((assistant) => assistant.topics) ?? [];
  return new Map(topics.map(({ id, name }) => [id, name]));
}

function unwrapped(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const json = parseJson(value);
  return json.ok ? json.value : undefined;
}
