import { basename } from 'node:path';
import { FileUnreadableError } from '../../errors/index.ts';
import { parseTimestamp } from '../../util/parse-timestamp.ts';
import { wordsOfLinks } from '../../util/vault-links.ts';
import { type ChatFormat, chatImporter, type ReadContext } from '../chat-importer.ts';
import type { ImportFile } from '../files/import-file.ts';
import type { ImportRecord } from '../importer.ts';
import { secondsAfter } from '../json/json-format.ts';
import { digestOf, inRange, messageRecords } from '../message-records.ts';
import { UniqueNames } from '../unique-names.ts';
import { foreignStart } from '../unreadable.ts';

const KEYS = ['date', 'created', 'created_at', 'updated', 'modified'];
const IN_NAME = /(?<!\d)((?:19|20)\d{2})[-_.]?(0[1-9]|1[0-2])[-_.]?(0[1-9]|[12]\d|3[01])(?!\d)/;

interface DocumentDate {
  readonly at: number;
  readonly from: 'front matter' | 'file name' | 'file';
}

/** The time of a document: from its front matter, else its file name, else the file's last change. */
function documentDate(file: ImportFile, values: ReadonlyMap<string, string>): DocumentDate | null {
  for (const key of KEYS) {
    const at = possible(parseTimestamp(values.get(key) ?? ''));
    if (at !== null) return { at, from: 'front matter' };
  }
  const name = IN_NAME.exec(file.name);
  const named = name === null ? null : possible(parseTimestamp(name.slice(1).join('-')));
  if (named !== null) return { at: named, from: 'file name' };
  const changed = possible(file.modifiedAt);
  return changed === null ? null : { at: Math.trunc(changed), from: 'file' };
}

function possible(at: number | null): number | null {
  if (at === null) return null;
  const time = inRange(at);
  return 'at' in time ? time.at : null;
}

/** The front matter of a document, between two lines of dashes; values are kept as text. */
interface FrontMatter {
  readonly values: ReadonlyMap<string, string>;
  /** The document without front matter, and the number of removed lines. */
  readonly body: string;
  readonly lines: number;
}

const BLOCK = /^---[ \t]*\n([\s\S]{0,20000}?)\n---[ \t]*(?:\n|$)/;
const PAIR = /^([A-Za-z_][\w-]{0,40}):[ \t]*(.*)$/;

/** Reads simple `key: value` lines; ignores the rest of YAML. */
function readFrontMatter(text: string): FrontMatter {
  const match = BLOCK.exec(text);
  if (match === null) return { values: new Map(), body: text, lines: 0 };
  const pairs = match[1]!.split('\n').flatMap((line) => {
    const pair = PAIR.exec(line.trimEnd());
    const value = pair?.[2]?.replace(/^(["'])(.*)\1$/, '$2').trim() ?? '';
    return pair === null || value === '' ? [] : [[pair[1]!.toLowerCase(), value] as const];
  });
  return {
    values: new Map(pairs),
    body: text.slice(match[0].length),
    lines: match[0].split('\n').length - 1,
  };
}

/** A passage of a document, of suitable length for a turn. */
export interface Passage {
  /** The headings above it, from the outermost. */
  readonly headings: readonly string[];
  readonly text: string;
  /** Its first line in the body, from 1. */
  readonly line: number;
}

/** A paragraph ends after so many characters at the end of a line, as where a file has no empty line. */
const LONGEST_PARAGRAPH = 20_000;
/** Paragraphs under one heading are joined up to this many characters. */
const PASSAGE_LENGTH = 1_500;
const HEADING = /^ {0,3}(#{1,6})[ \t]+(.+?)[ \t]*#*[ \t]*$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const UNDERLINE = /^ {0,3}(=+|-+)[ \t]*$/;

/** Splits Markdown by its headings, then by paragraphs; fenced blocks stay whole. Plain text has no headings. */
export function splitDocument(body: string, { isMarkdown }: { isMarkdown: boolean }): Passage[] {
  const passages: Passage[] = [];
  for (const block of blocksOf(body.split('\n'), isMarkdown)) {
    const open = passages.at(-1);
    const goesOn = open !== undefined && open.headings.join('\n') === block.headings.join('\n');
    if (goesOn && open.text.length + block.text.length < PASSAGE_LENGTH)
      passages[passages.length - 1] = { ...open, text: `${open.text}\n\n${block.text}` };
    else passages.push(block);
  }
  return passages;
}

function* blocksOf(lines: readonly string[], isMarkdown: boolean): Generator<Passage> {
  const headings: { level: number; title: string }[] = [];
  let [paragraph, start, length, fence]: [string[], number, number, string | null] = [[], 1, 0, null];
  const finish = function* (): Generator<Passage> {
    const text = paragraph.join('\n').trimEnd();
    if (text.trim() !== '') yield { headings: headings.map(({ title }) => title), text, line: start };
    paragraph = [];
  };
  for (const [position, written] of lines.entries()) {
    const line: string = isMarkdown && fence === null ? wordsOfLinks(written) : written;
    const mark: string | undefined = isMarkdown ? FENCE.exec(line)?.[1] : undefined;
    const heading: Heading | null = isMarkdown && fence === null ? headingOf(line, paragraph) : null;
    if (fence === null && line.trim() === '') yield* finish();
    else if (heading !== null) {
      if (heading.isUnderlined) paragraph = [];
      yield* finish();
      while ((headings.at(-1)?.level ?? 0) >= heading.level) headings.pop();
      headings.push(heading);
    } else {
      if (length + line.length > LONGEST_PARAGRAPH) yield* finish();
      if (paragraph.length === 0) [start, length] = [position + 1, 0];
      paragraph.push(line);
      length += line.length + 1;
    }
    if (mark !== undefined && fence === null) fence = mark;
    else if (mark !== undefined && fence !== null && mark.startsWith(fence)) fence = null;
  }
  yield* finish();
}

interface Heading {
  readonly level: number;
  readonly title: string;
  readonly isUnderlined: boolean;
}

function headingOf(line: string, paragraph: readonly string[]): Heading | null {
  const marked = HEADING.exec(line);
  if (marked !== null) return { level: marked[1]!.length, title: marked[2]!, isUnderlined: false };
  const underline = UNDERLINE.exec(line);
  if (underline === null || paragraph.length !== 1) return null;
  return { level: underline[1]!.startsWith('=') ? 1 : 2, title: paragraph[0]!.trim(), isUnderlined: true };
}

/** A document is read into memory; the longest novels have 5 MB. */
const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024;

interface DocumentKind {
  readonly name: 'markdown' | 'text';
  readonly description: string;
  readonly endings: RegExp;
  readonly because: string;
}

const MARKDOWN: DocumentKind = {
  name: 'markdown',
  description: 'Markdown: a document, or a folder or archive of them, cut at headings',
  endings: /\.(?:md|markdown|mdx)$/i,
  because: 'its name has the extension of a Markdown document',
};
const TEXT: DocumentKind = {
  name: 'text',
  description: 'Plain text: a document, or a folder or archive of them, cut at empty lines',
  endings: /\.(?:txt|text)$/i,
  because: 'its name has the extension of a text',
};

export const markdownImporter = documentImporter(MARKDOWN);
export const textImporter = documentImporter(TEXT);

function documentImporter(kind: DocumentKind) {
  const { name, description, endings, because } = kind;
  const format: ChatFormat = {
    name,
    description,
    wanted: (path) => endings.test(path),
    recognize: (sample) => (endings.test(sample.name) && sample.text.trim() !== '' ? because : null),
    records: (file, context) => documentRecords(file, { kind, context }),
    hasDays: true,
  };
  return chatImporter(format);
}

async function* documentRecords(
  file: ImportFile,
  { kind, context }: { kind: DocumentKind; context: ReadContext },
): AsyncGenerator<ImportRecord> {
  const { body, lines, values } = readFrontMatter(await readText(file, context));
  const date = documentDate(file, values);
  if (date === null) throw new FileUnreadableError(context.path, `${context.in(file)}it has no date`);
  if (date.from === 'file') context.note('Documents without a date get the time of their file’s last change');
  const passages = splitDocument(body, { isMarkdown: kind.name === 'markdown' });
  const title =
    values.get('title') ?? passages[0]?.headings[0] ?? basename(file.name).replace(kind.endings, '');
  const name = documentName(file, context);
  const conversation = { id: `${kind.name}/${name}`, title };
  const speaker = values.get('author') ?? context.settings.me ?? 'user';
  const places = new UniqueNames();
  for (const [position, { headings, line, text }] of passages.entries()) {
    // Identified by position, so that an edited passage is a new version of the same turn.
    const place = places.take(digestOf(headings));
    const message = {
      content: headings.length === 0 ? text : `${headings.join(' › ')}\n\n${text}`,
      at: secondsAfter(date.at, position).getTime(),
      speaker,
      role: 'user' as const,
      conversation,
      source: kind.name,
      sourceId: `${name}/${place}`,
    };
    yield* messageRecords(message, `${context.in(file)}line ${line + lines}`);
  }
}

/**
 * Independent of the location of the folder or file; the setting `conversation` distinguishes two with the same name.
 */
function documentName(file: ImportFile, { files, name, settings }: ReadContext): string {
  if (files.kind === 'file') return settings.conversation ?? file.name;
  const folder = name.replace(/\.zip$/i, '');
  return `${settings.conversation ?? folder}/${file.name}`;
}

async function readText(file: ImportFile, context: ReadContext): Promise<string> {
  const refuse = (reason: string) => new FileUnreadableError(context.path, `${context.in(file)}${reason}`);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of file.open()) {
    context.advance(chunk.length);
    length += chunk.length;
    if (length > MAX_DOCUMENT_BYTES)
      throw refuse(`it is larger than ${MAX_DOCUMENT_BYTES / 1024 / 1024} MB; split it`);
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  const foreign = foreignStart(bytes);
  if (foreign !== null) throw refuse(foreign);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).replace(/\r\n?/g, '\n');
  } catch {
    throw refuse('it is not UTF-8 text');
  }
}
