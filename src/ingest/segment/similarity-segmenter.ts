import { CancelledError } from '../../errors/index.ts';
import { findMinima } from './find-minima.ts';
import { FEWEST_TURNS, type Segmenter, type SegmentOptions, type TurnToSegment } from './segmenter.ts';
import { windowSimilarities } from './window-similarity.ts';

const WINDOW_TURNS = 3;
const DEVIATIONS = 0.5;

/**
 * The local tier's segmenter (PAPERS §3.1): cuts where the cosine between the three turns before and after a
 * boundary has a local minimum below the mean of all boundaries − 0.5 standard deviations. Deterministic; linear
 * in the turns. Two minima are never neighbours, and the ends keep their distance, so units have two turns or more.
 */
export class SimilaritySegmenter implements Segmenter {
  async boundaries(
    turns: readonly TurnToSegment[],
    { signal }: SegmentOptions = {},
  ): Promise<readonly number[]> {
    if (signal?.aborted) throw new CancelledError('the turns stay in the buffer', signal.reason);
    const vectors = turns.map(({ vector }) => vector);
    return findMinima(windowSimilarities(vectors, WINDOW_TURNS), {
      deviations: DEVIATIONS,
      margin: FEWEST_TURNS - 1,
    });
  }
}
