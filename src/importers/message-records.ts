import { createHash } from 'node:crypto';
import type { Role } from '../model/nodes.ts';
import { MAX_CONTENT_LENGTH } from '../model/turn-input.ts';
import { tidy } from '../util/tidy.ts';
import type { Conversation, ImportRecord } from './importer.ts';
import { rejected, turnRecord } from './turn-record.ts';

/** Beyond it a message is a mistake, such as a file pasted as text. */
export const MAX_MESSAGE_LENGTH = 5_000_000;
const PART_LENGTH = 200_000;
const LONGEST_ID = 300;
const LONGEST_SPEAKER = 200;
const LONGEST_DESCRIPTION = 20_000;
const LONGEST_URI = 2_000;
const MOST_ATTACHMENTS = 100;

export interface MessageAttachment {
  readonly kind: string;
  readonly description: string;
  readonly uri?: string | undefined;
}

export interface Message {
  readonly content: string;
  readonly attachments?: readonly MessageAttachment[];
  readonly at: number;
  readonly speaker: string;
  readonly role: Role;
  readonly conversation: Conversation;
  readonly source: string;
  /** The same whenever the chat is exported again. */
  readonly sourceId: string;
}

/** The turns of a message: one, or several where it is longer than a turn may be. */
export function* messageRecords(message: Message, where: string): Generator<ImportRecord> {
  const content = cleaned(message.content);
  if (content.length > MAX_MESSAGE_LENGTH) {
    yield rejected(where, `is longer than ${MAX_MESSAGE_LENGTH} characters`);
    return;
  }
  for (const [position, part] of partsOf(content).entries())
    yield withConversation(partInput(message, { part, position }), { where, message });
}

function partInput(message: Message, { part, position }: { part: string; position: number }) {
  const { at, role, source } = message;
  const id = position === 0 ? message.sourceId : `${message.sourceId}/part-${position + 1}`;
  return {
    content: part,
    at: new Date(at),
    speaker: tidy(message.speaker).slice(0, LONGEST_SPEAKER).trim() || role,
    role,
    session: boundedId(message.conversation.id),
    source,
    sourceId: boundedId(id),
    attachments: position === 0 ? attachmentsOf(message.attachments ?? []) : [],
  };
}

function withConversation(
  input: unknown,
  { where, message }: { where: string; message: Message },
): ImportRecord {
  const record = turnRecord(input, { where });
  const { id, title } = message.conversation;
  const named = title === undefined ? '' : tidy(title).slice(0, LONGEST_SPEAKER);
  const conversation = { id: boundedId(id), ...(named === '' ? {} : { title: named }) };
  return record.kind === 'turn' ? { ...record, conversation } : record;
}

function attachmentsOf(attachments: readonly MessageAttachment[]) {
  return attachments.slice(0, MOST_ATTACHMENTS).map(({ kind, description, uri }) => ({
    kind,
    description: cleaned(description).slice(0, LONGEST_DESCRIPTION),
    ...(uri === undefined || uri === '' || uri.length > LONGEST_URI ? {} : { uri }),
  }));
}

/** Without control characters that no chat shows, above all NUL. */
export function cleaned(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
  return text.replace(/\r\n?/g, '\n').replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, '');
}

/** Cut where a paragraph, a line or a sentence ends, if one does. */
function partsOf(content: string): string[] {
  const parts: string[] = [];
  let rest = content;
  while (rest.length > MAX_CONTENT_LENGTH) {
    const head = rest.slice(0, PART_LENGTH);
    const ends = ['\n\n', '\n', '. '].map((end) => head.lastIndexOf(end) + end.length);
    const cut = ends.find((end) => end > PART_LENGTH / 2) ?? wholeCharacters(head);
    parts.push(rest.slice(0, cut));
    rest = rest.slice(cut);
  }
  return [...parts, rest];
}

/** No character is cut in two. */
function wholeCharacters(head: string): number {
  return /[\ud800-\udbff]$/.test(head) ? head.length - 1 : head.length;
}

/** An id as it is, or a digest of one that is too long or holds what no id should. */
export function boundedId(id: string): string {
  const isPlain = id.length <= LONGEST_ID && id.trim() === id && !/[\p{Cc}\p{Cs}]/u.test(id);
  return isPlain ? id : `${tidy(id.slice(0, 40))}~${digestOf([id])}`;
}

/** The same for the same parts, short enough for an id. */
export function digestOf(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22);
}
