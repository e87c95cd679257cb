import type { Episode } from '../../model/nodes.ts';
import type { TurnToRead } from '../extractor.ts';
import type { Trigger } from '../segment/plan-units.ts';
import type { CheckedReading } from '../segment-reading.ts';

/** Consecutive turns of one session that become one segment. */
export interface PlannedUnit {
  readonly session: string;
  readonly trigger: Trigger;
  /** In order; all of them pending. */
  readonly episodes: readonly Episode[];
}

export interface ReadUnit extends PlannedUnit {
  readonly reading: CheckedReading;
}

/** A unit that no stage could read: it is set aside with its reason. */
export interface FailedUnit extends PlannedUnit {
  /** The `code` of the error. */
  readonly code: string;
  /** Names the failure, never what stood in the turns. */
  readonly reason: string;
  readonly attempts: number;
}

export function turnToRead({ content, speaker, role, validAt, attachments }: Episode): TurnToRead {
  return { content, speaker, role, validAt, attachments };
}
