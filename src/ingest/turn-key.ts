import { createHash } from 'node:crypto';
import type { Attachment } from '../model/nodes.ts';

/**
 * What makes two inputs the same turn within a scope (DESIGN §8.3): source and sourceId, else session and
 * index. JSON keeps ("a b", "c") apart from ("a", "b c").
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
