import { createHash } from 'node:crypto';

/**
 * Gives turns of a thread an identity if they have none, so that a replay of the thread finds them known. Otherwise
 * they would be added again, at the end of their session.
 */
export function withIdentity(turns: readonly unknown[], thread: unknown): readonly unknown[] {
  if (typeof thread !== 'string') return turns;
  const seen = new Map<string, number>();
  return turns.map((turn) => {
    if (!isObject(turn) || turn.index !== undefined || turn.sourceId !== undefined) return turn;
    const words = JSON.stringify([thread, turn]);
    const before = seen.get(words) ?? 0;
    seen.set(words, before + 1);
    const digest = createHash('sha256').update(`${before} ${words}`).digest('hex');
    return { ...turn, sourceId: `thread:${digest.slice(0, 32)}` };
  });
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
