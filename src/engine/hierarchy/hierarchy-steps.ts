import type { HierarchySteps } from '../../../graphs/hierarchy/nodes.ts';
import { CancelledError } from '../../errors/index.ts';
import type { Categorizer } from '../../hierarchy/categorizer.ts';
import type { HierarchyCounts } from '../../hierarchy/draft-changes.ts';
import type { HierarchyContext } from '../../hierarchy/hierarchy-context.ts';
import { type LayerStep, planStep, sizesOfLarge } from '../../hierarchy/plan-step.ts';
import type { HierarchySettings } from '../../hierarchy/settings.ts';
import { hasChanges, workStep } from '../../hierarchy/work-step.ts';
import type { ModelCallOptions } from '../../inference/language-model.ts';
import { lastForgetting } from '../../ingest/corrections/tombstones.ts';
import type { IngestContext } from '../../ingest/ingest-context.ts';
import { embedNodes } from '../../ingest/write/embed-nodes.ts';
import type { GraphChanges } from '../../model/graph-changes.ts';
import { breathe } from '../../util/breathe.ts';

/** What keeping the hierarchy needs of the scope that it works on. */
export interface HierarchyAccess {
  readonly settings: HierarchySettings;
  readonly categorizer: () => Promise<Categorizer>;
  read(): Promise<IngestContext>;
  /** Runs a job while nobody else writes. */
  write<T>(job: (context: IngestContext) => Promise<T>): Promise<T>;
  /** Told of each commit. */
  committed(changes: GraphChanges): Promise<void>;
}

export interface StepsOptions {
  readonly calls: ModelCallOptions;
  /** Told what each commit brought. */
  readonly onCommit: (plan: LayerStep, counts: HierarchyCounts) => void;
}

/** The steps of one run of the hierarchy graph over one scope. Each reads memory anew, since others write beside it. */
export function hierarchySteps(access: HierarchyAccess, { calls, onCommit }: StepsOptions): HierarchySteps {
  const { settings } = access;
  return {
    // What is built anew is split as in a first build.
    begin: async (mode) =>
      mode === 'rebuild' ? {} : sizesOfLarge((await access.read()).index.hierarchy, settings),

    async plan(options) {
      if (calls.signal?.aborted) throw new CancelledError('what was placed is kept', calls.signal.reason);
      const context = await access.read();
      const plan = planStep({ ...context, settings }, await access.categorizer(), options);
      return { ...plan, forgotten: lastForgetting(context.index) };
    },

    categorize: async (request) => (await access.categorizer()).categorize(request, calls),

    async commit(work) {
      const { name: categorizer, nodesAtOnce } = await access.categorizer();
      const written = await access.write(async (context) => {
        // What was proposed may speak of what is forgotten now.
        if (lastForgetting(context.index) !== work.plan.forgotten) return null;
        const step = { ...work, whole: nodesAtOnce === null || work.mode === 'rebuild', categorizer };
        const { changes, ...result } = await workStep(hierarchyContext(context, settings), step);
        if (hasChanges(changes)) {
          await context.index.prepare(changes);
          await context.store.commit(context.scope, changes);
          await breathe(); // as while the database writes, searches see what was before
          context.index.apply(changes);
          await breathe();
        }
        return { changes, result };
      });
      if (written === null) return null;
      if (hasChanges(written.changes)) await access.committed(written.changes);
      onCommit(work.plan, written.result.counts);
      return written.result;
    },
  };
}

export function hierarchyContext(context: IngestContext, settings: HierarchySettings): HierarchyContext {
  return {
    ...context,
    settings,
    embed: (profile) => embedNodes(context, { profile }, undefined),
  };
}
