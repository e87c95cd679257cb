import { z } from 'zod';
import { FileUnreadableError } from '../../errors/index.ts';
import { describeIssues } from '../../util/describe-issues.ts';
import { type ChatFormat, chatImporter, type ReadContext } from '../chat-importer.ts';
import { htmlText } from '../documents/html-text.ts';
import type { ImportFile } from '../files/import-file.ts';
import { type ImportRecord, rejected } from '../importer.ts';
import { readElements } from '../json/read-elements.ts';
import { digestOf, timeOrReason } from '../message-records.ts';
import { type SaidMessage, saidRecords } from '../said.ts';

const text = z.string().nullish().catch(null);
const labels = z.array(z.string()).nullish().catch(null);

const activitySchema = z.object({
  header: text,
  products: labels,
  title: z.string(),
  time: z.unknown().optional(),
  safeHtmlItem: z
    .array(z.object({ html: text }))
    .nullish()
    .catch(null),
  attachedFiles: labels,
});
type Activity = z.output<typeof activitySchema>;

const SOURCE = 'gemini';
const HTML = /(?:^|\/)[^/]*\.html$/i;
const ITS_NAME = /\b(?:gemini|bard)\b/i;

const format: ChatFormat = {
  name: SOURCE,
  description: 'Gemini: Google Takeout of “My Activity” as JSON (zip, folder or MyActivity.json)',
  wanted: (name) => /(?:^|\/)[^/]*(?:activity|gemini)[^/]*\.(?:json|html)$/i.test(name),
  recognize: ({ keys, name, text }) => {
    if (HTML.test(name))
      return /mdl-typography/.test(text) && ITS_NAME.test(text) ? 'it is a page of Gemini’s activity' : null;
    const isActivity = keys.has('[].title') && keys.has('[].time') && keys.has('[].products');
    return isActivity && ITS_NAME.test(text) ? 'it is a list of Gemini’s activity' : null;
  },
  records: readActivity,
};
export const geminiImporter = chatImporter(format);

/** A pause after which a question opens a chat of its own: the export does not say which belong together. */
const PAUSE = 30 * 60_000;

interface Asked {
  readonly at: number;
  readonly id: string;
  readonly messages: readonly SaidMessage[];
}

async function* readActivity(file: ImportFile, context: ReadContext): AsyncGenerator<ImportRecord> {
  if (HTML.test(file.name))
    throw new FileUnreadableError(
      context.path,
      'it is Takeout’s page of activity; ask Takeout again with “JSON” as the format of “My Activity”',
    );
  const asked: Asked[] = [];
  for await (const element of readElements(file, context)) {
    const where = `${context.in(file)}activity ${element.number}`;
    const { data, error } = activitySchema.safeParse('value' in element ? element.value : undefined);
    const time = timeOrReason(data?.time);
    if ('problem' in element) yield rejected(where, element.problem);
    else if (data === undefined) yield rejected(where, describeIssues(error));
    else if (!isOfGemini(data)) context.leftOut(where, 'activity of another product');
    else if (typeof time !== 'number') yield rejected(where, `time: ${time ?? 'is missing'}`);
    else {
      const prompt = promptOf(data);
      if (prompt === null) context.leftOut(where, 'an activity that says nothing, such as feedback');
      else asked.push(exchange(data, { where, at: time, prompt }));
    }
  }
  if (asked.length > 0)
    context.note('Gemini’s export has no chats: questions within half an hour of each other are one');
  const place = { where: file.name, context, nearTime: null };
  for (const group of grouped(asked.sort((a, b) => a.at - b.at))) {
    const id = new Date(group[0]!.at).toISOString().slice(0, 19);
    const said = group.flatMap(({ messages }) => messages);
    yield* saidRecords(said, { source: SOURCE, id, assistant: 'Gemini' }, place);
  }
}

const isOfGemini = ({ header, products }: Activity) => {
  const names = [header ?? '', ...(products ?? [])].filter((name) => name !== '');
  return names.length === 0 || names.some((name) => ITS_NAME.test(name));
};

const SAID = /^(?:Prompted(?: with:)?|Asked(?: (?:Gemini|Bard):)?|Said|Branched|Answered)\s+/;
const DONE =
  /^(?:Created|Used|Added|Gave|Selected|Shared|Deleted|Viewed|Visited|Searched|Edited|Pinned|Renamed|Exported|Updated)\s/;

/** The title without its verb. In other languages the verb stays, and what was answered was asked. */
function promptOf({ title, safeHtmlItem }: Activity): string | null {
  const words = title.trim().replace(/\s*Attached \d+ files?\.?$/i, '');
  if (SAID.test(words)) return words.replace(SAID, '');
  return DONE.test(words) || !safeHtmlItem?.length ? null : words;
}

function exchange(
  { safeHtmlItem, attachedFiles, time }: Activity,
  { where, at, prompt }: { readonly where: string; readonly at: number; readonly prompt: string },
): Asked {
  const id = digestOf([time, prompt]);
  const reply = (safeHtmlItem ?? []).map(({ html }) => htmlText(html ?? '')).join('\n\n');
  const attachments = (attachedFiles ?? []).map((description) => ({ kind: 'file', description }));
  const shared = { time: at, where };
  const question = { ...shared, id: 'question', sourceId: id, role: 'user', content: prompt, attachments };
  const answer = { ...shared, id: 'answer', sourceId: `${id}/answer`, role: 'assistant', content: reply };
  return { at, id, messages: reply.trim() === '' ? [question] : [question, answer] };
}

function grouped(asked: readonly Asked[]): Asked[][] {
  const groups: Asked[][] = [];
  for (const each of asked) {
    const last = groups.at(-1);
    if (last !== undefined && each.at - last.at(-1)!.at <= PAUSE) last.push(each);
    else groups.push([each]);
  }
  return groups;
}
