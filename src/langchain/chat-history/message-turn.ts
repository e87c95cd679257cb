import { randomUUID } from 'node:crypto';
import { AIMessage, type BaseMessage, HumanMessage, SystemMessage } from '@langchain/core/messages';
import { attachmentsIn } from '../../model/messages/message-blocks.ts';
import { ROLE_OF_MESSAGE } from '../../model/messages/read-message.ts';
import type { Episode, Role } from '../../model/nodes.ts';
import type { TurnInput } from '../../model/turn-input.ts';
import { digestOf } from '../../util/digest-of.ts';
import { type MessageRecord, messageFrom, recordOf } from './message-record.ts';
import { packRecord, unpackRecord } from './record-pieces.ts';

/** Source of the turns that a chat history writes. */
export const SOURCE = 'chat-history';
const LONGEST_NAME = 500;

export interface MessageTurnOptions {
  readonly session: string;
  /** Speakers of messages without a name. */
  readonly speakers: Readonly<Partial<Record<Role, string>>>;
  readonly at: (message: BaseMessage) => TurnInput['at'];
  readonly redactSecrets: boolean;
  /** Changes with each clearing, so that a cleared message can be added again. */
  readonly generation: string;
}

/** The fields of a stored turn that are read. */
export type StoredTurn = Pick<Episode, 'content' | 'role' | 'speaker' | 'source' | 'attachments'>;

/** Converts a message to a turn: text, speaker, and the rest of it as attachments. Null if that is not possible. */
export function turnOf(message: BaseMessage, options: MessageTurnOptions): TurnInput | null {
  const record = recordOf(message);
  if (record === null) return null;
  const role = roleOf(record);
  const content = message.text;
  const packed = isPlain(record, content) ? [] : packRecord(record, options.redactSecrets);
  if (packed === null) return null;
  // The name of a tool is not a speaker.
  const name = role === 'tool' ? undefined : message.name?.trim().slice(0, LONGEST_NAME);
  const speaker = name || options.speakers[role];
  return {
    content,
    role,
    session: options.session,
    at: options.at(message),
    ...(speaker === undefined ? {} : { speaker }),
    // A model's text has lower trust than a person's.
    ...(role === 'assistant' ? { trust: 'low' as const } : {}),
    source: SOURCE,
    sourceId: sourceIdOf([message.id, role, content, packed], options),
    attachments: [...attachmentsIn(record.content), ...packed],
  };
}

/**
 * A message with an id is stored once, even if it is added repeatedly. The key includes its text, because some servers
 * give every reply the same id. A message without an id is always new.
 */
function sourceIdOf(
  [id, ...rest]: readonly [id: string | undefined, ...rest: unknown[]],
  { session, generation }: MessageTurnOptions,
): string {
  if (id === undefined) return randomUUID();
  return digestOf([generation, session, id, ...rest]);
}

/** Converts any turn to a message; null if its text was removed, or if it cannot be a message. */
export function messageOf({ content, role, speaker, source, attachments }: StoredTurn): BaseMessage | null {
  if (content === '' && attachments.length === 0) return null;
  const record = unpackRecord(attachments);
  if (record !== null) return messageFrom(record, content);
  // Servers reject names with other characters.
  const isNamed = source !== SOURCE && speaker !== role && /^[\w-]{1,64}$/.test(speaker);
  const fields = { content, ...(isNamed ? { name: speaker } : {}) };
  if (role === 'assistant') return new AIMessage(fields);
  return role === 'system' ? new SystemMessage(fields) : new HumanMessage(fields);
}

/** Whether the turn's text and role represent the whole message. */
function isPlain(record: MessageRecord, content: string): boolean {
  const isUsual = record.type === 'human' || record.type === 'ai' || record.type === 'system';
  return isUsual && Object.keys(record).length === 1 && content.trim() !== '';
}

function roleOf({ type, role }: MessageRecord): Role {
  if (role === 'user' || role === 'assistant' || role === 'system' || role === 'tool') return role;
  return ROLE_OF_MESSAGE[type];
}
