import type { MessageAttachment } from '../message-records.ts';
import { withoutMarks } from './header.ts';
import type { OwnText, OwnTexts } from './own-text.ts';

type MessageContent =
  | { readonly content: string; readonly attachments: readonly MessageAttachment[] }
  | { readonly leftOut: string };

/** On an iPhone, text by WhatsApp itself starts with this mark. */
const OWN_WORDS = /^\s*\u200e/;
/** A mark in a language that is not known: "<…>" with several words, or with as much in a script without spaces. */
const UNKNOWN_MARK = /^<(?:[\p{L}\p{M}]+(?:[\s-][\p{L}\p{M}]+){1,5}|[\p{Lo}\p{M}]{4,20})>$/u;
/** A map's address, which is what a place is exported as. */
const PLACE = /https?:\/\/[^\s]*(?:maps|foursquare|goo\.gl)[^\s]*/i;
/** "IMG-1.jpg (file attached)" of Android, "<attached: 1-PHOTO.jpg>" of an iPhone. */
const ATTACHED_AFTER = /^(\S[^\n/\\]{0,200}\.\w{1,5}) [(（][^()（）\n]{3,40}[)）](?:\n|$)/;
const ATTACHED_WITHIN = /\u200e?<[^<>:：\n]{1,30}[:：]\s?([^<>\n/\\]{1,200}\.\w{1,5})>/;

/** What a message says, without what WhatsApp itself writes. */
export function messageContent(said: string, own: OwnTexts): MessageContent {
  const plain = withoutMarks(said).trim();
  if (plain === '' || plain === 'null') return { leftOut: 'an empty message' };
  const within = ATTACHED_WITHIN.exec(said);
  const after = within === null ? ATTACHED_AFTER.exec(plain) : null;
  if (within !== null) return withFile(within[1]!, said.replace(within[0], ''), own);
  if (after !== null) return withFile(after[1]!, plain.slice(after[0].length), own);
  const kind = own.find(plain);
  if (kind !== null) return { leftOut: LEFT_OUT[kind] };
  const named = omittedFile(said, own);
  if (named !== null) return { content: '', attachments: [{ kind: 'file', description: named }] };
  if (UNKNOWN_MARK.test(plain)) return { leftOut: 'a mark of WhatsApp in a language that is not known' };
  if (OWN_WORDS.test(said) && !hasWords(said)) return { leftOut: LEFT_OUT.note };
  return { content: own.withoutEdit(plain), attachments: [] };
}

const LEFT_OUT: Readonly<Record<OwnText, string>> = {
  deleted: 'a message that was deleted',
  omitted: 'a picture, recording or file that was not exported',
  note: 'a note of WhatsApp, such as who joined',
};

/** Polls and places begin with a mark as notes do, but a person wrote them: a poll has several lines, a place an address. */
function hasWords(said: string): boolean {
  return /\n[^\n]*\S/.test(said) || PLACE.test(said);
}

function withFile(name: string, rest: string, own: OwnTexts): MessageContent {
  const content = own.withoutEdit(withoutMarks(rest).trim());
  return { content, attachments: [{ kind: kindOf(name), description: withoutMarks(name), uri: name }] };
}

function omittedFile(said: string, own: OwnTexts): string | null {
  const parts = said
    .replace(/^\s*\u200e/, '')
    .split('\u200e')
    .map((part) => withoutMarks(part).trim());
  const name = parts[0] ?? '';
  if (parts.length < 2 || name === '') return null;
  return own.find(parts.at(-1)!) === 'omitted' ? name : null;
}

function kindOf(name: string): string {
  const ending = /\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  if (/^(?:jpe?g|png|gif|webp|heic)$/.test(ending)) return 'image';
  if (/^(?:mp4|mov|3gp|mkv|webm)$/.test(ending)) return 'video';
  return /^(?:opus|ogg|mp3|m4a|aac|amr|wav)$/.test(ending) ? 'audio' : 'file';
}

/** "Ana: Hello". A colon without a space separates name and text only after a known name. */
export function splitSpeaker(
  rest: string,
  people: ReadonlySet<string> | null,
): { speaker: string; said: string } | null {
  const match = /^([^:\n]{1,120}):(\s|$)?/.exec(rest);
  if (match === null) return null;
  const speaker = withoutMarks(match[1]!).replace(/^~\s?/, '').trim();
  const isNote = /["“”«»„「」『』《》]/.test(speaker) || (speaker.length > 40 && /whatsapp/i.test(speaker));
  const isName = speaker !== '' && !isNote;
  const isParted = match[2] !== undefined ? people === null || people.has(speaker) : people?.has(speaker);
  return isName && isParted ? { speaker, said: rest.slice(match[0].length) } : null;
}
