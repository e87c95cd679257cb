import { InvalidInputError } from '../../errors/index.ts';
import type { LanguageModel } from '../../inference/language-model.ts';
import {
  DEFAULT_LLM_PROFILE,
  DEFAULT_LOCAL_PROFILE,
  type IngestProfile,
  profileNamed,
} from '../../ingest/profile.ts';
import { type IngestStages, stagesOf } from '../../ingest/stages.ts';

/** How turns are read: a profile and what runs its stages. */
export interface IngestionSetup {
  readonly profile: IngestProfile;
  readonly stages: IngestStages;
}

/** What a run of the graph may choose in place of the memory's own profile. */
export interface SetupChoice {
  readonly profile?: IngestProfile | undefined;
  /** `local`: rules only. Default: the tier of the profile. */
  readonly tier?: 'local' | 'llm' | undefined;
  /** For profiles of tier `llm`. Default: the memory's own. */
  readonly languageModel?: LanguageModel | undefined;
}

/** @throws InvalidInputError if profile and tier contradict each other, or a language model is missing. */
export function setupFor(own: IngestionSetup, choice: SetupChoice): IngestionSetup {
  const { tier = choice.profile?.tier ?? own.profile.tier, languageModel: model } = choice;
  const usual = tier === own.profile.tier ? own.profile : defaultOf(tier);
  const { profile = usual } = choice;
  if (profile.tier !== tier)
    throw new InvalidInputError(`The ingest profile ${JSON.stringify(profile.name)} is not of tier ${tier}`);
  const stages = profile.name === own.profile.name ? own.stages : stagesOf(profile, { model });
  return { profile, stages };
}

function defaultOf(tier: 'local' | 'llm'): IngestProfile {
  return profileNamed(tier === 'local' ? DEFAULT_LOCAL_PROFILE : DEFAULT_LLM_PROFILE);
}
