import type { Categorizer } from '../../hierarchy/categorizer.ts';
import { checkedCategorizer } from '../../hierarchy/checked-categorizer.ts';
import { LlmCategorizer } from '../../hierarchy/llm/llm-categorizer.ts';
import { LocalCategorizer } from '../../hierarchy/local/local-categorizer.ts';
import { HIERARCHY_SETTINGS } from '../../hierarchy/settings.ts';
import { sharedNounTaxonomy } from '../../inference/taxonomy/noun-taxonomy.ts';
import type { HierarchySetup, IngestSettings } from '../engine-context.ts';
import type { OpenOptions } from '../open-options.ts';

let local: Promise<LocalCategorizer> | null = null;

/**
 * One for all engines of the process: it takes a second to load, never changes, and remembers numbers of the taxonomy
 * alone, nothing of a memory.
 */
function localCategorizer(): Promise<LocalCategorizer> {
  local ??= sharedNounTaxonomy()
    .then((taxonomy) => new LocalCategorizer(taxonomy))
    .catch((error: unknown) => {
      local = null;
      throw error;
    });
  return local;
}

/** Who groups entities into categories, as the ingest profile has it; the noun taxonomy is read when it is first needed. */
export function hierarchySetup(
  { categorizer, languageModel }: Pick<OpenOptions, 'categorizer' | 'languageModel'>,
  { profile }: Pick<IngestSettings, 'profile'>,
): HierarchySetup {
  let made: Promise<Categorizer> | null = null;
  const byModel = profile.hierarchy === 'model' && languageModel !== undefined;
  const make = async (): Promise<Categorizer> => {
    if (categorizer !== undefined) return checkedCategorizer(categorizer);
    return byModel ? new LlmCategorizer(languageModel) : localCategorizer();
  };
  return {
    settings: HIERARCHY_SETTINGS,
    isAutomatic: profile.hierarchy !== 'never',
    categorizer: () => {
      made ??= make().catch((error: unknown) => {
        made = null;
        throw error;
      });
      return made;
    },
  };
}
