import type { ModelCallOptions } from '../inference/language-model.ts';
import type { Episode } from '../model/nodes.ts';
import type { RecalledTexts } from './admit/recalled-texts.ts';
import type { TurnToRead } from './extract/extractor.ts';
import type { CheckedReading } from './extract/segment-reader.ts';
import type { IngestContext } from './ingest-context.ts';
import type { IngestProfile } from './profile.ts';
import type { Trigger } from './segment/plan-units.ts';
import type { IngestStages } from './stages.ts';

/** Whether it has ever read something: what it refuses before that, it would refuse of any turns. */
export interface ReaderHealth {
  hasRead: boolean;
}

/** What consolidation of one scope works with: an index and the embedder of its vectors, and the profile's stages. */
export interface ConsolidationContext extends IngestContext {
  readonly profile: IngestProfile;
  readonly stages: IngestStages;
  /** What memory may have given out. */
  readonly recalled: RecalledTexts;
  /** Of whoever reads; kept from run to run. */
  readonly health: ReaderHealth;
  readonly calls: ModelCallOptions;
}

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
