import type { ModelUsage } from '../../inference/language-model/tokens/usage-meter.ts';
import type { Milliseconds } from '../../model/ids.ts';
import type { ExtractedEntity, ExtractedFact, Extraction } from '../extractor.ts';
import type { Judgement } from '../gate/memory-gate.ts';
import type { SegmentSummary } from '../segment/summarizer.ts';
import type { Dropped } from './drop-log.ts';

export interface DescribedEntity extends ExtractedEntity {
  /** At most 5, of at most 3 words each. */
  readonly tags: readonly string[];
  /** What the segment says of it, resting on `turns`; empty for one that only speaks, or is only named. */
  readonly description: string;
}

export interface DatedFact extends ExtractedFact {
  /** When it ceased to hold, later than `validAt`; null where nobody said. */
  readonly invalidAt: Milliseconds | null;
}

/** An `Extraction` with what a model says beyond it. */
export interface DescribedExtraction extends Extraction {
  readonly entities: readonly DescribedEntity[];
  readonly facts: readonly DatedFact[];
}

/** All that is read from a segment. Its summary is empty where the model gave none. */
export interface SegmentReading extends SegmentSummary {
  /** One per turn, in order. A turn that a fact rests on is kept. */
  readonly judgements: readonly Judgement[];
  readonly extraction: DescribedExtraction;
}

export interface ReadingResult {
  /** One per segment, in order. */
  readonly readings: readonly SegmentReading[];
  /** Of all segments together. */
  readonly dropped: readonly Dropped[];
  readonly usage: ModelUsage;
}
