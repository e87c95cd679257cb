import { basename, dirname } from 'node:path';
import type { ImportFile } from '../files/import-file.ts';
import type { ReadContext } from '../read-context.ts';

/** How WhatsApp names an export, in the languages that are common. */
const PREFIX =
  /^(?:whatsapp chat(?: with|\s*[-–])|whatsapp-chat mit|chat de whatsapp con|conversa do whatsapp com|discussion whatsapp avec|chat whatsapp con|whatsapp-chat met)\s*/i;
/** A second download of the same file is the same chat. */
const COPY = /\s*\(\d{1,3}\)$/;

/** What the chat is called, without what changes when it is exported again; null where the file does not say it. */
export function chatName(file: ImportFile, context: ReadContext): string | null {
  const { conversation } = context.settings;
  const isOnly = context.files.files.length === 1;
  if (conversation !== undefined && isOnly) return conversation;
  const own = nameIn(basename(file.name));
  if (own !== null) return own;
  if (context.files.kind !== 'file' && isOnly) return nameIn(basename(context.path));
  const folder = basename(dirname(file.name));
  return folder === '.' ? null : nameIn(folder);
}

function nameIn(name: string): string | null {
  const plain = name
    .replace(/\.(?:txt|zip)$/i, '')
    .replace(COPY, '')
    .replace(PREFIX, '')
    .trim();
  return plain === '' || /^_?chat$/i.test(plain) ? null : plain;
}
