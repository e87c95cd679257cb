import { type ChatFormat, chatImporter, type ReadContext } from '../chat-importer.ts';
import type { ImportFile } from '../files/import-file.ts';
import { type ImportRecord, rejected } from '../importer.ts';
import { digestOf, type MessageAttachment } from '../message-records.ts';
import { fileLines } from '../read-lines.ts';
import { type SaidMessage, saidRecords } from '../said.ts';
import { UniqueNames } from '../unique-names.ts';

const SOURCE = 'imessage';
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
/** "May 17, 2022  5:29:42 PM", perhaps with when it was read, or with a note such as who was added. */
const STAMP =
  /^([A-Z][a-z]{2}) (\d{2}), (\d{4}) {1,2}(\d{1,2}):(\d{2}):(\d{2}) ([AP]M)(?: \((?:Read|Delivered)\b[^)]*\)| (.+))?$/;

const format: ChatFormat = {
  name: SOURCE,
  description: 'iMessage: chats as text by imessage-exporter (a file for each chat, or their folder)',
  wanted: (name) => /\.txt$/i.test(name),
  recognize: ({ text }) => {
    const [first = '', second = ''] = text.split(/\r?\n/, 2);
    return STAMP.test(first) && second.trim() !== '' && !STAMP.test(second)
      ? 'its messages begin with a time in a line of its own, as imessage-exporter writes them'
      : null;
  },
  records: readChat,
};
export const iMessageImporter = chatImporter(format);

interface Block {
  readonly stamp: RegExpExecArray;
  readonly where: string;
  readonly lines: string[];
}

async function* readChat(file: ImportFile, context: ReadContext): AsyncGenerator<ImportRecord> {
  const id = file.name.replace(/^.*\//, '').replace(/\.txt$/i, '');
  const names = new UniqueNames();
  const said: SaidMessage[] = [];
  const blocks: Block[] = [];
  for await (const line of fileLines(file, context)) {
    const where = `${context.in(file)}line ${line.number}`;
    const stamp = 'text' in line ? STAMP.exec(line.text) : null;
    if ('problem' in line) yield rejected(where, line.problem);
    else if (stamp !== null) blocks.push({ stamp, where, lines: [] });
    else blocks.at(-1)?.lines.push(line.text);
  }
  for (const block of blocks) said.push(messageOf(block, { names, context }));
  context.noteTimeZone();
  const place = { where: file.name, context, nearTime: null };
  yield* saidRecords(said, { source: SOURCE, id, title: id }, place);
}

const NOTE =
  /^(?:This message (?:responded to an earlier message|was deleted from the conversation)[.!]|Edited .+ later: .*|.+ unsent (?:this message part|a message).*)$/;
/** Reactions, and replies that stand in their own place too, are indented below. */
const TAPBACKS = /^(?:Tapbacks|Stickers):$/;
/** A file stands as its path in a line of its own. */
const FILE = /^(?:~|\/|[A-Za-z]:\\|attachments\/).*[\\/]([^\\/]+\.\w{2,5})$/;

function messageOf(
  { stamp, where, lines }: Block,
  { names, context }: { names: UniqueNames; context: ReadContext },
): SaidMessage {
  const [whole, month, day, year, hour, minute, second, half, note] = stamp;
  const at = context.clock.at({
    year: Number(year),
    month: MONTHS.indexOf(month!) + 1,
    day: Number(day),
    hour: (Number(hour) % 12) + (half === 'PM' ? 12 : 0),
    minute: Number(minute),
    second: Number(second),
  });
  const [sender = '', ...rest] = lines;
  const isOwn = sender.trim() === 'Me';
  const end = rest.findIndex((line) => TAPBACKS.test(line.trim()));
  const body = (end < 0 ? rest : rest.slice(0, end)).filter(
    (line) => !/^ {4}/.test(line) && !NOTE.test(line),
  );
  const attachments = body.flatMap((line): MessageAttachment[] => {
    const name = FILE.exec(line)?.[1];
    if (name === undefined) return [];
    return [{ kind: /\.(?:heic|jpe?g|png|gif|webp)$/i.test(name) ? 'image' : 'file', description: name }];
  });
  const speaker = isOwn ? (context.settings.me ?? 'user') : sender.trim() || 'somebody';
  return {
    ...{ where, speaker, attachments, time: at ?? 'no time', id: names.take(digestOf([whole, sender])) },
    role: isOwn ? 'user' : 'other',
    content: body
      .filter((line) => !FILE.test(line))
      .join('\n')
      .trim(),
    leftOut: note === undefined ? undefined : 'a note of iMessage, such as who was added',
  };
}
