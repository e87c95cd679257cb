import type { EmbeddingFingerprint } from '../../model/embedding-fingerprint.ts';
import type { Scope } from '../../model/ids.ts';

/**
 * How far `Mnemis.reembed` is, `seconds` since its start. `switched` comes at most once: not where the memory had
 * this embedder and every text its vector.
 */
export type ReembedEvent =
  /** `done` of `total` texts of all scopes have a vector of the new embedder, durably. `scope` is being worked on. */
  | {
      readonly type: 'progress';
      readonly scope: Scope;
      readonly done: number;
      readonly total: number;
      readonly seconds: number;
    }
  /** From here on searches compare the new vectors; what follows only removes the old ones. */
  | { readonly type: 'switched'; readonly seconds: number }
  | ReembedResult;

/**
 * What a move to another embedder came to, over all scopes. `from` and `to` are equal where it only completed what
 * was missing.
 */
export interface ReembedResult {
  readonly type: 'done';
  readonly from: EmbeddingFingerprint;
  readonly to: EmbeddingFingerprint;
  /** Texts that have a vector now. */
  readonly texts: number;
  /** Texts that were embedded by this call; the others had their vector already. */
  readonly embedded: number;
  /** Vectors of other embedders that were removed. */
  readonly removed: number;
  readonly seconds: number;
}
