import type { MessageAttachment } from '../message-records.ts';
import { withoutMarks } from './line.ts';

export type MessageContent =
  | { readonly content: string; readonly attachments: readonly MessageAttachment[] }
  | { readonly leftOut: string };

/** What WhatsApp writes itself begins with this mark on an iPhone. */
const OWN_WORDS = /^\s*\u200e/;
const NOT_EXPORTED = 'a picture, recording or file that was not exported along';
const OMITTED =
  /^<[^<>\n]{0,40}(?:omitted|weggelassen|ausgeschlossen|omitid[oa]s?|omess[oi]|omise?s?|omitted|omitido|weggelaten|udeladt|utelämna[dt]|utelatt|pominięto|не включён|省略|제외|atlandı)[^<>\n]{0,20}>$/i;
const OMITTED_PLAIN =
  /(?:^|\s)(?:image|photo|video|audio|sticker|gif|document|contact card|video note) omitted$/i;
const DELETED =
  /^(?:this message was deleted|you deleted this message|diese nachricht wurde gelöscht|du hast diese nachricht gelöscht|se eliminó este mensaje|eliminaste este mensaje|ce message a été supprimé|vous avez supprimé ce message)\.?$/i;
const EDITED = /\s*<[^<>\n]{0,20}(?:edited|bearbeitet|editó|modifié|editada|modificato)[^<>\n]{0,20}>$/i;
/** "IMG-1.jpg (file attached)" of Android, "<attached: 1-PHOTO.jpg>" of an iPhone. */
const ATTACHED_AFTER = /^(\S[^\n/\\]{0,200}\.\w{1,5}) \([^()\n]{3,40}\)(?:\n|$)/;
const ATTACHED_WITHIN = /\u200e?<[^<>:\n]{2,30}: ([^<>\n/\\]{1,200}\.\w{1,5})>/;

export function messageContent(said: string): MessageContent {
  const plain = withoutMarks(said).trim();
  if (plain === '' || plain === 'null') return { leftOut: 'an empty message' };
  if (DELETED.test(plain)) return { leftOut: 'a message that was deleted' };
  const within = ATTACHED_WITHIN.exec(said);
  const after = within === null ? ATTACHED_AFTER.exec(plain) : null;
  if (within !== null) return withFile(within[1]!, said.replace(within[0], ''));
  if (after !== null) return withFile(after[1]!, plain.slice(after[0].length));
  if (OMITTED.test(plain)) return { leftOut: NOT_EXPORTED };
  if (OMITTED_PLAIN.test(plain)) return omitted(said);
  if (OWN_WORDS.test(said)) return { leftOut: 'a note of WhatsApp, such as who joined' };
  return { content: withoutEdit(plain), attachments: [] };
}

function withFile(name: string, rest: string): MessageContent {
  const content = withoutEdit(withoutMarks(rest).trim());
  return { content, attachments: [{ kind: kindOf(name), description: withoutMarks(name), uri: name }] };
}

/** "report.pdf • 3 pages document omitted" still tells the file's name, in front of the mark. */
function omitted(said: string): MessageContent {
  const name = withoutMarks(said.replace(/^\s*\u200e/, '').split('\u200e')[0] ?? '').trim();
  if (name === '' || OMITTED_PLAIN.test(name)) return { leftOut: NOT_EXPORTED };
  return { content: '', attachments: [{ kind: 'file', description: name }] };
}

function withoutEdit(text: string): string {
  return text.replace(EDITED, '');
}

function kindOf(name: string): string {
  const ending = /\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  if (/^(?:jpe?g|png|gif|webp|heic)$/.test(ending)) return 'image';
  if (/^(?:mp4|mov|3gp|mkv|webm)$/.test(ending)) return 'video';
  return /^(?:opus|ogg|mp3|m4a|aac|amr|wav)$/.test(ending) ? 'audio' : 'file';
}
