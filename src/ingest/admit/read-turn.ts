import { createHash } from 'node:crypto';
import type { Milliseconds } from '../../model/ids.ts';
import type { Attachment, Trust } from '../../model/nodes.ts';
import { type Turn, turnInputSchema } from '../../model/turn-input.ts';
import { describeIssues } from '../../util/describe-issues.ts';
import { parseTimestamp } from '../../util/parse-timestamp.ts';
import type { FoundSecret } from './redact-secrets.ts';
import { trustOf } from './trust.ts';

const FIELDS = Object.keys(turnInputSchema.shape);

export interface ReadTurn extends Omit<Turn, 'at' | 'speaker' | 'trust'> {
  readonly speaker: string;
  readonly trust: Trust;
  readonly validAt: Milliseconds;
  readonly atText: string;
  /** What was blacked out of it, if anything. */
  readonly redacted?: readonly FoundSecret[];
}

export type TurnReading =
  | { readonly ok: true; readonly turn: ReadTurn }
  | { readonly ok: false; readonly reason: string };

/** Parses one input of `add`. The reason of a rejection names fields, never what stood in them. */
export function readTurn(input: unknown): TurnReading {
  const parsed = turnInputSchema.safeParse(input);
  if (!parsed.success) return { ok: false, reason: describeIssues(parsed.error, FIELDS) };
  const { at, speaker, ...turn } = parsed.data;
  const validAt = parseTimestamp(at);
  if (validAt === null) return { ok: false, reason: 'at is not a time' };
  if (turn.content.trim() === '' && turn.attachments.length === 0)
    return { ok: false, reason: 'content is empty' };
  return {
    ok: true,
    turn: {
      ...turn,
      // A lone surrogate has no UTF-8 form: it becomes U+FFFD here, once, and not in each layer below.
      content: turn.content.toWellFormed(),
      session: turn.session.toWellFormed(),
      trust: turn.trust ?? trustOf(turn.role),
      speaker: (speaker ?? turn.role).toWellFormed(),
      source: turn.source.toWellFormed(),
      ...(turn.sourceId === undefined ? {} : { sourceId: turn.sourceId.toWellFormed() }),
      attachments: turn.attachments.map((attachment) => ({
        ...attachment,
        description: attachment.description.toWellFormed(),
      })),
      validAt,
      atText: at instanceof Date ? at.toISOString() : String(at),
    },
  };
}

/**
 * What makes two inputs the same turn within a scope (docs/design.md, "A turn's identity"): source and sourceId, else
 * session and index. JSON keeps ("a b", "c") apart from ("a", "b c").
 */
export function turnKey(turn: {
  readonly source: string;
  readonly sourceId?: string | null | undefined;
  readonly session: string;
  readonly index: number;
}): string {
  return turn.sourceId === undefined || turn.sourceId === null
    ? JSON.stringify(['turn', turn.session, turn.index])
    : JSON.stringify(['source', turn.source, turn.sourceId]);
}

/** Two versions of a turn with equal hashes say the same. */
export function contentHash(turn: {
  readonly content: string;
  readonly speaker: string;
  readonly attachments: readonly Attachment[];
}): string {
  const said = JSON.stringify([
    turn.speaker,
    turn.content,
    turn.attachments.map((attachment) => [attachment.kind, attachment.description, attachment.uri ?? null]),
  ]);
  return createHash('sha256').update(said).digest('base64url').slice(0, 24);
}
