import type { CorrectionId, EntityId, EpisodeId, FactId, Milliseconds } from '../../model/ids.ts';
import type { CorrectionKind } from '../../model/nodes.ts';

/** A fact or entity that a correction is about, with its current text. */
export interface ChangedItem {
  readonly kind: 'fact' | 'entity';
  readonly id: FactId | EntityId;
  /** The statement, or the name. */
  readonly text: string;
}

interface Event {
  /** When memory changed: system time. */
  readonly at: Milliseconds;
}

interface ByHand extends Event {
  readonly correction: CorrectionId;
  readonly author: string;
}

type Counts = Readonly<Record<string, number>>;

/**
 * A change of memory: something learned, withdrawn, or done by hand. Content that was forgotten since is never
 * reported.
 */
export type ChangeEvent =
  | (Event & {
      /** A turn was stored; from version 2 on it replaces an older version. */
      readonly type: 'stored';
      readonly episode: EpisodeId;
      readonly session: string;
      readonly index: number;
      readonly version: number;
      readonly speaker: string;
    })
  | (Event & {
      readonly type: 'learned';
      readonly what: 'fact';
      readonly fact: FactId;
      readonly statement: string;
    })
  | (Event & {
      readonly type: 'learned';
      readonly what: 'entity';
      readonly entity: EntityId;
      /** Its first name. */
      readonly name: string;
    })
  | (Event & {
      /** A fact replaced another one, which is null if it has been forgotten since. */
      readonly type: 'superseded';
      readonly fact: FactId;
      readonly statement: string;
      readonly superseded: FactId;
      readonly supersededStatement: string | null;
    })
  | (Event & {
      /** A fact was removed, because its evidence was removed or because a user rejected it. */
      readonly type: 'withdrawn';
      readonly fact: FactId;
      readonly statement: string;
    })
  | (ByHand & {
      readonly type: 'corrected' | 'merged' | 'split';
      readonly kind: CorrectionKind;
      readonly about: readonly ChangedItem[];
    })
  | (ByHand & { readonly type: 'undone'; readonly undoes: CorrectionId | null })
  /** Only counts: what was forgotten is not reported. */
  | (ByHand & { readonly type: 'forgot' | 'retained'; readonly counts: Counts })
  /** Many changes as one event: after forgetting, or after the import of an export. */
  | (Event & { readonly type: 'rederived' | 'restored'; readonly counts: Counts })
  /**
   * The reader fell too far behind: nothing follows. Call `changes({ since })` with this event's `since` to get the
   * rest.
   */
  | (Event & { readonly type: 'missed'; readonly since: Milliseconds });

/** Types of events that combine many commits. */
export type JointType = 'rederived' | 'restored';
