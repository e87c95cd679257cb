import { BUFFER_LIMITS, estimateTokens } from '../../ingest/segment/plan-units.ts';
import type { Milliseconds } from '../../model/ids.ts';
import type { Episode } from '../../model/nodes.ts';

interface Buffer {
  /** Tokens of the turns that wait, by id. */
  readonly held: Map<string, number>;
  /** How many of them, the first ones, a look has found to wait. */
  asked: number;
  lastAt: Milliseconds | null;
  /** Turns that the last look found complete; as long as one of them waits, `asked` counts others. */
  complete: readonly string[];
  /** Something has come since that a look may find complete. */
  isDue: boolean;
}

/**
 * What waits in the buffers of a scope, as far as it tells whether a look at them would find a trigger: a look costs
 * some milliseconds, and nearly every turn comes without one. In doubt it has one taken.
 */
export class BufferWatch {
  readonly #buffers = new Map<string, Buffer>();

  /** New turns of a session. @returns whether it is to be looked at. */
  note(session: string, turns: readonly Episode[]): boolean {
    const buffer = this.#buffers.get(session) ?? {
      ...{ held: new Map(), asked: 0, lastAt: null, complete: [], isDue: false },
    };
    this.#buffers.set(session, buffer);
    for (const turn of turns) {
      const { lastAt } = buffer;
      // What comes out of order may complete anything.
      if (lastAt !== null && (turn.validAt < lastAt || turn.validAt - lastAt >= BUFFER_LIMITS.pause))
        buffer.isDue = true;
      buffer.held.set(turn.id, estimateTokens(turn));
      buffer.lastAt = turn.validAt;
    }
    buffer.isDue ||= tokensOf(buffer) > BUFFER_LIMITS.tokens;
    return buffer.isDue;
  }

  /** How many turns of the session's tail need not be asked about again. */
  asked(session: string): number {
    return this.#buffers.get(session)?.asked ?? 0;
  }

  /** After turns were removed: what waits is to be seen anew. */
  clear(): void {
    this.#buffers.clear();
  }

  /**
   * After work that failed: everything is to be asked again. After work that was cancelled, with the turns that wait:
   * only where what the last look found complete is not written. To ask about a tail once more, without the turns
   * before it, could cut it where the whole was not cut.
   */
  distrust(pending: ReadonlySet<string> | null = null): void {
    for (const buffer of this.#buffers.values()) {
      if (pending !== null && !buffer.complete.some((id) => pending.has(id))) continue;
      buffer.asked = 0;
      buffer.isDue = true;
    }
  }

  /** After a look at a session: which turns are complete, and which go on waiting. */
  looked(
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
    const found = complete.map(({ id }) => id as string);
    this.#buffers.set(session, {
      ...{ held, asked: waiting.length, lastAt, complete: found, isDue: since.length > 0 },
    });
  }
}

function tokensOf({ held }: Buffer): number {
  let sum = 0;
  for (const tokens of held.values()) sum += tokens;
  return sum;
}

const FIRST_MS = 15_000;
const LONGEST_MS = 30 * 60_000;

/**
 * After a failure nobody asked to hear of, work in the background rests, twice as long each time: a model that does
 * not answer would otherwise be asked, and paid, again with every turn.
 */
export class BackgroundPause {
  #length = 0;
  #until = 0;

  get isOn(): boolean {
    return performance.now() < this.#until;
  }

  lengthen(): void {
    this.#length = Math.min(LONGEST_MS, Math.max(FIRST_MS, 2 * this.#length));
    this.#until = performance.now() + this.#length;
  }

  end(): void {
    this.#length = 0;
    this.#until = 0;
  }
}
