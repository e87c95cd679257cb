import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { FileUnreadableError } from '../../../src/errors/index.ts';
import { markdownImporter, splitDocument, textImporter } from '../../../src/importers/documents/documents.ts';
import { htmlText } from '../../../src/importers/documents/html-text.ts';
import type { ImportRecord } from '../../../src/importers/importer.ts';
import { secondsAfter } from '../../../src/importers/json/json-format.ts';
import { messageRecords } from '../../../src/importers/message-records.ts';
import { wholeCharacters } from '../../../src/importers/split-long-text.ts';
import type { TurnInput } from '../../../src/model/turn-input.ts';
import { withoutUndefined } from '../../../src/util/collections.ts';
import { MOST_ATTACHMENT_BYTES, MOST_IMAGE_BYTES } from '../../contract/chat.ts';
import type { Message } from '../../contract/conversations.ts';
import type { AppContext } from '../app-context.ts';
import { type AttachmentKind, attachmentKind, imageType } from './attachment-kind.ts';
import { withName } from './import-job.ts';
import { type PdfLimits, pdfText } from './pdf-text.ts';
import { type Upload, Uploads } from './uploads.ts';
import { wordText } from './word-text.ts';

export interface ReadAttachment {
  readonly attachment: NonNullable<Message['attachments']>[number];
  /** For memory; the same file gives the same turns, so that a second time adds nothing. None of an image. */
  readonly turns: readonly TurnInput[];
  /** Null for a document. */
  readonly image: { readonly type: string; readonly data: Buffer } | null;
}

interface ReadOptions {
  readonly signal?: AbortSignal | undefined;
  readonly limits?: Partial<PdfLimits>;
}

type Context = Pick<AppContext, 'store' | 'clock'>;

const MOST_CHARACTERS = MOST_ATTACHMENT_BYTES;
/** Paragraphs cannot always be told apart: longer ones are cut. */
const LONGEST_PASSAGE = 1_500;

/**
 * Reads an upload: an image as it is, any other file as turns for memory. Text and Markdown are read by sections, HTML
 * and Word by their headings, tables by rows, PDF by pages. The content decides what it is, and the name what kind of
 * text.
 *
 * @throws UploadMissingError, InvalidInputError for an incomplete upload, FileUnreadableError for other kinds of files
 *   and for those without text, CancelledError. Nothing was stored.
 */
export async function readAttachment(
  context: Context,
  uploadId: string,
  options: ReadOptions = {},
): Promise<ReadAttachment> {
  const upload = await new Uploads(context).whole(uploadId);
  const { name, bytes: size } = upload;
  if (size > MOST_ATTACHMENT_BYTES) throw tooLarge(name, MOST_ATTACHMENT_BYTES);
  const bytes = await readFile(upload.path);
  const kind = attachmentKind(name, bytes);
  const about = { name, kind, bytes: size, image: null, caption: '' };
  if (kind === 'image') {
    if (size > MOST_IMAGE_BYTES) throw tooLarge(name, MOST_IMAGE_BYTES);
    const image = { type: imageType(bytes)!, data: bytes };
    return { attachment: { ...about, characters: 0 }, turns: [], image };
  }
  // The file's name belongs to its identity: two files of the same content may mean different things.
  const digest = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
  const identity = `${digest} ${name}`.slice(0, 200).trim();
  const work = { upload, bytes, identity, kind, ...options };
  const turns = await withName(upload, () => turnsOf(work));
  const characters = turns.reduce((sum, { content }) => sum + content.length, 0);
  if (turns.length === 0) throw new FileUnreadableError(name, 'it has no text');
  return { attachment: { ...about, characters }, turns, image: null };
}

const tooLarge = (name: string, most: number) =>
  new FileUnreadableError(name, `it is larger than ${most / 1_000_000} MB`);

export async function deleteAttachment(context: Context, uploadId: string): Promise<void> {
  await new Uploads(context).delete(uploadId);
}

interface Work extends ReadOptions {
  readonly upload: Upload & { readonly path: string };
  readonly bytes: Buffer;
  readonly identity: string;
  readonly kind: Exclude<AttachmentKind, 'image'>;
}

async function turnsOf(work: Work): Promise<TurnInput[]> {
  const turns: TurnInput[] = [];
  let characters = 0;
  for await (const record of recordsOf(work)) {
    if (record.kind === 'rejected')
      throw new FileUnreadableError(work.upload.path, `${record.where} ${record.reason}`);
    // Passages repeat headings and the first row of a table.
    characters += record.turn.content.length;
    if (characters > MOST_CHARACTERS)
      throw new FileUnreadableError(work.upload.path, 'it has too much text; split it');
    // "I" in a document is not the user.
    turns.push({ ...record.turn, role: 'other' });
  }
  return turns;
}

async function* recordsOf(work: Work): AsyncGenerator<ImportRecord> {
  const { upload, bytes, kind, signal, limits } = work;
  const { path } = upload;
  if (kind === 'text' || kind === 'markdown') yield* textRecords(work);
  else if (kind === 'html') yield* passageRecords(work, sectionsOf(htmlText(bytes.toString())));
  else if (kind === 'docx') yield* passageRecords(work, sectionsOf(await wordText(path)));
  else if (kind === 'csv') yield* passageRecords(work, rowsOf(bytes.toString()));
  else {
    const pages = await pdfText(bytes, { name: path, signal, ...withoutUndefined({ limits }) });
    yield* passageRecords(
      work,
      pages.flatMap((page, index) => passagesOf(page).map((text) => `Page ${index + 1}\n\n${text}`)),
    );
  }
}

function textRecords({ upload, identity, kind, signal }: Work): AsyncIterable<ImportRecord> {
  const importer = kind === 'markdown' ? markdownImporter : textImporter;
  const settings = { conversation: identity, me: upload.name };
  return importer.read(upload.path, withoutUndefined({ name: upload.name, settings, signal }));
}

async function* passageRecords(
  { upload, identity, kind }: Work,
  passages: Iterable<string>,
): AsyncGenerator<ImportRecord> {
  const { mtimeMs } = await stat(upload.path);
  let position = 0;
  for (const content of passages) {
    const message = {
      content,
      at: secondsAfter(Math.trunc(mtimeMs), position).getTime(),
      speaker: upload.name,
      role: 'user' as const,
      conversation: { id: `${kind}/${identity}`, title: upload.name },
      source: kind,
      sourceId: `${identity}/${position}`,
    };
    position++;
    yield* messageRecords(message, `passage ${position}`);
  }
}

/** The passages of Markdown, each under its headings. */
function sectionsOf(markdown: string): string[] {
  return splitDocument(markdown, { isMarkdown: true }).flatMap(({ headings, text }) =>
    cut(text).map((part) => (headings.length === 0 ? part : `${headings.join(' › ')}\n\n${part}`)),
  );
}

/** Some rows of a table each, below its first row. */
function* rowsOf(table: string): Generator<string> {
  const [first = '', ...rows] = table.split(/\r?\n/).filter((line) => line.trim() !== '');
  let part: string[] = [first];
  let length = first.length;
  for (const row of rows) {
    if (length + row.length > LONGEST_PASSAGE && part.length > 1) {
      yield part.join('\n');
      part = [first];
      length = first.length;
    }
    part.push(row);
    length += row.length + 1;
  }
  yield part.join('\n');
}

/** Paragraphs with their lines joined. */
function passagesOf(page: string): string[] {
  const joined = page
    .replace(/[^\S\n]+/g, ' ')
    .replace(/(\p{Ll})-\n(?=\p{Ll})/gu, '$1')
    .replace(/([^\n])\n(?=[^\n])/g, '$1 ');
  return splitDocument(joined, { isMarkdown: false }).flatMap(({ text }) => cut(text));
}

/** Cuts at the end of a sentence, else of a word. */
function cut(text: string): string[] {
  const parts: string[] = [];
  let rest = text.trim();
  while (rest.length > LONGEST_PASSAGE) {
    const head = rest.slice(0, LONGEST_PASSAGE);
    const ends = ['\n\n', '. ', ' '].map((end) => head.lastIndexOf(end));
    const end = ends.find((at) => at > LONGEST_PASSAGE / 2) ?? wholeCharacters(head) - 1;
    parts.push(rest.slice(0, end + 1).trim());
    rest = rest.slice(end + 1).trim();
  }
  return [...parts, rest].filter((part) => part !== '');
}
