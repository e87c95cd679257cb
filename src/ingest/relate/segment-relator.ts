import type { SegmentId } from '../../model/ids.ts';
import type { TopicRelation } from '../../model/relationships.ts';

/** What a relator may know of a topic segment. */
export interface SegmentToRelate {
  readonly id: SegmentId;
  readonly keywords: readonly string[];
  readonly summary: string;
  /** Of the summary. All have the same dimension; all zero for a summary without features. */
  readonly vector: Float32Array;
  /** Of the entities that its turns mention, its speakers left out: whoever talks is in every segment. */
  readonly entities: ReadonlySet<string>;
}

export interface SegmentRelation {
  readonly from: SegmentId;
  readonly to: SegmentId;
  readonly relation: TopicRelation | 'unrelated';
  /** From 0 to 1. */
  readonly confidence: number;
}

export interface RelateOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Says how a new segment relates to candidates (GAM §3.3). */
export interface SegmentRelator {
  /**
   * One relation per candidate, in order. `support`, `contradict` and `causal` lead from the one that does it; the
   * others are symmetric and lead from the new segment.
   *
   * @throws CancelledError when the signal fires.
   */
  relate(
    segment: SegmentToRelate,
    candidates: readonly SegmentToRelate[],
    options?: RelateOptions,
  ): Promise<readonly SegmentRelation[]>;
}
