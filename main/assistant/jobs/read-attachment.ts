import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { FileUnreadableError } from '../../../src/errors/index.ts';
import { markdownImporter, splitDocument, textImporter } from '../../../src/importers/documents/documents.ts';
import type { ImportRecord } from '../../../src/importers/importer.ts';
import { secondsAfter } from '../../../src/importers/json/json-format.ts';
import { messageRecords } from '../../../src/importers/message-records.ts';
import { wholeCharacters } from '../../../src/importers/split-long-text.ts';
import type { TurnInput } from '../../../src/model/turn-input.ts';
import { withoutUndefined } from '../../../src/util/collections.ts';
import type { Message } from '../../contract/conversations.ts';
import type { AppContext } from '../app-context.ts';
import { withName } from './import-job.ts';
import { type PdfLimits, pdfText } from './pdf-text.ts';
import { type Upload, Uploads } from './uploads.ts';

export interface ReadAttachment {
  readonly attachment: NonNullable<Message['attachments']>[number];
  /** For memory; the same file gives the same turns, so that a second time adds nothing. */
  readonly turns: readonly TurnInput[];
}

interface ReadOptions {
  readonly signal?: AbortSignal | undefined;
  readonly limits?: Partial<PdfLimits>;
}

type Context = Pick<AppContext, 'store' | 'clock'>;

/** An attachment is read into memory as a whole. */
const MOST_BYTES = 64 * 1024 * 1024;
const MOST_CHARACTERS = 5_000_000;
/** A PDF's paragraphs cannot always be told apart: longer ones are cut. */
const LONGEST_PASSAGE = 1_500;
const MARKDOWN_NAME = /\.(?:md|markdown|mdx)$/i;

/**
 * Reads an upload as turns for memory: text and Markdown by sections, PDF by pages. The content decides what it is, its
 * name only whether a text is Markdown.
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
  if (size > MOST_BYTES)
    throw new FileUnreadableError(name, `it is larger than ${MOST_BYTES / 1024 / 1024} MB; split it`);
  const bytes = await readFile(upload.path);
  const kind = kindOf(name, bytes);
  // The file's name belongs to its identity: two files of the same content may mean different things.
  const digest = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
  const identity = `${digest} ${name}`.slice(0, 200).trim();
  const work = { upload, bytes, identity, kind, ...options };
  const turns = await withName(upload, () => turnsOf(work));
  const characters = turns.reduce((sum, { content }) => sum + content.length, 0);
  if (characters > MOST_CHARACTERS) throw new FileUnreadableError(name, 'it has too much text; split it');
  if (turns.length === 0) throw new FileUnreadableError(name, 'it has no text');
  return { attachment: { name, kind, bytes: size, characters }, turns };
}

export async function deleteAttachment(context: Context, uploadId: string): Promise<void> {
  await new Uploads(context).delete(uploadId);
}

type Kind = 'text' | 'markdown' | 'pdf';

/** Beginnings of other files, for a message that says what the file is. */
const SIGNATURES: readonly (readonly [string, string])[] = [
  ['89504e47', 'an image'],
  ['ffd8ff', 'an image'],
  ['47494638', 'an image'],
  ['52494646', 'an image or a recording'],
  ['504b0304', 'an archive or an office document'],
  ['504b0506', 'an archive'],
  ['1f8b', 'an archive'],
  ['377abcaf', 'an archive'],
  ['52617221', 'an archive'],
  ['d0cf11e0', 'an office document'],
  ['7f454c46', 'a program'],
  ['4d5a', 'a program'],
];

function kindOf(name: string, bytes: Buffer): Kind {
  const refuse = (what: string) =>
    new FileUnreadableError(name, `${what}; text, Markdown and PDF can be attached`);
  if (bytes.subarray(0, 1024).includes('%PDF-')) return 'pdf';
  if (/\.pdf$/i.test(name)) throw refuse('its name says PDF, but its content is something else');
  const start = bytes.subarray(0, 4).toString('hex');
  const known = SIGNATURES.find(([signature]) => start.startsWith(signature));
  const isText = !bytes.includes(0) && isUtf8(bytes);
  if (known !== undefined && !isText) throw refuse(`it is ${known[1]}`);
  if (!isText) throw refuse('it is not UTF-8 text');
  if (bytes.toString().trim() === '') throw new FileUnreadableError(name, 'it has no text');
  return MARKDOWN_NAME.test(name) ? 'markdown' : 'text';
}

interface Work extends ReadOptions {
  readonly upload: Upload & { readonly path: string };
  readonly bytes: Buffer;
  readonly identity: string;
  readonly kind: Kind;
}

async function turnsOf(work: Work): Promise<TurnInput[]> {
  const turns: TurnInput[] = [];
  for await (const record of work.kind === 'pdf' ? pdfRecords(work) : textRecords(work)) {
    if (record.kind === 'rejected')
      throw new FileUnreadableError(work.upload.path, `${record.where} ${record.reason}`);
    // "I" in a document is not the user.
    turns.push({ ...record.turn, role: 'other' });
  }
  return turns;
}

function textRecords({ upload, identity, kind, signal }: Work): AsyncIterable<ImportRecord> {
  const importer = kind === 'markdown' ? markdownImporter : textImporter;
  const settings = { conversation: identity, me: upload.name };
  return importer.read(upload.path, withoutUndefined({ name: upload.name, settings, signal }));
}

async function* pdfRecords({ upload, bytes, identity, signal, limits }: Work): AsyncGenerator<ImportRecord> {
  const { mtimeMs } = await stat(upload.path);
  const pages = await pdfText(bytes, { name: upload.path, signal, ...withoutUndefined({ limits }) });
  let position = 0;
  for (const [index, page] of pages.entries())
    for (const text of passagesOf(page)) {
      const message = {
        content: `Page ${index + 1}\n\n${text}`,
        at: secondsAfter(Math.trunc(mtimeMs), position).getTime(),
        speaker: upload.name,
        role: 'user' as const,
        conversation: { id: `pdf/${identity}`, title: upload.name },
        source: 'pdf',
        sourceId: `${identity}/${position}`,
      };
      position++;
      yield* messageRecords(message, `page ${index + 1}`);
    }
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
