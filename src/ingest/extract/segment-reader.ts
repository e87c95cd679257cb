import type { ModelCallOptions } from '../../inference/language-model.ts';
import type { Milliseconds } from '../../model/ids.ts';
import type { SegmentSummary } from '../describe/summarizer.ts';
import type { ExtractedEntity, ExtractedFact, Extraction, TurnToRead } from './extractor.ts';
import type { Judgement } from './local-gate.ts';

export interface ReadOptions extends ModelCallOptions {
  /** Whether memory already holds an entity of that name or alias (any capitals). */
  readonly known: (name: string) => boolean;
  /** Names that memory has for what these turns may speak of. */
  readonly names?: readonly string[] | undefined;
  /** Summary of what the session's turns before these were about. */
  readonly earlier?: string | undefined;
  /** Turns of the scope just before these, the oldest first, for methods that show them (docs/papers.md §1.1). */
  readonly recent?: readonly TurnToRead[] | undefined;
}

/**
 * Reads topic segments: which turns are kept, keywords and summary, entities with descriptions, facts, and which
 * turns the self-check verified. How many calls of a model that takes is the implementation's own affair.
 */
export interface SegmentReader {
  /**
   * @param segments Consecutive ones of one session, their turns in order. None is empty.
   * @returns One reading per segment, in order; positions in it are those of the segment's turns.
   * @throws CancelledError when the signal fires, and what `LanguageModel.structured` throws; nothing is kept of
   *   the segments then.
   */
  read(
    segments: readonly (readonly TurnToRead[])[],
    options: ReadOptions,
  ): Promise<readonly CheckedReading[]>;
}

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
  /** One per turn: at least one fact that cites it passed the check, and none was rejected (docs/papers.md §3.4). */
  readonly verified: readonly boolean[];
}
