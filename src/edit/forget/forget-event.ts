import type { CallOptions } from '../../model/call-options.ts';
import type { RemovedCounts } from './deletion.ts';

/** Every kind of target. */
export const FORGET_TARGETS = ['episode', 'session', 'time', 'entity', 'query', 'all', 'episodes'] as const;
/** Why turns are removed: see `ForgetOptions`. */
export const FORGET_CAUSES = ['forgotten', 'moved', 'undone'] as const;
/** The kind of target that was forgotten; the text of the request is not stored. */
export type ForgetTargetKind = (typeof FORGET_TARGETS)[number];

/**
 * Options of `forget`. A `signal` that fires before the first step leaves memory unchanged; after it, the rest is
 * removed before the scope is next searched or written.
 */
export interface ForgetOptions extends CallOptions {
  /** Who asks for it, for the record. Default: `user`. */
  readonly author?: string;
  /** Whether to forget turns that quote the forgotten ones too: the `alsoSaid` of the preview. Default: false. */
  readonly quotations?: boolean;
  /**
   * Default: `forgotten`. `moved`: another scope has the turns now, so the text holders beside memory keep their copies
   * of the words. `undone`: the turns should not have been added, so they keep them too, and no tombstone keeps the
   * turns from being added again.
   */
  readonly cause?: (typeof FORGET_CAUSES)[number];
}

/** Options of `previewForget`. */
export type ForgetPreviewOptions = Pick<ForgetOptions, 'quotations'>;

/** A turn that would be removed. */
export interface ForgetExample {
  readonly id: string;
  readonly session: string;
  /** ISO 8601. */
  readonly at: string;
  /** At most 120 characters of its text. */
  readonly text: string;
}

/** A remaining turn that quotes a removed turn. `text` begins shortly before the quotation. */
export interface ForgetQuotation extends ForgetExample {
  readonly speaker: string;
}

/**
 * What `forget` of a target would remove, for the user to confirm. A preview changes nothing. `examples`, `facts`,
 * `entities`, `alsoSaid` and `vanishing` contain the user's text.
 */
export interface ForgetPreview {
  readonly target: ForgetTargetKind;
  /** Rows to remove, by kind; profiles to rewrite are included. */
  readonly counts: RemovedCounts;
  /** Ids of all turns to remove, in all their versions: `forget({ episodes })` removes exactly these. */
  readonly episodes: readonly string[];
  /** At most 5. */
  readonly examples: readonly ForgetExample[];
  /** Statements of facts to remove, each at most 120 characters; at most 20. */
  readonly facts: readonly string[];
  /** Names of entities to remove, at most 20. */
  readonly entities: readonly string[];
  /** Remaining turns that quote removed ones, by any speaker: their number, and the first 20. */
  readonly alsoSaid: { readonly total: number; readonly turns: readonly ForgetQuotation[] };
  /** Entities that no remaining turn or fact would mention. */
  readonly vanishing: readonly { readonly id: string; readonly name: string }[];
  /** Number of remaining turns to read again, because they were read together with removed ones. */
  readonly reread: number;
}

/** Where a forgotten text still occurs; never the text itself. */
export interface ForgetFinding {
  readonly holder: string;
  readonly where: string;
  /** How many of the texts. */
  readonly texts: number;
}

/** Whether memory still holds forgotten text, searched in everything that holds text. */
export interface ForgetProof {
  readonly clean: boolean;
  /** Number of texts searched for. */
  readonly searched: number;
  /** Number of texts skipped, because remaining rows contain them too. */
  readonly alsoElsewhere: number;
  /** Number of texts skipped, because there were too many. */
  readonly notSearched: number;
  readonly findings: readonly ForgetFinding[];
}

/**
 * A step of a forgetting that failed because of a defect and was replaced by a simpler one. Nothing forgotten remains
 * because of it. `removing`: rewritten profiles have no vectors, or everything derived in the scope was removed,
 * including corrections and given facts, and all turns are read again. `checking`: the proof is missing. `rederiving`:
 * turns that were read beside forgotten ones wait to be read again. `hierarchy`: categories have no name until the next
 * update. The last two belong to the second phase, which logs them.
 */
export interface ForgetFallback {
  readonly step: 'removing' | 'checking' | 'rederiving' | 'hierarchy';
  /** Never contains the user's text. */
  readonly reason: string;
}

/**
 * The result of the first phase of a forgetting: what was forgotten is gone, and what stood beside it is withheld until
 * the second phase has derived it again, which `settle` waits for. `proof` covers what memory holds; `onDisk` covers the
 * files.
 */
export interface ForgetReport {
  readonly target: ForgetTargetKind;
  /** Removed rows, by kind. */
  readonly removed: RemovedCounts;
  /** Number of new tombstones, which reject the forgotten turns if they are added again. */
  readonly tombstones: number;
  /**
   * Number of remaining turns that wait to be read again: in the local tier the second phase does it, in the background.
   */
  readonly reread: number;
  /** Number of remaining turns that quote removed ones. */
  readonly alsoSaid: number;
  readonly proof: ForgetProof;
  /** Empty unless something failed. */
  readonly fallbacks: readonly ForgetFallback[];
  /** Files keep removed rows until `compact`, the tables of a database server until its VACUUM FULL. */
  readonly onDisk: 'needs compact' | 'needs vacuum' | 'nothing on disk';
  readonly seconds: number;
}

/**
 * Progress of the first phase of a forgetting: removing turns (`removing`), searching for remaining text (`checking`).
 * In each step `done` and `total` count turns to remove. The event `done` is the last.
 */
export type ForgetEvent =
  | {
      readonly type: 'progress';
      readonly step: 'removing' | 'checking';
      readonly done: number;
      readonly total: number;
    }
  | ({ readonly type: 'done' } & ForgetReport);
