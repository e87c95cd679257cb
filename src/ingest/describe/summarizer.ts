import type { Extraction, TurnToRead } from '../extract/extractor.ts';

export interface SegmentToSummarize {
  /** All turns of the segment, dropped ones too: the summary covers what the gate leaves out (MemORAI §3.1). */
  readonly turns: readonly TurnToRead[];
  /** What was read from them. Its positions are those of `turns`. */
  readonly extraction: Extraction;
}

export interface SegmentSummary {
  /** From most to least important, at most `MAX_KEYWORDS`; words and names as they were said. */
  readonly keywords: readonly string[];
  /** One to three sentences that name the speakers and the date; at most `MAX_SEGMENT_SUMMARY` characters. */
  readonly summary: string;
}

export interface SummarizeOptions {
  readonly signal?: AbortSignal | undefined;
}

export const MAX_KEYWORDS = 8;
export const MAX_SEGMENT_SUMMARY = 700;

/** Says what a topic segment is about (GAM §3.2). It depends on the segment alone, so that it can be made again. */
export interface Summarizer {
  /** @throws CancelledError when the signal fires. */
  summarize(segment: SegmentToSummarize, options?: SummarizeOptions): Promise<SegmentSummary>;
}
