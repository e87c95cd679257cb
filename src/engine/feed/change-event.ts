import type { CorrectionId, EntityId, EpisodeId, FactId, Milliseconds } from '../../model/ids.ts';
import type { CorrectionKind } from '../../model/nodes.ts';

/** A fact or entity that a correction is about, in the words that memory has for it now. */
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

/** Something that memory learned, gave up, or was told to do. What has been forgotten since is never told of. */
export type ChangeEvent =
  | (Event & {
      /** A turn came in; from version 2 on it takes the place of an older version. */
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
      /** What it was called first. */
      readonly name: string;
    })
  | (Event & {
      /** A fact took the place of another one, which is null where it has been forgotten since. */
      readonly type: 'superseded';
      readonly fact: FactId;
      readonly statement: string;
      readonly superseded: FactId;
      readonly supersededStatement: string | null;
    })
  | (Event & {
      /** Memory gave a fact up with what it rested on, or because somebody said so. */
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
  /** Counts alone: what was forgotten is not told. */
  | (ByHand & { readonly type: 'forgot' | 'retained'; readonly counts: Counts })
  /** Many changes that are one to whoever looks on: after forgetting, or the import of an export. */
  | (Event & { readonly type: 'rederived' | 'restored'; readonly counts: Counts })
  /** More came than was taken: nothing follows. `changes({ since })` tells all of it, from this event's `since` on. */
  | (Event & { readonly type: 'missed'; readonly since: Milliseconds });

/** Changes that `ChangeFeed.asOne` tells as one. */
export type JointType = 'rederived' | 'restored';
