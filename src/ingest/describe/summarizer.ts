import type { Extraction, TurnToRead } from '../extract/extractor.ts';

export interface SegmentToSummarize {
  /** All turns of the segment, including dropped ones: the summary covers what the gate drops (MemORAI §3.1). */
  readonly turns: readonly TurnToRead[];
  /** What was extracted from the turns. Its positions refer to `turns`. */
  readonly extraction: Extraction;
}

export interface SegmentSummary {
  /** Most important first, at most `MAX_KEYWORDS`; words and names as the turns have them. */
  readonly keywords: readonly string[];
  /** One to three sentences that name the speakers and the date; at most `MAX_SEGMENT_SUMMARY` characters. */
  readonly summary: string;
}

export interface SummarizeOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Summarizes a topic segment (GAM §3.2). The result depends on the segment alone, so that it can be rebuilt. */
export interface Summarizer {
  /** @throws CancelledError when the signal fires. */
  summarize(segment: SegmentToSummarize, options?: SummarizeOptions): Promise<SegmentSummary>;
}
