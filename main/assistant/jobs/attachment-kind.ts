import { isUtf8 } from 'node:buffer';
import { FileUnreadableError } from '../../../src/errors/index.ts';

/** How a file is read. */
export type AttachmentKind = 'image' | 'text' | 'markdown' | 'csv' | 'html' | 'docx' | 'pdf';

/** Beginnings of other files, for a message that says what the file is. */
const SIGNATURES: readonly (readonly [string, string])[] = [
  ['52494646', 'a recording'],
  ['504b0506', 'an archive'],
  ['1f8b', 'an archive'],
  ['377abcaf', 'an archive'],
  ['52617221', 'an archive'],
  ['d0cf11e0', 'an office document of an old kind; save it as .docx'],
  ['7f454c46', 'a program'],
  ['4d5a', 'a program'],
];
const ZIP = '504b0304';

const MARKDOWN_NAME = /\.(?:md|markdown|mdx)$/i;
const TABLE_NAME = /\.(?:csv|tsv)$/i;
const HTML_NAME = /\.x?html?$/i;
const HTML_START = /^\s*(?:<\?xml[^>]{0,200}\?>\s*)?<(?:!doctype\s+html|html)\b/i;

/** Media types of the images that models and browsers show. */
export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;

/** The media type of an image, by its bytes; null: it is none that models and browsers show. */
export function imageType(bytes: Buffer): (typeof IMAGE_TYPES)[number] | null {
  const start = bytes.subarray(0, 12).toString('latin1');
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (/^GIF8[79]a/.test(start)) return 'image/gif';
  return start.startsWith('RIFF') && start.endsWith('WEBP') ? 'image/webp' : null;
}

/**
 * What a file is. The content decides; of a text, the name says which. An archive is taken for a Word document until it
 * is opened.
 *
 * @throws FileUnreadableError for other kinds, with what the file is.
 */
export function attachmentKind(name: string, bytes: Buffer): AttachmentKind {
  const refuse = (what: string) =>
    new FileUnreadableError(
      name,
      `${what}; images, text, Markdown, CSV, HTML, code, Word and PDF can be attached`,
    );
  if (imageType(bytes) !== null) return 'image';
  if (bytes.subarray(0, 1024).includes('%PDF-')) return 'pdf';
  if (/\.pdf$/i.test(name)) throw refuse('its name says PDF, but its content is something else');
  const start = bytes.subarray(0, 4).toString('hex');
  const isText = !bytes.includes(0) && isUtf8(bytes);
  if (!isText && start === ZIP) return 'docx';
  const known = SIGNATURES.find(([signature]) => start.startsWith(signature));
  if (known !== undefined && !isText) throw refuse(`it is ${known[1]}`);
  if (!isText) throw refuse('it is not UTF-8 text');
  if (bytes.toString().trim() === '') throw new FileUnreadableError(name, 'it has no text');
  if (HTML_NAME.test(name) || HTML_START.test(bytes.subarray(0, 512).toString())) return 'html';
  if (MARKDOWN_NAME.test(name)) return 'markdown';
  return TABLE_NAME.test(name) ? 'csv' : 'text';
}
