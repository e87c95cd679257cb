import { fileLines } from '../file-lines.ts';
import type { ImportFile } from '../files/import-file.ts';
import type { ReadContext } from '../read-context.ts';
import { type DateOrder, DateOrders } from './date-order.ts';
import { readHeader } from './line.ts';
import { splitSpeaker } from './split-speaker.ts';

export interface ChatSurvey {
  readonly order: DateOrder;
  readonly people: ReadonlySet<string>;
  /** In whose name an iPhone's export begins: the other person, or the group. */
  readonly owner: string | null;
}

/** More names than this are no chat. */
const MOST_PEOPLE = 20_000;

/** Reads a chat once for what only the whole of it tells. */
export async function surveyChat(file: ImportFile, context: ReadContext): Promise<ChatSurvey> {
  const orders = new DateOrders();
  const people = new Set<string>();
  let owner: string | null = null;
  let isFirst = true;
  for await (const line of fileLines(file, context)) {
    const header = 'text' in line ? readHeader(line.text) : null;
    if (header === null) continue;
    orders.add(header.date, header.isHalfDay);
    const speech = splitSpeaker(header.rest, null);
    if (speech !== null && people.size < MOST_PEOPLE) people.add(speech.speaker);
    if (isFirst && speech?.said.startsWith('\u200e')) owner = speech.speaker;
    isFirst = false;
  }
  const { dateOrder } = context.settings;
  const found = orders.find();
  if (!isFirst) context.noteTimeZone();
  if (dateOrder === 'auto' && !isFirst && found.by !== 'dates') noteGuess(context, found);
  return { order: dateOrder === 'auto' ? found.order : dateOrder, people, owner };
}

function noteGuess(context: ReadContext, { order, by }: ReturnType<DateOrders['find']>): void {
  const why = by === 'sequence' ? 'since they then go on in time' : 'since nothing tells it';
  context.note(`Its dates could be read with the day or the month first; they are read ${order}, ${why}`);
}
