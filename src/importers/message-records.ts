import { createHash } from 'node:crypto';
import type { z } from 'zod';
import type { Role } from '../model/nodes.ts';
import { describeIssues } from '../util/describe-issues.ts';
import { parseTimestamp } from '../util/parse-timestamp.ts';
import { writtenAt } from '../util/speaker-clock.ts';
import { tidy } from '../util/tidy.ts';
import type { ChatFormat, ReadContext } from './chat-importer.ts';
import { type Conversation, type ImportRecord, rejected, turnRecord } from './importer.ts';
import { readElements } from './json/read-elements.ts';
import { partsOf } from './split-long-text.ts';

/** A longer message is treated as a mistake, such as a file pasted as text. */
export const MAX_MESSAGE_LENGTH = 5_000_000;
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

interface Message {
  readonly content: string;
  readonly attachments?: readonly MessageAttachment[];
  readonly at: number;
  /** How far the clock that showed it is ahead of UTC, if the file says so. */
  readonly offset?: number | undefined;
  readonly speaker: string;
  readonly role: Role;
  readonly conversation: Conversation;
  readonly source: string;
  /** The same in each export of the chat. */
  readonly sourceId: string;
}

/** The turns of a message: one, or several if it is longer than a turn may be. */
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
  const { at, offset, role, source } = message;
  const id = position === 0 ? message.sourceId : `${message.sourceId}/part-${position + 1}`;
  return {
    content: part,
    at: offset === undefined ? new Date(at) : writtenAt({ validAt: at, offset }),
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

/** Removes control characters that chats do not show, above all NUL. */
export function cleaned(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
  return text.replace(/\r\n?/g, '\n').replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, '');
}

/** The id, or its digest if it is too long or has invalid characters. */
export function boundedId(id: string): string {
  const isPlain = id.length <= LONGEST_ID && id.trim() === id && !/[\p{Cc}\p{Cs}]/u.test(id);
  return isPlain ? id : `${tidy(id.slice(0, 40))}~${digestOf([id])}`;
}

/** A digest of the parts, short enough for an id. */
export function digestOf(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22);
}

/** A tree of messages by parent. The data is untrusted: parents may be missing or form a cycle. */
export interface MessageTree {
  /** In the file's order. */
  readonly ids: ReadonlySet<string>;
  parentOf(id: string): string | null;
}

/** A path of consecutive messages, without those of an earlier branch. */
interface Branch {
  readonly ids: readonly string[];
  /** True for the path to the requested leaf. */
  readonly isActive: boolean;
}

/** The path to `leaf`, then the remaining branches; each message is in exactly one of them. */
export function branchesOf(leaf: string, tree: MessageTree): Branch[] {
  const taken = new Set<string>();
  const branches: Branch[] = [];
  const take = (end: string, isActive: boolean) => {
    const ids = untaken(end, { tree, taken });
    for (const id of ids) taken.add(id);
    if (ids.length > 0) branches.push({ ids, isActive });
  };
  take(leaf, true);
  for (const end of leavesOf(tree)) take(end, false);
  for (const end of tree.ids) if (!taken.has(end)) take(end, false); // a cycle has no leaf
  return branches;
}

/** Messages without replies, in file order. */
export function leavesOf(tree: MessageTree): string[] {
  const ids = [...tree.ids];
  const parents = new Set(ids.map((id) => tree.parentOf(id)));
  return ids.filter((id) => !parents.has(id));
}

/**
 * The path from the root, or from the last message that is missing, already used or part of a cycle. All branches
 * together take linear time.
 */
function untaken(end: string, { tree, taken }: { tree: MessageTree; taken: ReadonlySet<string> }): string[] {
  const path: string[] = [];
  const seen = new Set<string>();
  for (let id: string | null = end; id !== null && tree.ids.has(id); id = tree.parentOf(id)) {
    if (taken.has(id) || seen.has(id)) break;
    seen.add(id);
    path.push(id);
  }
  return path.reverse();
}

/** The files of exports that hold conversations: "conversations.json", "conversations-001.json", "conversations (1).json". */
export const CONVERSATION_FILES = /(?:^|\/)conversations(?![a-z])[^/]*\.json$/i;

/** A conversation's position in the input. */
export interface ConversationPlace {
  readonly where: string;
  readonly context: ReadContext;
  /** For a conversation without any time: that of the one before it in the file, else of the file; null if unknown. */
  readonly nearTime: number | null;
}

/** Reads a file with a list of conversations or a single one; rejects invalid ones and reads the others. */
export function conversationsOf<Data>(
  schema: z.ZodType<Data>,
  recordsOf: (data: Data, place: ConversationPlace) => Iterable<ImportRecord>,
): ChatFormat['records'] {
  return async function* (file, context) {
    let nearTime = file.modifiedAt === null ? null : Math.trunc(file.modifiedAt);
    for await (const element of readElements(file, context)) {
      const where = `${context.in(file)}conversation ${element.number}`;
      if ('problem' in element) yield rejected(where, element.problem);
      else {
        const parsed = schema.safeParse(element.value);
        const isOpen = !parsed.success || context.settings.includeTemporary;
        const reason = isOpen ? null : temporaryReason(element.value as object);
        if (!parsed.success) yield rejected(where, describeIssues(parsed.error));
        else if (reason !== null) context.leftOut(where, reason);
        else
          for (const record of recordsOf(parsed.data, { where, context, nearTime })) {
            if (record.kind === 'turn' && record.turn.at instanceof Date) nearTime = record.turn.at.getTime();
            yield record;
          }
      }
    }
  };
}

const TEMPORARY: readonly { readonly key: RegExp; readonly reason: string }[] = [
  {
    key: /^(?:is_?)?(?:temporary|incognito|ephemeral)(?:_?(?:chat|conversation))?$/i,
    reason: 'a temporary chat',
  },
  {
    key: /^(?:is_?)?(?:do_?not_?(?:remember|store|memorize)|memory_?disabled|no_?memory)$/i,
    reason: 'a chat that is not to be remembered',
  },
];

/** Why a chat stays out unless it is asked for; null if it does not. */
function temporaryReason(conversation: object): string | null {
  const flags = Object.entries(conversation).filter(
    ([, flag]) => flag === true || flag === 1 || flag === 'true',
  );
  const found = TEMPORARY.find(({ key }) => flags.some(([name]) => key.test(name)));
  return found?.reason ?? null;
}

/** The time of a conversation without times, with a note; null if there is none. */
export function assumedTime({ context, nearTime }: ConversationPlace): number | null {
  if (nearTime !== null)
    context.note(
      'Chats without any time get that of the chat before them in the file, else that of the file',
    );
  return nearTime;
}

/** Times outside this range are errors. */
const EARLIEST = Date.UTC(1970, 0, 1);
const LATEST = Date.UTC(2200, 0, 1);
/** Larger numbers are milliseconds: as seconds they would be after the year 5138. */
const SECONDS_UP_TO = 1e11;

export type ReadTime = { readonly at: number; readonly offset?: number } | { readonly problem: string };

/** Seconds since 1970, as a number or its text; milliseconds where the number is too large for seconds. */
export function readUnixTime(value: unknown): ReadTime | null {
  if (value === null || value === undefined || value === '') return null;
  const number = typeof value === 'string' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) return { problem: 'is not a time' };
  return inRange(Math.round(number > SECONDS_UP_TO ? number : number * 1000));
}

/** ISO 8601 and similar; UTC if the zone is missing or truncated ("…01.69+"). */
export function readIsoTime(value: unknown): ReadTime | null {
  if (value === null || value === undefined || value === '') return null;
  const at = typeof value === 'string' ? parseTimestamp(value.replace(/\+$/, '')) : null;
  return at === null ? { problem: 'is not a time' } : inRange(at);
}

export function inRange(at: number): ReadTime {
  return at > EARLIEST && at < LATEST ? { at } : { problem: 'is not a time between 1970 and 2200' };
}

/** A number is seconds, a text is ISO 8601; null if there is none, the reason if it is invalid. */
export function timeOrReason(value: unknown): number | string | null {
  const time = typeof value === 'number' ? readUnixTime(value) : readIsoTime(value);
  if (time === null) return null;
  return 'at' in time ? time.at : time.problem;
}
