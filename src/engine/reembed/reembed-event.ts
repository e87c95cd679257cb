import type { EmbeddingFingerprint } from '../../model/embedding-fingerprint.ts';
import type { Scope } from '../../model/ids.ts';

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
