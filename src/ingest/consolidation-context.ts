import type { ModelCallOptions } from '../inference/language-model.ts';
import type { Episode } from '../model/nodes.ts';
import { offsetIn } from '../util/speaker-clock.ts';
import type { RecalledTexts } from './admit/recalled-texts.ts';
import type { TurnToRead } from './extract/extractor.ts';
import type { CheckedReading } from './extract/segment-reader.ts';
import type { IngestContext } from './ingest-context.ts';
import type { IngestProfile } from './profile.ts';
import type { ResolvedNames } from './resolve/resolved-entities.ts';
import type { Trigger } from './segment/plan-units.ts';
import type { IngestStages } from './stages.ts';

/**
 * Whether the reader has succeeded before. A reader that rejects every request may be misconfigured, so its first
 * errors are not blamed on the turns.
 */
export interface ReaderHealth {
  hasRead: boolean;
  /** Whether it has in the present run: then the server works, and a unit that fails is itself the cause. */
  hasReadInRun: boolean;
}

/** What consolidation of one scope needs: the ingest context, the profile and its stages. */
export interface ConsolidationContext extends IngestContext {
  readonly profile: IngestProfile;
  readonly stages: IngestStages;
  /** Texts that memory may have returned. */
  readonly recalled: RecalledTexts;
  /** State of the reader; kept between runs. */
  readonly health: ReaderHealth;
  readonly calls: ModelCallOptions;
}

/** Consecutive turns of one session that become one segment. */
export interface PlannedUnit {
  readonly session: string;
  readonly trigger: Trigger;
  /** In order; all pending. */
  readonly episodes: readonly Episode[];
}

export interface ReadUnit extends PlannedUnit {
  readonly reading: CheckedReading;
  /** The entities of names that were resolved before it was read. Absent: none was. */
  readonly resolved?: ResolvedNames;
}

/** A unit that no stage could read. It is set aside with the reason. */
export interface FailedUnit extends PlannedUnit {
  /** The `code` of the error. */
  readonly code: string;
  /** Names the failure, never text of the turns. */
  readonly reason: string;
  readonly attempts: number;
}

export function turnToRead(episode: Episode): TurnToRead {
  const { content, speaker, role, source, validAt, attachments } = episode;
  const offset = offsetIn(episode);
  return { content, speaker, role, source, validAt, ...(offset === 0 ? {} : { offset }), attachments };
}
