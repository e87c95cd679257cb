import type { UpdateHierarchy } from '../../edit/forget/records.ts';
import { CancelledError } from '../../errors/index.ts';
import { LlmCategorizer } from '../../hierarchy/categorize/llm/llm-categorizer.ts';
import type { LocalCategorizer } from '../../hierarchy/categorize/local/local-categorizer.ts';
import { type Categorizer, checkedCategorizer } from '../../hierarchy/categorizer.ts';
import { FEWEST_BELOW, HIERARCHY_SETTINGS } from '../../hierarchy/defaults.ts';
import { sharedNounTaxonomy } from '../../inference/taxonomy/noun-taxonomy.ts';
import type { HierarchySetup, IngestSettings } from '../engine-context.ts';
import type { OpenOptions } from '../open-options.ts';
import { ScopeInHand } from '../writable-scope.ts';
import { HierarchyUpdates } from './hierarchy-updates.ts';

let local: Promise<LocalCategorizer> | null = null;

/**
 * Shared by all engines of the process: it takes a second to load, never changes, and caches only numbers of the
 * taxonomy, nothing of a memory.
 */
function localCategorizer(): Promise<LocalCategorizer> {
  local ??= loadLocalCategorizer().catch((error: unknown) => {
    local = null;
    throw error;
  });
  return local;
}

async function loadLocalCategorizer(): Promise<LocalCategorizer> {
  const module = await import('../../hierarchy/categorize/local/local-categorizer.ts');
  return new module.LocalCategorizer(await sharedNounTaxonomy());
}

/** The categorizer of the ingest profile; the noun taxonomy is loaded on first use. */
export function hierarchySetup(
  { categorizer, languageModel }: Pick<OpenOptions, 'categorizer' | 'languageModel'>,
  { profile }: Pick<IngestSettings, 'profile'>,
): HierarchySetup {
  let made: Promise<Categorizer> | null = null;
  const byModel = categorizer === undefined && profile.hierarchy === 'model' && languageModel !== undefined;
  const make = async (): Promise<Categorizer> => {
    if (categorizer !== undefined) return checkedCategorizer(categorizer);
    return byModel ? new LlmCategorizer(languageModel) : localCategorizer();
  };
  return {
    settings: byModel ? { ...HIERARCHY_SETTINGS, fewestBelow: FEWEST_BELOW } : HIERARCHY_SETTINGS,
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

/**
 * Updates the categories after a forgetting, while no other writer runs. It calls no model: nodes that lost their
 * place or name wait for the next update. They also wait if the categorizer fails; the forgetting itself is complete.
 */
export function updateAfterForgetting({ settings, categorizer }: HierarchySetup): UpdateHierarchy {
  return async (context, { signal }) => {
    const failure: { error?: unknown } = {};
    const noting = async (): Promise<Categorizer> => noteFailure(await categorizer(), failure);
    try {
      if ((await noting()).nodesAtOnce !== null) return;
      const setup = { settings, categorizer: noting, isAutomatic: false };
      await new HierarchyUpdates(new ScopeInHand(context), setup).organize({ signal });
    } catch (error) {
      if (CancelledError.isInstance(error) || failure.error !== error) throw error;
    }
  };
}

function noteFailure(categorizer: Categorizer, failure: { error?: unknown }): Categorizer {
  return {
    name: categorizer.name,
    nodesAtOnce: categorizer.nodesAtOnce,
    async categorize(request, calls) {
      try {
        return await categorizer.categorize(request, calls);
      } catch (error) {
        failure.error = error;
        throw error;
      }
    },
  };
}
