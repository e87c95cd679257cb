import type { TurnToRead } from '../extractor.ts';
import type { CheckedReading } from '../segment-reader.ts';

/** What a reading thread starts with. */
export interface ThreadSettings {
  readonly gate: boolean;
  /** Keys of the names in memory: see `entityNameKey`. */
  readonly names: readonly string[];
}

/** Segments of one session to read. */
export interface ReadRequest {
  readonly number: number;
  readonly segments: readonly (readonly TurnToRead[])[];
  /** Corrections of the names that the thread takes for known, from earlier answers. */
  readonly corrections: readonly NameAnswer[];
}

/** Whether memory has an entity with the name. */
export type NameAnswer = readonly [name: string, isKnown: boolean];

export interface ReadSegment {
  readonly reading: CheckedReading;
  /** Every name that the reading asked for, and the answer that it used. */
  readonly asked: readonly NameAnswer[];
}

export type ReadReply =
  | {
      readonly number: number;
      /** One per segment. */
      readonly segments: readonly ReadSegment[];
    }
  | { readonly number: number; readonly failure: string };
