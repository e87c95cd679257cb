import type { EpisodeId } from '../model/ids.ts';
import type { FoundSecret } from './admit/redact-secrets.ts';

/**
 * What became of one input of `add`. `redacted`: secrets that were blacked out before it was stored. `readUpTo`: the
 * character up to which so long a turn is read for facts; all of it is stored and found by search. Left out where the
 * whole turn is read.
 */
export type AddOutcome =
  | {
      readonly status: 'added';
      readonly id: EpisodeId;
      readonly redacted?: readonly FoundSecret[];
      readonly readUpTo?: number;
    }
  /** The same turn with the same content was there already. */
  | { readonly status: 'known'; readonly id: EpisodeId }
  /** The same turn with other content: a new version, and the old one is kept as superseded. */
  | {
      readonly status: 'superseding';
      readonly id: EpisodeId;
      readonly superseded: EpisodeId;
      readonly redacted?: readonly FoundSecret[];
      readonly readUpTo?: number;
    }
  | { readonly status: 'rejected'; readonly reason: string };

/** What became of the turns of one `add`, or with `preview` would. The counts are those of `outcomes` by status. */
export interface AddResult {
  /** One outcome per input, in order. */
  readonly outcomes: readonly AddOutcome[];
  readonly added: number;
  readonly known: number;
  readonly superseding: number;
  readonly rejected: number;
  /** Turns of the scope that wait to be consolidated: they are found by search, and not yet read for facts. */
  readonly pending: number;
}
