import type { ModelCallOptions } from '../../inference/language-model.ts';
import type { RecalledTexts } from '../admit/recalled-texts.ts';
import type { IngestContext } from '../ingest-context.ts';
import type { IngestProfile } from '../profile.ts';
import type { IngestStages } from '../stages.ts';

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
