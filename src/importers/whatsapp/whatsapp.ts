import { type ChatFormat, chatImporter } from '../chat-importer.ts';
import { fileLines } from '../file-lines.ts';
import type { FileSample } from '../files/file-sample.ts';
import type { ImportFile } from '../files/import-file.ts';
import type { ImportRecord } from '../importer.ts';
import type { Line } from '../line-splitter.ts';
import { digestOf, MAX_MESSAGE_LENGTH, messageRecords } from '../message-records.ts';
import type { ReadContext } from '../read-context.ts';
import { rejected } from '../turn-record.ts';
import { UniqueNames } from '../unique-names.ts';
import { chatName } from './chat-name.ts';
import { type DateOrder, inOrder } from './date-order.ts';
import { type Header, readHeader, withoutMarks } from './line.ts';
import { messageContent } from './message-content.ts';
import { splitSpeaker } from './split-speaker.ts';
import { surveyChat } from './survey-chat.ts';

export const WHATSAPP_SOURCE = 'whatsapp';

const whatsAppFormat: ChatFormat = {
  name: WHATSAPP_SOURCE,
  description: 'WhatsApp: the exported chat, as text or as the archive with its pictures',
  wanted: (name) => /\.txt$/i.test(name),
  recognize,
  records: readChat,
};
export const whatsAppImporter = chatImporter(whatsAppFormat);

/** Its first line begins a message, and so do others. */
function recognize({ text }: FileSample): string | null {
  const lines = text.split('\n', 50).filter((line) => line.trim() !== '');
  const headers = lines.filter((line) => readHeader(line.trimEnd()) !== null).length;
  return readHeader(lines[0]?.trimEnd() ?? '') !== null && headers * 10 >= lines.length
    ? 'its lines begin with a date and a name as WhatsApp writes them'
    : null;
}

interface Begun {
  readonly header: Header;
  readonly where: string;
  readonly lines: string[];
  length: number;
}

async function* readChat(file: ImportFile, context: ReadContext): AsyncGenerator<ImportRecord> {
  const { order, people, owner } = await surveyChat(file, context);
  const name = chatName(file, context) ?? owner ?? context.settings.conversation ?? 'chat';
  const chat = { name, order, people, context, ids: new UniqueNames() };
  let begun: Begun | null = null;
  for await (const line of fileLines(file, context)) {
    const where = `${context.in(file)}line ${line.number}`;
    const header = 'text' in line ? readHeader(line.text) : null;
    if (header !== null) {
      if (begun !== null) yield* finish(begun, chat);
      begun = { header, where, lines: [header.rest], length: 0 };
    } else if ('problem' in line) yield rejected(where, line.problem);
    else if (begun !== null) goOn(begun, line);
    else if (withoutMarks(line.text).trim() !== '') context.leftOut(where, 'text before the first message');
  }
  if (begun !== null) yield* finish(begun, chat);
}

/** What is longer than any message may be is counted, and not kept. */
function goOn(begun: Begun, { text }: Extract<Line, { text: string }>): void {
  begun.length += text.length + 1;
  if (begun.length <= MAX_MESSAGE_LENGTH) begun.lines.push(text);
}

interface Chat {
  readonly name: string;
  readonly order: DateOrder;
  readonly people: ReadonlySet<string>;
  readonly context: ReadContext;
  readonly ids: UniqueNames;
}

function* finish({ header, where, lines, length }: Begun, chat: Chat): Generator<ImportRecord> {
  const { context, ids, name, order, people } = chat;
  const speech = splitSpeaker(lines.join('\n'), people);
  if (speech === null) {
    context.leftOut(where, 'a note of WhatsApp, such as who joined');
    return;
  }
  const { speaker, said } = speech;
  const sourceId = ids.take(digestOf([name, header.stamp, speaker]));
  const content = messageContent(said);
  const at = timeOf(header, { order, context });
  if (length > MAX_MESSAGE_LENGTH) yield rejected(where, `is longer than ${MAX_MESSAGE_LENGTH} characters`);
  else if ('leftOut' in content) context.leftOut(where, content.leftOut);
  else if (at === null) yield rejected(where, `its date is none where the dates are ${order}`);
  else {
    const { me } = context.settings;
    const role = me === undefined || me === speaker ? ('user' as const) : ('other' as const);
    const conversation = { id: `${WHATSAPP_SOURCE}/${name}`, title: name };
    const source = WHATSAPP_SOURCE;
    yield* messageRecords({ ...content, at, speaker, role, conversation, source, sourceId }, where);
  }
}

function timeOf(
  { date, hour, minute, second }: Header,
  { order, context }: { order: DateOrder; context: ReadContext },
): number | null {
  const day = inOrder(date, order);
  return day === null ? null : context.clock.at({ ...day, hour, minute, second });
}
