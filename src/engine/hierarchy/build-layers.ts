import { CancelledError, InvalidInputError } from '../../errors/index.ts';
import type {
  Categorization,
  CategorizeRequest,
  Categorizer,
  ProposedCategory,
} from '../../hierarchy/categorizer.ts';
import type { HierarchySettings } from '../../hierarchy/defaults.ts';
import type { HierarchyContext } from '../../hierarchy/hierarchy-context.ts';
import type { HierarchyCounts } from '../../hierarchy/maintain/draft-changes.ts';
import { HierarchyDraft } from '../../hierarchy/maintain/hierarchy-draft.ts';
import {
  cursorAfter,
  hasRequest,
  type LayerCursor,
  type LayerStep,
  type UpdateMode,
} from '../../hierarchy/maintain/layer-step.ts';
import {
  type PlannedStep,
  planStep,
  type StepOptions,
  sizesOfLarge,
} from '../../hierarchy/maintain/plan-step.ts';
import { stepRequest } from '../../hierarchy/maintain/step-request.ts';
import { hasChanges, type StepResult, workStep } from '../../hierarchy/maintain/work-step.ts';
import { NO_MODEL_USAGE } from '../../inference/language-model/tokens/usage-meter.ts';
import type { ModelCallOptions } from '../../inference/language-model.ts';
import { lastForgetting } from '../../ingest/corrections/tombstones.ts';
import type { IngestContext } from '../../ingest/ingest-context.ts';
import { embedNodes } from '../../ingest/write/embed-nodes.ts';
import type { HierarchyEnd } from '../../model/nodes.ts';
import { breathe } from '../../util/breathe.ts';
import { AT_ONCE, type WritableScope } from '../writable-scope.ts';

/** A run over the hierarchy of a scope. Each step reads memory again, because other writers run in between. */
export interface HierarchyBuild {
  readonly scope: WritableScope;
  readonly settings: HierarchySettings;
  readonly categorizer: Categorizer;
  readonly calls: ModelCallOptions;
}

/** What a run reports while it works. */
export interface BuildListener {
  /** Called with each reply of the categorizer. */
  readonly onReply: (reply: Categorization) => void;
  /** Called with the counts of each commit. */
  readonly onCommit: (step: LayerStep, counts: HierarchyCounts) => void;
}

type Proposals = readonly ProposedCategory[];

const CATEGORIES_WAIT =
  'A forgetting is not complete yet, and categories may be named after what it will remove. They were not changed; run "mnemis maintain" first';

const NOTHING_PROPOSED: Categorization = { categories: [], notes: [], usage: NO_MODEL_USAGE };

/**
 * Builds and updates the layers from the bottom, until a rule stops further ones (Mnemis §2.2): plans a step, asks the
 * categorizer if the step has a request, commits. Returns the rule; null if too little had changed for another layer.
 */
export async function buildLayers(
  build: HierarchyBuild,
  { run, mode }: Pick<StepOptions, 'run' | 'mode'>,
  { onReply, onCommit }: BuildListener,
): Promise<HierarchyEnd | null> {
  let sizes = await sizesAtStart(build, mode);
  let cursor: LayerCursor | null = null;
  let gathered: Proposals = [];
  for (let layer = 1; ; ) {
    const { step, request } = await planLayerStep(build, { run, layer, mode, cursor, sizes, gathered });
    if (step.kind === 'skip') return null;
    if (step.after === null) gathered = []; // the layer begins, or begins again
    let categories: Proposals | null = null;
    if (hasRequest(step)) {
      const reply = await askCategorizer(build, request);
      onReply(reply);
      categories = [...gathered, ...reply.categories];
      if (waitsForLayer(step)) {
        cursor = cursorAfter(step, null);
        gathered = categories;
        continue;
      }
    }
    const written = await commitStep(build, step, categories);
    gathered = [];
    cursor = written === null || step.closes ? null : cursorAfter(step, null);
    if (written === null) continue;
    onCommit(step, written.counts);
    if (written.stoppedBy !== null) return written.stoppedBy;
    const { category } = step;
    if (category !== null) sizes = { ...sizes, [category.id]: category.children };
    if (step.closes) layer += 1;
  }
}

/** Child counts of the categories that an earlier run offered for splitting; a rebuild splits as a first build does. */
export async function sizesAtStart(
  { scope, settings }: Pick<HierarchyBuild, 'scope' | 'settings'>,
  mode: UpdateMode,
): Promise<StepOptions['sizes']> {
  return mode === 'rebuild' ? {} : sizesOfLarge((await readCategories(scope)).index.hierarchy, settings);
}

/** Plans the next step of a layer. @throws CancelledError */
export async function planLayerStep(
  { scope, settings, categorizer, calls: { signal } }: HierarchyBuild,
  options: Omit<StepOptions, 'forgotten'>,
): Promise<PlannedStep> {
  if (signal?.aborted) throw new CancelledError('what was placed is kept', signal.reason);
  const context = await readCategories(scope);
  const forgotten = lastForgetting(context.index);
  return planStep({ ...context, settings }, categorizer, { ...options, forgotten });
}

/** What the categorizer is asked in a step, computed from memory as it is now. */
export function requestOf(
  { settings, categorizer: { nodesAtOnce } }: HierarchyBuild,
  { index, newId }: IngestContext,
  { step, gathered }: { readonly step: LayerStep; readonly gathered: Proposals },
): CategorizeRequest | null {
  return stepRequest(HierarchyDraft.of(index, newId), step, { settings, gathered, nodesAtOnce });
}

/** @param request Null if there is nothing to ask. */
export async function askCategorizer(
  { categorizer, calls }: HierarchyBuild,
  request: CategorizeRequest | null,
): Promise<Categorization> {
  return request === null ? NOTHING_PROPOSED : categorizer.categorize(request, calls);
}

/** A rebuild replaces the old groups of a layer in one commit, not piece by piece. */
export function waitsForLayer({ mode, kind, left }: LayerStep): boolean {
  return mode === 'rebuild' && kind === 'place' && left > 0;
}

/**
 * Writes a step in one transaction. Null, and nothing is written, if the step is out of date: the layer begins again.
 *
 * @param categories All proposals for it; null if the categorizer was not asked.
 */
export async function commitStep(
  { scope, settings, categorizer: { name, nodesAtOnce } }: HierarchyBuild,
  step: LayerStep,
  categories: Proposals | null,
): Promise<Omit<StepResult, 'changes'> | null> {
  const whole = nodesAtOnce === null || step.mode === 'rebuild';
  const written = await scope.write(async (context) => {
    // A reply from before a forgetting may contain what was forgotten.
    if (lastForgetting(context.index) !== step.forgotten) return null;
    const work = { step, categories, whole, categorizer: name };
    const worked = await workStep(hierarchyContext(context, settings), work);
    if (worked === null || !hasChanges(worked.changes)) return worked;
    const { changes } = worked;
    await context.index.prepare(changes);
    await context.store.commit(context.scope, changes);
    await breathe(); // searches see the state before the commit
    context.index.apply(changes);
    await breathe();
    return worked;
  }, AT_ONCE);
  if (written === null) return null;
  const { changes, ...result } = written;
  if (hasChanges(changes)) await scope.committed(changes);
  return result;
}

/** @throws InvalidInputError while rows are hidden that a forgetting could not remove yet. */
export async function readCategories(scope: WritableScope): Promise<IngestContext> {
  const context = await scope.read();
  if (scope.isHiding) throw new InvalidInputError(CATEGORIES_WAIT);
  return context;
}

export function hierarchyContext(context: IngestContext, settings: HierarchySettings): HierarchyContext {
  return {
    ...context,
    settings,
    embed: (profile) => embedNodes(context, { profile }, undefined),
  };
}
