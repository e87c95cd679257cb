import type { Milliseconds } from '../../model/ids.ts';
import type { Role, Trust } from '../../model/nodes.ts';
import {
  type AddInput,
  type MessageLike,
  type Turn,
  type TurnDefaults,
  turnInputSchema,
} from '../../model/turn-input.ts';
import { withoutUndefined } from '../../util/collections.ts';
import { describeIssues } from '../../util/describe-issues.ts';
import { digestOf } from '../../util/digest-of.ts';
import { parseTimestamp } from '../../util/parse-timestamp.ts';
import type { FoundSecret } from './redact-secrets.ts';
import { trustOf } from './trust.ts';

const FIELDS = Object.keys(turnInputSchema.shape);
/** Source of the turns that messages of LangChain become. */
const MESSAGE_SOURCE = 'message';
const LONGEST_NAME = 500;
const NOT_A_TIME =
  'at is not a time; give a Date, milliseconds since 1970, or text such as "2026-03-01T09:00Z"';

export interface ReadTurn extends Omit<Turn, 'at' | 'speaker' | 'trust'> {
  readonly speaker: string;
  readonly trust: Trust;
  readonly validAt: Milliseconds;
  readonly atText: string;
  /** Whether the caller said when it was; otherwise its time is the present. */
  readonly hasTime: boolean;
  /** Kinds of secrets that were redacted, if any. */
  readonly redacted?: readonly FoundSecret[];
}

export type TurnReading =
  | { readonly ok: true; readonly turn: ReadTurn }
  /** `isMalformed`: the caller has to correct the input; otherwise memory does not take what it says. */
  | { readonly ok: false; readonly reason: string; readonly isMalformed: boolean };

/**
 * Parses one input of `add`: a text, a turn or a message of LangChain. A reason names fields, never their values.
 * `now` is the time of a turn that has none.
 */
export function readTurn(input: unknown, now: Milliseconds, defaults: TurnDefaults = {}): TurnReading {
  if (isMessage(input)) return readMessage(input, now, defaults);
  const { speaker, ...rest } = defaults;
  const fields = typeof input === 'string' ? { content: input } : input;
  return parseTurn(isObject(fields) ? { ...rest, ...withoutUndefined(fields) } : fields, now, speaker);
}

/** `user` names the speaker of turns with the role `user` that name none. */
function parseTurn(input: unknown, now: Milliseconds, user: string | undefined): TurnReading {
  const parsed = turnInputSchema.safeParse(input);
  if (!parsed.success) return malformed(describeIssues(parsed.error, FIELDS, { namesKeys: true }));
  const { at, speaker, ...turn } = parsed.data;
  const validAt = at === undefined ? now : parseTimestamp(at);
  if (validAt === null) return malformed(NOT_A_TIME);
  if (turn.content.trim() === '' && turn.attachments.length === 0) return malformed('content is empty');
  return {
    ok: true,
    turn: {
      ...turn,
      // A lone surrogate has no UTF-8 form. It is replaced by U+FFFD here, so that no later layer has to.
      content: turn.content.toWellFormed(),
      session: turn.session.toWellFormed(),
      trust: turn.trust ?? trustOf(turn.role),
      speaker: (speaker ?? (turn.role === 'user' ? user : undefined) ?? turn.role).toWellFormed(),
      source: turn.source.toWellFormed(),
      ...(turn.sourceId === undefined ? {} : { sourceId: turn.sourceId.toWellFormed() }),
      attachments: turn.attachments.map((attachment) => ({
        ...attachment,
        description: attachment.description.toWellFormed(),
      })),
      validAt,
      atText: at === undefined || at instanceof Date ? new Date(validAt).toISOString() : String(at),
      hasTime: at !== undefined,
    },
  };
}

/** By LangChain's type of a message. */
export const ROLE_OF_MESSAGE = {
  human: 'user',
  ai: 'assistant',
  system: 'system',
  developer: 'system',
  tool: 'tool',
  function: 'tool',
  generic: 'other',
} as const satisfies Readonly<Record<string, Role>>;

function roleOf(type: string): Role | null {
  return Object.hasOwn(ROLE_OF_MESSAGE, type) ? ROLE_OF_MESSAGE[type as keyof typeof ROLE_OF_MESSAGE] : null;
}

/** A message with an id is stored once, however often it is added; a message without text is not stored. */
function readMessage(message: MessageLike, now: Milliseconds, defaults: TurnDefaults): TurnReading {
  const role = roleOf(message.getType());
  if (role === null) return refused('it is no message of a conversation');
  const content = textOf(message.content);
  if (content.trim() === '') return refused('the message has no text');
  // The name of a tool is not a speaker.
  const speaker = role === 'tool' ? undefined : message.name?.trim().slice(0, LONGEST_NAME) || undefined;
  const { speaker: user, session = 'main', ...rest } = defaults;
  // Some servers give every reply the same id, so the text is part of the key.
  const sourceId = message.id && digestOf([session, message.id, role, content]);
  const named = withoutUndefined({ speaker, sourceId: sourceId || undefined });
  return parseTurn({ source: MESSAGE_SOURCE, ...rest, session, content, role, ...named }, now, user);
}

/** The text of a message: its content, or the text blocks of it. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((block: unknown) => (typeof block === 'string' ? block : blockText(block))).join('');
}

function blockText(block: unknown): string {
  const { type, text } = isObject(block) ? (block as { type?: unknown; text?: unknown }) : {};
  return type === 'text' && typeof text === 'string' ? text : '';
}

function isMessage(input: unknown): input is MessageLike & AddInput {
  return isObject(input) && typeof (input as { getType?: unknown }).getType === 'function';
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const malformed = (reason: string): TurnReading => ({ ok: false, reason, isMalformed: true });
const refused = (reason: string): TurnReading => ({ ok: false, reason, isMalformed: false });
