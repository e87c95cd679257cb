import { text } from '../../strings/text.ts';

/** Where a turn is from, in words: the name of an importer, or how the app and other programs store turns. */
export function sourceName(source: string): string {
  return text.memory.source.names[source] ?? text.memory.source.from(source);
}

/** An attachment's session: its kind, the id of the upload, and the name of the file. */
const OF_ATTACHMENT = /^(?:markdown|text|pdf|html|docx|csv)\/[\w-]{20,24} (?=\S)/;
/** A document's session: its kind and the name of the file. */
const OF_DOCUMENT = /^(?:markdown|text|pdf|html|docx|csv)\/(?=\S)/;

/** The name of a session that is no conversation of the app: that of its file, or the session's own. */
export function sessionName(session: string): string {
  return session.replace(OF_ATTACHMENT, '').replace(OF_DOCUMENT, '');
}
