import type { ModelCallOptions } from '../../inference/language-model.ts';
import type { RecalledTexts } from '../admit/recalled-texts.ts';
import type { IngestContext } from '../ingest-context.ts';
import type { IngestProfile } from '../profile.ts';
import type { IngestStages } from '../stages.ts';

/** What consolidation of one scope works with: an index and the embedder of its vectors, and the profile's stages. */
export interface ConsolidationContext extends IngestContext {
  readonly profile: IngestProfile;
  readonly stages: IngestStages;
  /** What memory may have given out. */
  readonly recalled: RecalledTexts;
  readonly calls: ModelCallOptions;
}
