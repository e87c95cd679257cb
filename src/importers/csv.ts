import { z } from 'zod';
import { type ChatFormat, chatImporter, type ReadContext } from './chat-importer.ts';
import type { ImportFile } from './files/import-file.ts';
import { type ImportRecord, rejected } from './importer.ts';
import { digestOf, timeOrReason } from './message-records.ts';
import { roleAmongPeople, type SaidMessage, saidRecords } from './said.ts';
import { UniqueNames } from './unique-names.ts';

/** What a column holds, and the names that programs give it, in small letters. */
const COLUMNS = {
  text: ['message', 'text', 'content', 'body', 'contents', 'messagecontent', 'message text', 'note'],
  time: [
    ...['time', 'date', 'timestamp', 'datetime', 'date/time', 'at', 'created_at', 'createdat', 'created at'],
    ...['message date', 'sent', 'sent at', 'sent_at', 'when'],
  ],
  speaker: [
    'sender name',
    'author',
    'sender',
    'speaker',
    'from',
    'name',
    'user',
    'username',
    'role',
    'sender id',
  ],
  chat: [
    ...['conversation', 'chat', 'chat session', 'chatname', 'thread', 'channel', 'session', 'room'],
    ...['conversation_id', 'chat_id', 'thread_id'],
  ],
  direction: ['type', 'direction'],
  attachment: ['attachment', 'attachments', 'file'],
  id: ['id', 'message id', 'message_id', 'guid'],
} as const;
type Column = keyof typeof COLUMNS;
type Columns = Readonly<Partial<Record<Column, number>>> & { readonly text: number };

const DELIMITERS = [',', ';', '\t'] as const;
const MAX_ROW_CHARACTERS = 5_000_000;

const SOURCE = 'table';

const format: ChatFormat = {
  name: 'csv',
  description: 'a table of messages (CSV): Microsoft Copilot, iMazing, and others with a column of texts',
  wanted: (name) => /\.(?:csv|tsv)$/i.test(name),
  recognize: ({ name, text }) => {
    if (!/\.(?:csv|tsv)$/i.test(name)) return null;
    const columns = columnsIn(rowOf(text, delimiterOf(text)));
    return columns === null || (columns.time === undefined && columns.speaker === undefined)
      ? null
      : 'its first row names columns of texts, times or speakers';
  },
  records: readTable,
};
export const csvImporter = chatImporter(format);

const headOf = (text: string) => text.replace(/^\uFEFF/, '').split(/\r?\n/, 1)[0]!;
const delimiterOf = (text: string) => {
  const head = headOf(text);
  return DELIMITERS.toSorted((a, b) => head.split(b).length - head.split(a).length)[0]!;
};
/** The names in the first row, in which no name has a delimiter or a line break. */
const rowOf = (text: string, delimiter: string) =>
  headOf(text)
    .split(delimiter)
    .map((name) => name.trim().replace(/^"(.*)"$/, '$1'));

function columnsIn(names: readonly string[]): Columns | null {
  const known = names.map((name) => name.trim().toLowerCase());
  const found = Object.entries(COLUMNS).map(([column, all]) => {
    const name = all.find((each) => known.includes(each));
    return [column, name === undefined ? undefined : known.indexOf(name)] as const;
  });
  const columns = Object.fromEntries(found) as Partial<Record<Column, number>>;
  return columns.text === undefined ? null : { ...columns, text: columns.text };
}

async function* readTable(file: ImportFile, context: ReadContext): AsyncGenerator<ImportRecord> {
  const rows: Row[] = [];
  let columns: Columns | null = null;
  for await (const { record, line } of rowsOf(file, context)) {
    const where = `${context.in(file)}line ${line}`;
    if (typeof record === 'string') yield rejected(where, record);
    else if (columns !== null) rows.push({ cells: record, where });
    else {
      columns = columnsIn(record);
      if (columns === null) {
        const names = COLUMNS.text.join(', ');
        yield rejected(where, `the first row names no column of texts, such as ${names}`);
        return;
      }
    }
  }
  if (columns !== null)
    yield* tableRecords(isNewestFirst(rows, columns) ? rows.toReversed() : rows, { columns, file, context });
}

interface Row {
  readonly cells: readonly string[];
  readonly where: string;
}

const parsedSchema = z.object({
  record: z.array(z.string()),
  info: z.object({ lines: z.number() }),
});

/** The rows of a file, one at a time; a row that is none is a text that says why. */
async function* rowsOf(file: ImportFile, context: ReadContext) {
  const { parse } = await import('csv-parse');
  const chunks = bytesOf(file, context);
  const first = await chunks.next();
  const head = first.done ? '' : new TextDecoder().decode(first.value);
  const problems: { readonly record: string; readonly line: number }[] = [];
  const parser = parse({
    ...{ bom: true, info: true, relax_column_count: true, relax_quotes: true, skip_empty_lines: true },
    ...{ delimiter: delimiterOf(head), max_record_size: MAX_ROW_CHARACTERS, skip_records_with_error: true },
    on_skip: (error) => {
      problems.push({ record: 'is no row of a table, or is too long', line: Number(error?.lines ?? 0) });
      return undefined;
    },
  });
  const { Readable } = await import('node:stream');
  const source = Readable.from(
    (async function* () {
      if (!first.done) yield first.value;
      yield* chunks;
    })(),
  );
  source.on('error', (error) => parser.destroy(error));
  for await (const row of source.pipe(parser)) {
    yield* problems.splice(0);
    const { record, info } = parsedSchema.parse(row);
    yield { record, line: info.lines };
  }
  yield* problems;
}

async function* bytesOf(file: ImportFile, context: ReadContext): AsyncGenerator<Uint8Array> {
  for await (const chunk of file.open()) {
    context.advance(chunk.length);
    yield chunk;
  }
}

/** Copilot's table begins with the last message. Of two of one second the order in the file decides. */
function isNewestFirst(rows: readonly Row[], { time }: Columns): boolean {
  if (time === undefined) return false;
  const times = rows.map(({ cells }) => readTime(cells[time])).filter((at) => typeof at === 'number');
  return times.length > 1 && times[0]! > times.at(-1)!;
}

/** A time as tables write it: ISO 8601, perhaps with a blank, or what else JavaScript reads ("1/31/2026 10:00:00 +00:00"). */
function readTime(cell: string | undefined): number | string | null {
  if (cell === undefined || cell.trim() === '') return null;
  const iso = cell
    .trim()
    .replace(/^(\d{4}-\d\d-\d\d) (?=\d\d:)/, '$1T')
    .replace(/(\d) ?UTC$/, '$1Z');
  const time = timeOrReason(/^\d{9,13}$/.test(iso) ? Number(iso) : iso);
  if (typeof time !== 'string' || !/\d{1,2}\/\d{1,2}\/\d{4}.*(?:Z|[+-]\d\d:?\d\d)$/.test(iso)) return time;
  return timeOrReason(new Date(iso).toJSON());
}

const MINE = /^(?:human|user|you|me|outgoing|sent)$/i;
const OF_OTHERS = /^(?:incoming|received)$/i;
const ASSISTANT = /^(?:ai|assistant|bot|copilot|chatgpt|claude|gemini|model)$/i;

function* tableRecords(
  rows: readonly Row[],
  { columns, file, context }: { columns: Columns; file: ImportFile; context: ReadContext },
): Generator<ImportRecord> {
  const own = context.settings.conversation ?? file.name.replace(/^.*\//, '').replace(/\.[^.]*$/, '');
  const names = new UniqueNames();
  const chats = new Map<string, SaidMessage[]>();
  const cellOf = ({ cells }: Row, column: Column) => {
    const at = columns[column];
    return at === undefined ? undefined : cells[at]?.trim() || undefined;
  };
  for (const row of rows) {
    const [content = '', time, chat = own] = [cellOf(row, 'text'), cellOf(row, 'time'), cellOf(row, 'chat')];
    const [attachment, direction = ''] = [cellOf(row, 'attachment'), cellOf(row, 'direction')];
    const speaker = cellOf(row, 'speaker') ?? (OF_OTHERS.test(direction) ? 'somebody' : undefined);
    const isMine = speaker === undefined || MINE.test(speaker) || MINE.test(direction);
    const role = isMine
      ? 'user'
      : ASSISTANT.test(speaker!)
        ? 'assistant'
        : roleAmongPeople(speaker!, context);
    const said = chats.get(chat) ?? [];
    said.push({
      ...{ role, content, where: row.where, time: readTime(time) },
      id: cellOf(row, 'id') ?? names.take(digestOf([time, speaker, content])),
      speaker: isMine ? (context.settings.me ?? 'user') : speaker,
      ...(attachment !== undefined && { attachments: [{ kind: 'file', description: attachment }] }),
    });
    chats.set(chat, said);
  }
  if (rows.length > 0 && columns.time !== undefined) context.noteTimeZone();
  const place = { where: file.name, context, nearTime: file.modifiedAt };
  for (const [id, said] of chats) yield* saidRecords(said, { source: SOURCE, id, title: id }, place);
}
