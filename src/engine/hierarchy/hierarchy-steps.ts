import { randomUUID } from 'node:crypto';
import type { HierarchySteps } from '../../../graphs/hierarchy/nodes.ts';
import { CancelledError, InvalidInputError } from '../../errors/index.ts';
import type { Categorization, Categorizer } from '../../hierarchy/categorizer.ts';
import type { HierarchySettings } from '../../hierarchy/defaults.ts';
import type { HierarchyContext } from '../../hierarchy/hierarchy-context.ts';
import type { HierarchyCounts } from '../../hierarchy/maintain/draft-changes.ts';
import { HierarchyDraft } from '../../hierarchy/maintain/hierarchy-draft.ts';
import {
  cursorAfter,
  hasRequest,
  type LayerStep,
  type UpdateMode,
} from '../../hierarchy/maintain/layer-step.ts';
import { planStep, sizesOfLarge } from '../../hierarchy/maintain/plan-step.ts';
import { stepRequest } from '../../hierarchy/maintain/step-request.ts';
import { hasChanges, workStep } from '../../hierarchy/maintain/work-step.ts';
import { NO_MODEL_USAGE } from '../../inference/language-model/tokens/usage-meter.ts';
import type { ModelCallOptions } from '../../inference/language-model.ts';
import { lastForgetting } from '../../ingest/corrections/tombstones.ts';
import type { IngestContext } from '../../ingest/ingest-context.ts';
import { embedNodes } from '../../ingest/write/embed-nodes.ts';
import { breathe } from '../../util/breathe.ts';
import type { WritableScope } from '../writable-scope.ts';
import { type HierarchyDesk, stepKey } from './hierarchy-desk.ts';

interface StepsOptions {
  readonly settings: HierarchySettings;
  readonly desk: HierarchyDesk;
  /** For all calls; those of one call come first. */
  readonly calls: ModelCallOptions;
  readonly categorizerFor: (mode: UpdateMode) => Promise<Categorizer>;
  /** Called with the notes of each reply. */
  readonly onReply?: (reply: Categorization) => void;
  /** Called with the counts of each commit. */
  readonly onCommit?: (step: LayerStep, counts: HierarchyCounts) => void;
}

const CATEGORIES_WAIT =
  'A forgetting is not complete yet, and categories may be named after what it will remove. They were not changed; run "mnemis maintain" first';

const NOTHING_PROPOSED: Categorization = { categories: [], notes: [], usage: NO_MODEL_USAGE };

/**
 * The steps of the hierarchy graph over one scope. Each step reads memory again, because other writers run in between,
 * and needs no other step of the same process before it.
 */
export function hierarchySteps(
  scope: WritableScope,
  { settings, desk, calls, categorizerFor, onReply, onCommit }: StepsOptions,
): HierarchySteps {
  /** Asks unless the desk has the reply. Null if the reply could not be used any more. */
  async function replyTo(step: LayerStep, given: ModelCallOptions) {
    const context = await readCategories(scope);
    // The reply may contain text that was forgotten since the step was planned.
    if (lastForgetting(context.index) !== step.forgotten) return null;
    const categorizer = await categorizerFor(step.mode);
    const key = stepKey(step, categorizer.name);
    const gathered = desk.gathered(step.gathered);
    if (gathered === undefined) return null;
    const known = desk.reply(key);
    if (known !== undefined) return { key, gathered, reply: known, isNew: false };
    const { nodesAtOnce } = categorizer;
    const { index, newId } = context;
    const request =
      desk.takeRequest(key) ??
      stepRequest(HierarchyDraft.of(index, newId), step, { settings, gathered, nodesAtOnce });
    const merged = merge(calls, given);
    const reply = request === null ? NOTHING_PROPOSED : await categorizer.categorize(request, merged);
    desk.keepReply(key, reply);
    onReply?.(reply);
    return { key, gathered, reply, isNew: true };
  }

  return {
    // A rebuild splits large categories as a first build does.
    begin: async (mode) => ({
      run: randomUUID(),
      sizes: mode === 'rebuild' ? {} : sizesOfLarge((await readCategories(scope)).index.hierarchy, settings),
    }),

    async plan(options, given) {
      const { signal } = merge(calls, given);
      if (signal?.aborted) throw new CancelledError('what was placed is kept', signal.reason);
      const context = await readCategories(scope);
      const categorizer = await categorizerFor(options.mode);
      const gathered = desk.gathered(options.cursor?.gathered ?? null);
      const { step, request } = planStep({ ...context, settings }, categorizer, {
        ...options,
        // The layer begins again if its proposals were dropped.
        cursor: gathered === undefined ? null : options.cursor,
        gathered: gathered ?? [],
        forgotten: lastForgetting(context.index),
      });
      desk.offer(stepKey(step, categorizer.name), request);
      return step;
    },

    async categorize(step, given) {
      const replied = await replyTo(step, given);
      if (replied === null) return null;
      const { reply, isNew } = replied;
      return isNew ? reply : { ...reply, usage: NO_MODEL_USAGE };
    },

    async commit(step, given) {
      const replied = hasRequest(step) ? await replyTo(step, given) : null;
      if (hasRequest(step) && replied === null) return null;
      const { name: categorizer, nodesAtOnce } = await categorizerFor(step.mode);
      const usage = replied?.isNew ? replied.reply.usage : NO_MODEL_USAGE;
      // A rebuild replaces the old groups of a layer in one commit, not piece by piece.
      if (step.mode === 'rebuild' && step.kind === 'place' && step.left > 0) {
        const gathered = desk.gather(step, replied!.key, replied!.reply);
        return { cursor: cursorAfter(step, gathered), written: null, usage };
      }
      const categories = replied && [...replied.gathered, ...replied.reply.categories];
      const whole = nodesAtOnce === null || step.mode === 'rebuild';
      const written = await scope.write(async (context) => {
        if (lastForgetting(context.index) !== step.forgotten) return null;
        const work = { step, categories, whole, categorizer };
        const worked = await workStep(hierarchyContext(context, settings), work);
        if (worked === null) return null;
        const { changes, ...result } = worked;
        if (hasChanges(changes)) {
          await context.index.prepare(changes);
          await context.store.commit(context.scope, changes);
          await breathe(); // searches see the state before the commit
          context.index.apply(changes);
          await breathe();
        }
        return { changes, result };
      });
      if (written === null) return null;
      if (hasChanges(written.changes)) await scope.committed(written.changes);
      onCommit?.(step, written.result.counts);
      return { cursor: step.closes ? null : cursorAfter(step, null), written: written.result, usage };
    },
  };
}

function merge(all: ModelCallOptions, given: ModelCallOptions): ModelCallOptions {
  const signals = [all.signal, given.signal].filter((signal) => signal !== undefined);
  return {
    signal: signals.length > 1 ? AbortSignal.any(signals) : signals[0],
    budget: given.budget ?? all.budget,
    meter: given.meter ?? all.meter,
  };
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
