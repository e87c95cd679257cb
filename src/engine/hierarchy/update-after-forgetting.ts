import type { UpdateHierarchy } from '../../edit/forget/forgetting.ts';
import { CancelledError } from '../../errors/index.ts';
import type { Categorizer } from '../../hierarchy/categorizer.ts';
import type { HierarchySetup } from '../engine-context.ts';
import { HierarchyKeeper } from './hierarchy-keeper.ts';

/**
 * Puts the categories in order once rows are gone, while nobody else writes. A model is not asked then: what lost its
 * place or its name waits for the next time that the hierarchy is brought up to date. So it does when a categorizer
 * fails: what was to be forgotten is gone all the same.
 */
export function updateAfterForgetting({ settings, categorizer }: HierarchySetup): UpdateHierarchy {
  return async (context, { signal }) => {
    const failure: { error?: unknown } = {};
    const noting = async (): Promise<Categorizer> => noteFailure(await categorizer(), failure);
    try {
      if ((await noting()).nodesAtOnce !== null) return;
      const keeper = new HierarchyKeeper({
        settings,
        categorizer: noting,
        read: async () => context,
        write: (job) => job(context),
        committed: async () => undefined,
      });
      await keeper.organize({ signal });
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
