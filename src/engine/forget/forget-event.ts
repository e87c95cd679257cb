import type { RemovedCounts } from '../../ingest/forget/removal.ts';
import type { CallOptions } from '../call-options.ts';
import type { ForgetTargetKind } from './forget-detail.ts';

export interface ForgetOptions extends CallOptions {
  /** Who wants it, for the record. Default: `user`. */
  readonly author?: string;
}

/** A turn that would go. */
export interface ForgetExample {
  readonly id: string;
  readonly session: string;
  /** ISO 8601. */
  readonly at: string;
  /** At most 120 characters of what was said. */
  readonly text: string;
}

export interface ForgetPreview {
  readonly target: ForgetTargetKind;
  /** Rows that would go, by kind; profiles that would be written anew count as well. */
  readonly counts: RemovedCounts;
  /** Every turn that would go, in all its versions: `forget({ episodes })` takes exactly these. */
  readonly episodes: readonly string[];
  /** At most 5. */
  readonly examples: readonly ForgetExample[];
  /** Entities that nothing that stays would speak of. */
  readonly vanishing: readonly { readonly id: string; readonly name: string }[];
  /** Turns that stay and would be read again, since they were read together with some that go. */
  readonly reread: number;
}

/** Where a forgotten text still is; never the text. */
export interface ForgetFinding {
  readonly holder: string;
  readonly where: string;
  /** How many of the texts. */
  readonly texts: number;
}

/** Whether memory still holds what was forgotten, looked for in everything that holds text. */
export interface ForgetProof {
  readonly clean: boolean;
  /** Texts that were looked for. */
  readonly searched: number;
  /** Texts left out, because what stays says the same. */
  readonly alsoElsewhere: number;
  /** Texts left out because there were too many. */
  readonly notSearched: number;
  readonly findings: readonly ForgetFinding[];
}

export interface ForgetReport {
  readonly target: ForgetTargetKind;
  /** Rows that are gone, by kind. */
  readonly removed: RemovedCounts;
  /** New tombstones, which keep what was forgotten from coming back. */
  readonly tombstones: number;
  /** Turns that stay and wait to be read again. */
  readonly reread: number;
  readonly proof: ForgetProof;
  /** The files of a memory keep removed rows until `compact`. */
  readonly onDisk: 'needs compact' | 'nothing on disk';
  readonly seconds: number;
}

export type ForgetEvent =
  | {
      readonly type: 'progress';
      readonly step: 'removing' | 'checking' | 'rederiving';
      readonly done: number;
      readonly total: number;
    }
  | ({ readonly type: 'done' } & ForgetReport);
