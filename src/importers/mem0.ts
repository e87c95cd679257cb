import { z } from 'zod';
import { describeIssues } from '../util/describe-issues.ts';
import { type ChatFormat, chatImporter, type ReadContext } from './chat-importer.ts';
import type { ImportFile } from './files/import-file.ts';
import { type FactRecord, type ImportRecord, type RejectedRecord, rejected } from './importer.ts';
import { idSchema } from './json/json-format.ts';
import { DAMAGED, isIn, MISSING, readElements } from './json/read-elements.ts';
import { boundedId, cleaned, digestOf, messageRecords, timeOrReason as timeOf } from './message-records.ts';

export const MEM0_SOURCE = 'mem0';

/** Keys under which mem0 puts the list, depending on version and kind of export. */
const LISTS = ['results', 'memories', 'data'] as const;
const LONGEST_STATEMENT = 10_000;
const LONGEST_NAME = 300;

const name = idSchema.nullish().catch(null);
const text = z.string().nullish().catch(null);

const memorySchema = z.object({
  id: idSchema.nullish().catch(null),
  memory: text,
  /** The name in older versions. */
  text,
  data: text,
  user_id: name,
  agent_id: name,
  run_id: name,
  role: text,
  created_at: z.unknown().optional(),
  updated_at: z.unknown().optional(),
  expiration_date: z.unknown().optional(),
});

const mem0Format: ChatFormat = {
  name: MEM0_SOURCE,
  description: 'mem0: the memories from get_all or an export (JSON)',
  wanted: (path) => /\.json$/i.test(path),
  recognize: ({ keys }) =>
    ['[]', ...LISTS.map((list) => `${list}[]`)].some(
      (list) => keys.has(`${list}.memory`) && (keys.has(`${list}.id`) || keys.has(`${list}.created_at`)),
    )
      ? 'its entries have a "memory"'
      : null,
  records: readTurns,
  facts: readFacts,
};
export const mem0Importer = chatImporter(mem0Format);

interface ReadMemory {
  readonly memory: z.output<typeof memorySchema>;
  readonly statement: string;
  readonly at: number;
  readonly id: string;
  readonly session: string;
  readonly speaker: string;
}

async function* readTurns(file: ImportFile, context: ReadContext): AsyncGenerator<ImportRecord> {
  const users = new Set<string>();
  for await (const { read, where } of readMemories(file, context)) {
    if (typeof read === 'string') yield rejected(where, read);
    else if (context.known.has(read.id)) yield rejected(where, 'an earlier memory has the same id');
    else {
      context.known.add(read.id);
      users.add(read.memory.user_id ?? '');
      const { at, id, session, speaker, statement } = read;
      const role = read.memory.role === 'assistant' ? ('assistant' as const) : ('user' as const);
      const said = { content: statement, at, speaker, role, conversation: { id: session } };
      yield* messageRecords({ ...said, source: MEM0_SOURCE, sourceId: id }, where);
    }
  }
  if (users.size > 1)
    context.note(`It holds the memories of ${users.size} users, which all go into this one scope`);
}

/**
 * A memory of mem0 was already extracted from a chat, so it is also imported as a statement, with its own turn as
 * evidence.
 */
async function* readFacts(
  file: ImportFile,
  context: ReadContext,
): AsyncGenerator<FactRecord | RejectedRecord> {
  for await (const { read, where } of readMemories(file, context)) {
    if (typeof read === 'string' || context.known.has(read.id)) continue; // already reported with the turns
    context.known.add(read.id);
    const end = timeOf(read.memory.expiration_date);
    yield {
      kind: 'fact',
      where,
      fact: {
        statement: cleaned(read.statement).trim().slice(0, LONGEST_STATEMENT).toWellFormed(),
        participants: [read.speaker.slice(0, LONGEST_NAME)],
        validAt: read.at,
        ...(typeof end === 'number' && end > read.at ? { invalidAt: end } : {}),
        evidence: [{ source: MEM0_SOURCE, sourceId: boundedId(read.id) }],
      },
    };
  }
}

async function* readMemories(
  file: ImportFile,
  context: ReadContext,
): AsyncGenerator<{ where: string; read: ReadMemory | string }> {
  let number = 0;
  for await (const element of readElements(file, context, { keepsParts: true })) {
    const values = 'problem' in element ? [element] : element.alone ? listIn(element.value) : [element.value];
    for (const value of values) {
      const where = `${context.in(file)}memory ${++number}`;
      if ('problem' in element) yield { where, read: element.problem };
      else if (isIn(element.broken, value)) yield { where, read: DAMAGED };
      else yield { where, read: readMemory(value, context) };
    }
    if ('broken' in element && isIn(element.broken, element.value) && values[0] !== element.value)
      yield { where: `${context.in(file)}after memory ${number}`, read: MISSING };
  }
}

function listIn(value: unknown): readonly unknown[] {
  const parsed = z.record(z.string(), z.unknown()).safeParse(value);
  const lists = parsed.success ? LISTS.map((list) => parsed.data[list]).filter(Array.isArray) : [];
  return lists[0] ?? [value];
}

/** A memory with its time, or the reason why it is invalid. */
function readMemory(value: unknown, { settings }: ReadContext): ReadMemory | string {
  const parsed = memorySchema.safeParse(value);
  if (!parsed.success) return describeIssues(parsed.error);
  const memory = parsed.data;
  const statement = memory.memory ?? memory.text ?? memory.data ?? '';
  if (cleaned(statement).trim() === '') return 'memory: is missing or empty';
  const at = timeOf(memory.created_at) ?? timeOf(memory.updated_at);
  if (at === null) return 'created_at: is missing';
  if (typeof at === 'string') return `created_at: ${at}`;
  const owner = memory.user_id ?? memory.agent_id ?? 'user';
  return {
    memory,
    statement,
    at,
    id: memory.id ?? `unnamed-${digestOf([owner, statement, at])}`,
    session: [MEM0_SOURCE, owner, ...(memory.run_id == null ? [] : [memory.run_id])].join('/'),
    speaker: settings.me ?? owner,
  };
}
