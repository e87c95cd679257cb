import type { CopyDifference } from '../../errors/index.ts';
import type { Scope } from '../../model/ids.ts';

/**
 * `done` of `total` rows and relationships are copied or compared; `scope` is in progress. The first step copies, the
 * second reads both memories again and compares them. `total` grows if the source is written to meanwhile. `seconds`
 * is the time since the start.
 */
export interface CopyProgress {
  readonly type: 'progress';
  readonly step: 'copy' | 'verify';
  readonly scope: Scope;
  readonly done: number;
  readonly total: number;
  readonly seconds: number;
}

/** What both memories hold. */
interface ComparedCounts {
  readonly scopes: number;
  /** Rows of the source. */
  readonly rows: number;
  /** Relationships of the source. */
  readonly relationships: number;
  readonly seconds: number;
}

/** Progress of `copyMemory`; `done` comes last, after both memories were compared and found equal. */
export type CopyEvent = CopyProgress | CopyResult;

export interface CopyResult extends ComparedCounts {
  readonly type: 'done';
  /** Rows and relationships that this call wrote; the others were there already. */
  readonly copied: number;
  /** Rows and relationships that the source had changed since they were copied. */
  readonly updated: number;
  /** Rows and relationships that the source had removed since they were copied. */
  readonly removed: number;
}

/** Progress of `compareMemories`; `done` comes last. */
export type CompareEvent = CopyProgress | CompareResult;

export interface CompareResult extends ComparedCounts {
  readonly type: 'done';
  /** Whether all rows and relationships are equal, and the embedder. */
  readonly equal: boolean;
  /** Whether the copy is still marked as unfinished. */
  readonly unfinished: boolean;
  readonly sameEmbedder: boolean;
  readonly differences: readonly CopyDifference[];
}
