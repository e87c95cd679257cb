import type { Milliseconds } from '../../model/ids.ts';
import { isMessage, readMessage } from '../../model/messages/read-message.ts';
import type { Trust } from '../../model/nodes.ts';
import { type Turn, type TurnDefaults, type TurnInput, turnInputSchema } from '../../model/turn-input.ts';
import { withoutUndefined } from '../../util/collections.ts';
import { describeIssues } from '../../util/describe-issues.ts';
import { digestOf } from '../../util/digest-of.ts';
import { parseTimestamp } from '../../util/parse-timestamp.ts';
import type { FoundSecret } from './redact-secrets.ts';
import { trustOf } from './trust.ts';

const FIELDS = Object.keys(turnInputSchema.shape);
/** Source of the turns that messages become. */
const MESSAGE_SOURCE = 'message';
const NOT_A_TIME =
  'at is not a time; give a Date, milliseconds since 1970, or text such as "2026-03-01T09:00Z"';

export interface ReadTurn extends Omit<Turn, 'at' | 'speaker' | 'trust'> {
  readonly speaker: string;
  readonly trust: Trust;
  readonly validAt: Milliseconds;
  readonly atText: string;
  /** Whether the caller said when it was; otherwise its time is the present. */
  readonly hasTime: boolean;
  /** Whether it is written as a message of a conversation: a role and words, without a name, a place or a time. */
  readonly isOfConversation?: boolean;
  /** Kinds of secrets that were redacted, if any. */
  readonly redacted?: readonly FoundSecret[];
}

export type TurnReading =
  | { readonly ok: true; readonly turn: ReadTurn }
  /** `isMalformed`: the caller has to correct the input; otherwise memory does not take what it says. */
  | { readonly ok: false; readonly reason: string; readonly isMalformed: boolean };

/**
 * Parses one input of `add`: a text, a turn or a message of a chat library. A reason names fields, never their values.
 * `now` is the time of a turn that has none.
 */
export function readTurn(input: unknown, now: Milliseconds, defaults: TurnDefaults = {}): TurnReading {
  if (isObject(input) && isMessage(input)) return fromMessage(input, now, defaults);
  const { speaker, ...rest } = defaults;
  const fields = typeof input === 'string' ? { content: input } : input;
  return parseTurn(isObject(fields) ? { ...rest, ...withoutUndefined(fields) } : fields, now, speaker);
}

/** `user` names the speaker of turns with the role `user` that name none. */
function parseTurn(input: unknown, now: Milliseconds, user: string | undefined): TurnReading {
  const parsed = turnInputSchema.safeParse(input);
  if (!parsed.success) return malformed(describeIssues(parsed.error, FIELDS, { namesKeys: true }));
  const { at, speaker, content, role, session, index, source, sourceId, attachments, metadata, trust } =
    parsed.data;
  const saysRole = (input as TurnInput).role !== undefined;
  const validAt = at === undefined ? now : parseTimestamp(at);
  if (validAt === null) return malformed(NOT_A_TIME);
  if (content.trim() === '' && attachments.length === 0) return malformed('content is empty');
  const turn: ReadTurn = {
    // A lone surrogate has no UTF-8 form. It is replaced by U+FFFD here, so that no later layer has to.
    content: content.toWellFormed(),
    speaker: (speaker ?? (role === 'user' ? user : undefined) ?? role).toWellFormed(),
    role,
    session: session.toWellFormed(),
    ...(index === undefined ? undefined : { index }),
    source: source.toWellFormed(),
    ...(sourceId === undefined ? undefined : { sourceId: sourceId.toWellFormed() }),
    attachments: attachments.map((attachment) => ({
      ...attachment,
      description: attachment.description.toWellFormed(),
    })),
    metadata,
    trust: trust ?? trustOf(role),
    validAt,
    atText: at === undefined || at instanceof Date ? new Date(validAt).toISOString() : String(at),
    hasTime: at !== undefined,
    isOfConversation: saysRole && at === undefined && index === undefined && sourceId === undefined,
  };
  return { ok: true, turn };
}

/** A message with an id is stored once, however often it is added; a message without text and files is not stored. */
function fromMessage(input: object, now: Milliseconds, defaults: TurnDefaults): TurnReading {
  const message = readMessage(input);
  if (typeof message === 'string') return refused(message);
  const { id, at, ...said } = message;
  const { speaker: user, session = 'main', ...rest } = defaults;
  // Some servers give every reply the same id, so the text is part of the key.
  const sourceId = id && digestOf([session, id, said.role, said.content]);
  const named = withoutUndefined({ ...said, sourceId, at });
  return parseTurn({ source: MESSAGE_SOURCE, ...rest, session, ...named }, now, user);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const malformed = (reason: string): TurnReading => ({ ok: false, reason, isMalformed: true });
const refused = (reason: string): TurnReading => ({ ok: false, reason, isMalformed: false });
