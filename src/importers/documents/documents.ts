import { basename, resolve } from 'node:path';
import { FileUnreadableError } from '../../errors/file-unreadable-error.ts';
import { type ChatFormat, chatImporter } from '../chat-importer.ts';
import type { ImportFile } from '../files/import-file.ts';
import type { ImportRecord } from '../importer.ts';
import { secondsAfter } from '../json-parts.ts';
import { digestOf, messageRecords } from '../message-records.ts';
import type { ReadContext } from '../read-context.ts';
import { UniqueNames } from '../unique-names.ts';
import { foreignStart } from '../unreadable.ts';
import { documentDate } from './document-date.ts';
import { readFrontMatter } from './front-matter.ts';
import { splitDocument } from './split-document.ts';

/** A document is held whole; the longest novels have 5 MB. */
export const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024;

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
  because: 'its name ends as that of a Markdown document',
};
const TEXT: DocumentKind = {
  name: 'text',
  description: 'Plain text: a document, or a folder or archive of them, cut at empty lines',
  endings: /\.(?:txt|text)$/i,
  because: 'its name ends as that of a text',
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
  };
  return chatImporter(format);
}

async function* documentRecords(
  file: ImportFile,
  { kind, context }: { kind: DocumentKind; context: ReadContext },
): AsyncGenerator<ImportRecord> {
  const { body, lines, values } = readFrontMatter(await readText(file, context));
  const date = documentDate(file, values);
  if (date === null)
    throw new FileUnreadableError(context.path, `${context.in(file)}nothing tells when it was written`);
  if (date.from === 'file')
    context.note('Documents without a date count as written when their files were last changed');
  const passages = splitDocument(body, { isMarkdown: kind.name === 'markdown' });
  const title =
    values.get('title') ?? passages[0]?.headings[0] ?? basename(file.name).replace(kind.endings, '');
  const name = documentName(file, context);
  const conversation = { id: `${kind.name}/${name}`, title };
  const speaker = values.get('author') ?? context.settings.me ?? 'user';
  const places = new UniqueNames();
  for (const [position, { headings, line, text }] of passages.entries()) {
    // Known by its place, so that an edited passage is a new version of the same turn.
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

/** The same wherever the folder or the file lies; two of one name are told apart by the setting `conversation`. */
function documentName(file: ImportFile, { files, path, settings }: ReadContext): string {
  if (files.kind === 'file') return settings.conversation ?? file.name;
  const folder = basename(resolve(path)).replace(/\.zip$/i, '');
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
