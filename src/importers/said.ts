import { attachmentsIn, resultsIn, textOfContent } from '../model/messages/message-blocks.ts';
import { ROLE_OF_MESSAGE } from '../model/messages/read-message.ts';
import type { Role } from '../model/nodes.ts';
import type { ReadContext } from './chat-importer.ts';
import { type ImportRecord, rejected } from './importer.ts';
import {
  assumedTime,
  type ConversationPlace,
  type MessageAttachment,
  messageRecords,
  timeOrReason,
} from './message-records.ts';

/** A message as most programs keep it. */
export interface SaidMessage {
  /** Unique within its chat, and the same in each export. */
  readonly id: string;
  /** As the program names it: `user`, `human`, `assistant`, `model`, `system`, `tool`. */
  readonly role: string;
  readonly speaker?: string | undefined;
  /** A text, or blocks as chat libraries write them. */
  readonly content: unknown;
  /** Default: those among the blocks. */
  readonly attachments?: readonly MessageAttachment[];
  /** Seconds or milliseconds since 1970, or ISO 8601; a message without a time gets that of the one before. */
  readonly time: unknown;
  readonly where: string;
  /** Why it stays out although it may have a text. */
  readonly leftOut?: string | undefined;
  /** The name of the message for all chats. Default: the chat's and its own id. */
  readonly sourceId?: string;
}

/** The chat of messages. */
export interface SaidChat {
  readonly source: string;
  readonly id: string;
  readonly title?: string | undefined;
  /** Default: source and id. */
  readonly session?: string;
  /** The name of the assistant in memory. */
  readonly assistant?: string;
  /** When it began: for messages before the first one with a time. */
  readonly start?: unknown;
}

/** The turns of a chat, in its order; what is no speech is counted by its reason. */
export function* saidRecords(
  messages: readonly SaidMessage[],
  chat: SaidChat,
  place: ConversationPlace,
): Generator<ImportRecord> {
  const { context } = place;
  const times = [chat.start, ...messages.map(({ time }) => time)].map(timeOrReason);
  let before = times.find((time) => typeof time === 'number') ?? null;
  for (const message of messages) {
    const { where } = message;
    const time = timeOrReason(message.time);
    if (typeof time === 'number') before = time;
    const role = roleOf(message.role);
    const content = textOfContent(message.content);
    const attachments = message.attachments ?? attachmentsIn(message.content);
    const reason = message.leftOut ?? noSpeech(role, { ...message, text: content, attachments });
    if (reason !== undefined) {
      context.leftOut(where, reason);
      continue;
    }
    before ??= assumedTime(place);
    if (typeof time === 'string') yield rejected(where, `its time ${time}`);
    else if (before === null) yield rejected(where, 'neither it nor a message before it has a time');
    else {
      const speaker = message.speaker ?? speakerOf(role, chat, context);
      const conversation = { id: chat.session ?? `${chat.source}/${chat.id}`, title: chat.title };
      const sourceId = message.sourceId ?? `${chat.id}/${message.id}`;
      const said = { content, attachments, at: before, role, speaker, source: chat.source, sourceId };
      yield* messageRecords({ ...said, conversation: withoutUnset(conversation) }, where);
    }
  }
}

const withoutUnset = ({ id, title }: { readonly id: string; readonly title: string | undefined }) =>
  title === undefined || title.trim() === '' ? { id } : { id, title };

function roleOf(name: string): Role {
  const known = name.toLowerCase();
  return Object.hasOwn(ROLE_OF_MESSAGE, known)
    ? ROLE_OF_MESSAGE[known as keyof typeof ROLE_OF_MESSAGE]
    : 'other';
}

function noSpeech(
  role: Role,
  message: { readonly content: unknown; readonly text: string; readonly attachments: readonly unknown[] },
): string | undefined {
  if (role === 'system') return 'instructions for a model';
  if (role === 'tool') return 'what a tool returned';
  if (message.text.trim() !== '' || message.attachments.length > 0) return undefined;
  const isResult = typeof message.content !== 'string' && resultsIn(message.content) !== '';
  return isResult ? 'what a tool returned' : 'an empty message';
}

function speakerOf(role: Role, { assistant }: SaidChat, { settings }: ReadContext): string {
  if (role === 'user') return settings.me ?? 'user';
  return role === 'assistant' ? (assistant ?? role) : role;
}

/** In a chat of people: `user` for the one whose chats these are, and for all if nobody is named. */
export function roleAmongPeople(speaker: string, { settings }: ReadContext): Role {
  return settings.me === undefined || settings.me === speaker ? 'user' : 'other';
}

/** Whether a chat of this id was read before in the import, in which case it is rejected. */
export function* once(
  chat: SaidChat,
  { where, context }: ConversationPlace,
  records: () => Iterable<ImportRecord>,
): Generator<ImportRecord> {
  if (context.known.has(chat.id)) yield rejected(where, 'an earlier conversation has the same id');
  else {
    context.known.add(chat.id);
    yield* records();
  }
}
