import { BUFFER_LIMITS } from '../../ingest/segment/defaults.ts';
import { estimateTokens } from '../../ingest/segment/plan-units.ts';
import type { Milliseconds } from '../../model/ids.ts';
import type { Episode } from '../../model/nodes.ts';
import type { ScopeIndex } from '../../search/scope-index.ts';

interface Buffer {
  /** Token counts of the waiting turns, by id. */
  readonly held: Map<string, number>;
  /** The number of leading turns that the last check found incomplete. */
  checked: number;
  lastAt: Milliseconds | null;
  /** Turns that the last check found complete; while one of them waits, `checked` refers to the others. */
  complete: readonly string[];
  /** Whether turns arrived since that may complete a unit. */
  isDue: boolean;
}

/**
 * Tracks the buffers of a scope to decide whether a check could find a trigger: a check costs some milliseconds, and
 * nearly all turns complete nothing. When uncertain, it requests a check.
 */
export class SessionBuffers {
  readonly #buffers = new Map<string, Buffer>();

  /** Notes new turns of a session. @returns whether the session must be checked. */
  note(session: string, turns: readonly Episode[]): boolean {
    const buffer: Buffer = this.#buffers.get(session) ?? {
      held: new Map(),
      checked: 0,
      lastAt: null,
      complete: [],
      isDue: false,
    };
    this.#buffers.set(session, buffer);
    for (const turn of turns) {
      const { lastAt } = buffer;
      // A turn out of order may complete any unit.
      if (lastAt !== null && (turn.validAt < lastAt || turn.validAt - lastAt >= BUFFER_LIMITS.pause))
        buffer.isDue = true;
      buffer.held.set(turn.id, estimateTokens(turn));
      buffer.lastAt = turn.validAt;
    }
    buffer.isDue ||= tokensOf(buffer) > BUFFER_LIMITS.tokens;
    return buffer.isDue;
  }

  /** The number of waiting turns of the session that need no further check, given all turns that wait. */
  checked(session: string, pending: ReadonlySet<string>): number {
    const buffer = this.#buffers.get(session);
    return buffer === undefined || isBeforeOthers(buffer, pending) ? 0 : buffer.checked;
  }

  /** Whether a check has found that exactly these turns of a session complete nothing. */
  isSettled(session: string, turns: readonly string[]): boolean {
    const buffer = this.#buffers.get(session);
    return buffer?.checked === turns.length && turns.every((id) => buffer.held.has(id));
  }

  /** Resets the state after turns were removed. */
  clear(): void {
    this.#buffers.clear();
  }

  /**
   * Requests a check of everything after work failed. After a cancel, pass the waiting turns: only sessions whose
   * complete turns were not written are checked. Checking a tail again without the turns before it could cut it
   * elsewhere.
   */
  requestCheck(pending: ReadonlySet<string> | null = null): void {
    for (const buffer of this.#buffers.values()) {
      if (pending !== null && !isBeforeOthers(buffer, pending)) continue;
      buffer.checked = 0;
      buffer.isDue = true;
    }
  }

  /** Records a check of a session: which turns are complete, and which still wait. */
  noteCheck(
    session: string,
    { complete, waiting }: { complete: readonly Episode[]; waiting: readonly Episode[] },
  ): void {
    const buffer = this.#buffers.get(session);
    const held = new Map(waiting.map((turn) => [turn.id as string, estimateTokens(turn)]));
    const seen = new Set<string>([...complete.map(({ id }) => id), ...held.keys()]);
    const since = [...(buffer?.held ?? [])].filter(([id]) => !seen.has(id));
    if (held.size + since.length === 0) {
      this.#buffers.delete(session);
      return;
    }
    for (const [id, tokens] of since) held.set(id, tokens);
    const lastAt = since.length > 0 ? buffer!.lastAt : waiting.at(-1)!.validAt;
    this.#buffers.set(session, {
      held,
      checked: waiting.length,
      lastAt,
      complete: complete.map(({ id }) => id),
      isDue: since.length > 0,
    });
  }
}

/** Whether turns that were complete still wait before those that were checked. */
function isBeforeOthers({ complete }: Buffer, pending: ReadonlySet<string>): boolean {
  return complete.some((id) => pending.has(id));
}

function tokensOf({ held }: Buffer): number {
  let sum = 0;
  for (const tokens of held.values()) sum += tokens;
  return sum;
}

/** Sessions with waiting turns, in order of the first of them. */
export function waitingSessions({
  enrichment,
  episodes: { ids, timeline },
}: ScopeIndex): Map<string, { turns: number; lastAt: Milliseconds }> {
  const sessions = new Map<string, { turns: number; lastAt: Milliseconds }>();
  for (const id of enrichment.pending) {
    const ordinal = ids.ordinalOf(id)!;
    const session = timeline.sessions[timeline.session.at(ordinal)]!;
    const { turns, lastAt } = sessions.get(session) ?? { turns: 0, lastAt: -Infinity };
    sessions.set(session, { turns: turns + 1, lastAt: Math.max(timeline.validAt.at(ordinal), lastAt) });
  }
  return sessions;
}
