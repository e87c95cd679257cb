import { z } from 'zod';
import { isMessage, readMessage } from '../../model/messages/read-message.ts';
import { type ChatFormat, chatImporter, type ReadContext } from '../chat-importer.ts';
import type { ImportFile } from '../files/import-file.ts';
import { type ImportRecord, rejected } from '../importer.ts';
import { readElements } from '../json/read-elements.ts';
import { digestOf } from '../message-records.ts';
import { type SaidMessage, saidRecords } from '../said.ts';
import { UniqueNames } from '../unique-names.ts';

const SOURCE = 'messages';
const listSchema = z.object({ messages: z.array(z.unknown()) });
const LISTS = ['[]', 'messages[]'];

const format: ChatFormat = {
  name: SOURCE,
  description: 'messages as chat libraries write them (JSON): a list, or an object with "messages"',
  wanted: (name) => /\.json$/i.test(name),
  recognize: ({ keys, isWithin }) =>
    !isWithin &&
    LISTS.some(
      (list) => keys.has(`${list}.role`) && (keys.has(`${list}.content`) || keys.has(`${list}.parts`)),
    )
      ? 'its messages have "role" and "content"'
      : null,
  records: readMessages,
};
export const messagesImporter = chatImporter(format);

/** Messages of OpenAI, Anthropic, the AI SDK, Gemini and LangChain; the file's name is their session. */
async function* readMessages(file: ImportFile, context: ReadContext): AsyncGenerator<ImportRecord> {
  const names = new UniqueNames();
  const read: SaidMessage[] = [];
  for await (const element of readElements(file, context)) {
    const list = 'value' in element ? listSchema.safeParse(element.value).data?.messages : undefined;
    const values = list ?? ['value' in element ? element.value : undefined];
    for (const value of values) {
      const where = `${context.in(file)}message ${read.length + 1}`;
      if ('problem' in element) yield rejected(where, element.problem);
      else if (typeof value !== 'object' || value === null) yield rejected(where, 'is no message');
      else {
        const message = readMessage(value);
        if (typeof message === 'string' && isMessage(value)) context.leftOut(where, message);
        else if (typeof message === 'string') yield rejected(where, message);
        else {
          const { role, content, attachments, speaker, at: time } = message;
          const id = message.id ?? names.take(digestOf([role, content]));
          read.push({ id, role, content, attachments, speaker, time, where });
        }
      }
    }
  }
  const id = context.settings.conversation ?? file.name.replace(/^.*\//, '').replace(/\.json$/i, '');
  if (read.some(({ time }) => time === undefined))
    context.note('Messages without a time get that of the message before them, else that of the file');
  const place = { where: file.name, context, nearTime: file.modifiedAt };
  yield* saidRecords(read, { source: SOURCE, id }, place);
}
