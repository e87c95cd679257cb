import { type ChatFormat, chatImporter, type ReadContext } from './chat-importer.ts';
import type { ImportFile } from './files/import-file.ts';
import { type FactRecord, type ImportRecord, type RejectedRecord, rejected } from './importer.ts';
import { cleaned, digestOf, messageRecords, timeOrReason } from './message-records.ts';
import { fileLines } from './read-lines.ts';

/** The source of what another assistant remembered. */
export const SAVED_MEMORIES = 'saved-memories';
const LONGEST_STATEMENT = 10_000;

/** "[2026-03-01] - Lives in Ghent.", also with a date that is not known; dashes of all kinds, and marks of lists. */
const ENTRY = /^\s*(?:[-*•]\s+|\d+[.)]\s+)?\[([^\][]{1,60})\]\s*(?:[-–—:]\s*)?(\S.*)$/;
const DATE = /^\d{4}-\d\d(?:-\d\d)?$/;
const NO_DATE = /\b(?:unknown|undated|no date|not available|n\/a|date saved)\b/i;
const IS_HEADING = /^\s*(?:#|```|\*\*[^*]+\*\*:?\s*$)/;
const NO_MEMORY = 'a line without a date in brackets, such as a heading';
const isEntry = (found: RegExpExecArray | null): found is RegExpExecArray =>
  found !== null && (DATE.test(found[1]!.trim()) || NO_DATE.test(found[1]!.trim()));

const format: ChatFormat = {
  name: SAVED_MEMORIES,
  description:
    'saved memories: what ChatGPT, Claude or Gemini print when asked for all they remember (“[date] - memory” lines)',
  wanted: (name) => /\.(?:txt|md|markdown)$/i.test(name),
  hasDays: true,
  recognize: ({ text }) => {
    const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
    const entries = lines.filter((line) => isEntry(ENTRY.exec(line)));
    return entries.length >= 2 && entries.length * 2 >= lines.length
      ? 'its lines are “[date] - memory”'
      : null;
  },
  records: readTurns,
  facts: readFacts,
};
export const savedMemoriesImporter = chatImporter(format);

interface SavedMemory {
  readonly where: string;
  readonly statement: string;
  readonly at: number;
  readonly isDated: boolean;
  readonly id: string;
}

async function* readTurns(file: ImportFile, context: ReadContext): AsyncGenerator<ImportRecord> {
  let undated = 0;
  for await (const memory of readMemories(file, context)) {
    if ('reason' in memory) {
      yield memory;
      continue;
    }
    const { where, statement, at, id, isDated } = memory;
    if (!isDated) undated++;
    const speaker = context.settings.me ?? 'user';
    const conversation = { id: `${SAVED_MEMORIES}/${file.name}`, title: 'Saved memories' };
    const said = { content: statement, at, speaker, role: 'user' as const, conversation };
    yield* messageRecords({ ...said, source: SAVED_MEMORIES, sourceId: id }, where);
  }
  if (undated > 0) context.note('Memories without a date get that of the file');
}

async function* readFacts(
  file: ImportFile,
  context: ReadContext,
): AsyncGenerator<FactRecord | RejectedRecord> {
  for await (const memory of readMemories(file, context)) {
    if ('reason' in memory) continue; // already reported with the turns
    const { statement, at, id, where, isDated } = memory;
    yield {
      kind: 'fact',
      where,
      fact: {
        statement: statement.slice(0, LONGEST_STATEMENT).toWellFormed(),
        participants: [context.settings.me ?? 'user'],
        ...(isDated && { validAt: at }),
        evidence: [{ source: SAVED_MEMORIES, sourceId: id }],
      },
    };
  }
}

/** Entries may go on in lines of their own; headings and fences stand between them. Without any date, each line is one. */
async function* readMemories(
  file: ImportFile,
  context: ReadContext,
): AsyncGenerator<SavedMemory | RejectedRecord> {
  const open: { readonly where: string; readonly date: string; text: string }[] = [];
  const bare: { readonly where: string; readonly date: string; text: string }[] = [];
  for await (const line of fileLines(file, context)) {
    const where = `${context.in(file)}line ${line.number}`;
    const found = 'text' in line ? ENTRY.exec(line.text) : null;
    if ('problem' in line) yield rejected(where, line.problem);
    else if (isEntry(found)) open.push({ where, date: found[1]!, text: found[2]! });
    else if (/^\s{2,}\S/.test(line.text) && open.length > 0) open.at(-1)!.text += ` ${line.text.trim()}`;
    else if (line.text.trim() !== '')
      bare.push({ where, date: '', text: line.text.replace(/^\s*(?:[-*•]\s+|\d+[.)]\s+)/, '') });
  }
  const isDated = open.length > 0;
  for (const { where, text } of bare) if (isDated || IS_HEADING.test(text)) context.leftOut(where, NO_MEMORY);
  const fileTime = file.modifiedAt === null ? Date.now() : Math.trunc(file.modifiedAt);
  for (const { where, date, text } of isDated ? open : bare.filter(({ text }) => !IS_HEADING.test(text))) {
    const day = DATE.exec(date.trim())?.[0];
    const at = day === undefined ? fileTime : timeOrReason(day.length === 7 ? `${day}-01` : day);
    const statement = cleaned(text).replace(/\s+/g, ' ').trim();
    if (typeof at !== 'number') yield rejected(where, `its date ${at ?? 'is missing'}`);
    else yield { where, statement, at, isDated: day !== undefined, id: digestOf([day, statement]) };
  }
}
