import { z } from 'zod';
import { describeIssues } from '../../util/describe-issues.ts';
import { type ChatFormat, chatImporter, type ReadContext } from '../chat-importer.ts';
import type { ImportFile } from '../files/import-file.ts';
import { type ImportRecord, rejected } from '../importer.ts';
import { idSchema } from '../json/json-format.ts';
import { readElements } from '../json/read-elements.ts';
import { jsonLines } from '../json-lines.ts';
import { type SaidMessage, saidRecords } from '../said.ts';

/** A block of text keeps it in `value`. */
const blockSchema = z.union([
  z
    .looseObject({ text: z.object({ value: z.string() }) })
    .transform(({ text }) => ({ type: 'text', text: text.value })),
  z.unknown(),
]);

const messageSchema = z.object({
  id: idSchema,
  thread_id: idSchema,
  role: z.string(),
  content: z.array(blockSchema),
  created_at: z.unknown().optional(),
});

const threadSchema = z.object({ title: z.string() });

const SOURCE = 'jan';
const THREAD = /(?:^|\/)thread\.json$/i;

const format: ChatFormat = {
  name: SOURCE,
  description: 'Jan: its folder of threads, or messages.jsonl of one of them',
  wanted: (name) => /(?:^|\/)messages\.jsonl$/i.test(name) || THREAD.test(name),
  recognize: ({ keys }) =>
    keys.has('thread_id') && keys.has('content[].text') && keys.has('created_at')
      ? 'its lines are messages of threads as Jan writes them'
      : null,
  records: (file, context) => (THREAD.test(file.name) ? none() : threadRecords(file, context)),
};
export const janImporter = chatImporter(format);

/** `thread.json` has no messages; the thread's title is read with them. */
async function* none(): AsyncGenerator<ImportRecord> {}

async function* threadRecords(file: ImportFile, context: ReadContext): AsyncGenerator<ImportRecord> {
  const threads = new Map<string, SaidMessage[]>();
  for await (const line of jsonLines(file, context)) {
    if (line.kind === 'rejected') {
      yield line;
      continue;
    }
    const { data, error } = messageSchema.safeParse(line.value);
    if (data === undefined) yield rejected(line.where, describeIssues(error));
    else {
      const { id, role, content, created_at: time } = data;
      const known = threads.get(data.thread_id) ?? [];
      known.push({ id, role, content, time, where: line.where });
      threads.set(data.thread_id, known);
    }
  }
  const title = await titleOf(file, context);
  const place = { where: file.name, context, nearTime: file.modifiedAt };
  for (const [id, messages] of threads) yield* saidRecords(messages, { source: SOURCE, id, title }, place);
}

async function titleOf(file: ImportFile, context: ReadContext): Promise<string | undefined> {
  const name = file.name.replace(/messages\.jsonl$/i, 'thread.json');
  const thread = context.files.files.find((each) => each.name === name && each !== file);
  if (thread === undefined) return undefined;
  for await (const element of readElements(thread, context))
    return 'value' in element ? threadSchema.safeParse(element.value).data?.title : undefined;
  return undefined;
}
