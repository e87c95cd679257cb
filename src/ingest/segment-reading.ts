import type { Milliseconds } from '../model/ids.ts';
import type { ExtractedEntity, ExtractedFact, Extraction } from './extractor.ts';
import type { Judgement } from './gate/memory-gate.ts';
import type { SegmentSummary } from './segment/summarizer.ts';

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

/** An `Extraction` with what is said beyond it. */
export interface DescribedExtraction extends Extraction {
  readonly entities: readonly DescribedEntity[];
  readonly facts: readonly DatedFact[];
}

/** All that is read from a segment. Its summary is empty where a model gave none. */
export interface SegmentReading extends SegmentSummary {
  /** One per turn, in order. A turn that a fact rests on is kept. */
  readonly judgements: readonly Judgement[];
  readonly extraction: DescribedExtraction;
}

/** A reading after the self-check at encoding (GAM §3.3). */
export interface CheckedReading extends SegmentReading {
  /** One per turn: at least one fact that cites it passed the check, and none was rejected (PAPERS §3.4). */
  readonly verified: readonly boolean[];
}
