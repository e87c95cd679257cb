import type { ModelCallOptions } from '../../inference/language-model.ts';
import type { Milliseconds } from '../../model/ids.ts';
import type { SegmentSummary } from '../describe/summarizer.ts';
import type { ExtractedEntity, ExtractedFact, Extraction, TurnToRead } from './extractor.ts';
import type { Judgement } from './local-gate.ts';

export interface ReadOptions extends ModelCallOptions {
  /** Whether memory has an entity with that name or alias, ignoring case. */
  readonly known: (name: string) => boolean;
  /** Names in memory that these turns may refer to. */
  readonly names?: readonly string[] | undefined;
  /** Summary of the session's earlier turns. */
  readonly earlier?: string | undefined;
  /** The turns of the scope just before these, oldest first, for readers that show them (docs/papers.md §1.1). */
  readonly recent?: readonly TurnToRead[] | undefined;
  /**
   * Finds named entities in memory, for a reader that asks about them by their names there. Absent: names are resolved
   * when the reading is written.
   *
   * @returns One name per entity, in order: that of memory, or its own if it is new or another one has that.
   */
  readonly resolve?: ((named: readonly DescribedEntity[]) => Promise<readonly string[]>) | undefined;
}

/**
 * Reads topic segments: judgements of turns, keywords and summary, entities with descriptions, facts, and which turns
 * the self-check verified. The implementation decides how many model calls it makes.
 */
export interface SegmentReader {
  /**
   * @param segments Consecutive segments of one session, their turns in order. None is empty.
   * @returns One reading per segment, in order; its positions refer to the segment's turns.
   * @throws CancelledError when the signal fires, and what `LanguageModel.structured` throws; then no segment is
   * read.
   */
  read(
    segments: readonly (readonly TurnToRead[])[],
    options: ReadOptions,
  ): Promise<readonly CheckedReading[]>;
}

export interface DescribedEntity extends ExtractedEntity {
  /** At most 5, of at most 3 words each. */
  readonly tags: readonly string[];
  /** What the segment states about it, supported by `turns`; empty for an entity that only speaks or is only named. */
  readonly description: string;
}

export interface DatedFact extends ExtractedFact {
  /** When it ceased to hold, later than `validAt`; null if unknown. */
  readonly invalidAt: Milliseconds | null;
}

/** An `Extraction` with descriptions and dated facts. */
export interface DescribedExtraction extends Extraction {
  readonly entities: readonly DescribedEntity[];
  readonly facts: readonly DatedFact[];
}

/** Everything that is read from a segment. The summary is empty if a model gave none. */
export interface SegmentReading extends SegmentSummary {
  /** One per turn, in order. A turn that supports a fact is kept. */
  readonly judgements: readonly Judgement[];
  readonly extraction: DescribedExtraction;
}

/** A reading after the self-check at encoding (GAM §3.3). */
export interface CheckedReading extends SegmentReading {
  /**
   * One per turn: at least one fact that cites it passed the check, and none was rejected; or what the check of a
   * reading without facts says (docs/papers.md §3.4).
   */
  readonly verified: readonly boolean[];
}
