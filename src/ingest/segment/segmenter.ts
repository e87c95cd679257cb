import type { TurnToRead } from '../extract/extractor.ts';
import { FEWEST_TURNS } from './defaults.ts';

/** What a segmenter receives of a turn: text for a model, a vector for arithmetic. */
export interface TurnToSegment extends TurnToRead {
  /** From the embedder; unit length, or all zero for a text without features. All turns have the same dimension. */
  readonly vector: Float32Array;
}

export interface SegmentOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Finds where the topic changes in consecutive turns of one session. */
export interface Segmenter {
  /**
   * Boundary i is between turns i and i + 1, counted from 0 (GAM §3.3). Ascending; every resulting unit has at least
   * `FEWEST_TURNS` turns. Empty if there is only one topic.
   *
   * @throws CancelledError when the signal fires.
   */
  boundaries(turns: readonly TurnToSegment[], options?: SegmentOptions): Promise<readonly number[]>;
}

/** Whether boundaries satisfy the contract of `Segmenter` for this number of turns; a model's reply may violate it. */
export function areBoundaries(boundaries: readonly number[], turns: number): boolean {
  const ends = [...boundaries, turns - 1];
  return ends.every((end, at) => {
    const before = at === 0 ? -1 : ends[at - 1]!;
    return Number.isInteger(end) && (boundaries.length === 0 || end - before >= FEWEST_TURNS);
  });
}
