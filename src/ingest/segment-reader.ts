import type { ModelCallOptions } from '../inference/language-model.ts';
import type { TurnToRead } from './extractor.ts';
import type { CheckedReading } from './segment-reading.ts';

export interface ReadOptions extends ModelCallOptions {
  /** Whether memory already holds an entity of that name or alias (any capitals). */
  readonly known: (name: string) => boolean;
  /** Names that memory has for what these turns may speak of. */
  readonly names?: readonly string[] | undefined;
  /** Summary of what the session's turns before these were about. */
  readonly earlier?: string | undefined;
  /** Turns of the scope just before these, the oldest first, for a reader that shows them to a model (Mnemis §2.1). */
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
