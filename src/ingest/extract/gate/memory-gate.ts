import type { GateVerdict } from '../../../model/nodes.ts';
import type { TurnToRead } from '../extractor.ts';

/** What a gate that has looked at a turn may say. */
export type Judgement = Exclude<GateVerdict, 'unjudged'>;

export interface GateOptions {
  readonly signal?: AbortSignal | undefined;
}

/**
 * Keeps the turns that say something of the user's world: personal facts, preferences, plans, questions that reveal
 * a need, replies made for this user (MemORAI §3.1, C.2). What is dropped stays stored and searchable, and the
 * segment's summary covers it.
 */
export interface MemoryGate {
  /**
   * One judgement per turn, in order. Consecutive turns of one session: what a reply says depends on the question.
   *
   * @throws CancelledError when the signal fires.
   */
  judge(turns: readonly TurnToRead[], options?: GateOptions): Promise<readonly Judgement[]>;
}
