import type { Categorization } from '../../src/hierarchy/categorizer.ts';
import type { HierarchyCounts } from '../../src/hierarchy/maintain/draft-changes.ts';
import type { LayerCursor, LayerStep, UpdateMode } from '../../src/hierarchy/maintain/layer-step.ts';
import { type StepOptions, shownNames } from '../../src/hierarchy/maintain/plan-step.ts';
import type { StepResult } from '../../src/hierarchy/maintain/work-step.ts';
import { TokenBudget } from '../../src/inference/language-model/calling/token-budget.ts';
import { plusUsage } from '../../src/inference/language-model/tokens/plus-usage.ts';
import type { ModelUsage } from '../../src/inference/language-model/tokens/usage-meter.ts';
import type { ModelCallOptions } from '../../src/inference/language-model.ts';
import { NO_USAGE } from '../../src/model/retrieved-item.ts';
import { type RunConfig, readContext, scopeOf } from '../run-context.ts';
import { type HierarchyState, hierarchyContextSchema } from './state.ts';

type State = HierarchyState;
type Update = Partial<HierarchyState>;

/**
 * The operations on one scope that the graph needs, each with the signal and the budget of its node. The engine passes
 * them per run; Studio supplies a closure. All take and return small plain values.
 */
export interface HierarchySteps {
  /** A new id for the run, and the child counts of the categories that an earlier run already offered for splitting. */
  begin(
    mode: UpdateMode,
  ): Promise<{ readonly run: string; readonly sizes: Readonly<Record<string, number>> }>;
  plan(options: Omit<StepOptions, 'forgotten' | 'gathered'>, calls: ModelCallOptions): Promise<LayerStep>;
  /**
   * Asks the categorizer and keeps the reply for `commit`. `usage` is what this call cost: nothing if the reply was
   * known. Null if the step is out of date.
   */
  categorize(step: LayerStep, calls: ModelCallOptions): Promise<Categorization | null>;
  /** Writes the result of a step; asks again if the reply was not kept. */
  commit(step: LayerStep, calls: ModelCallOptions): Promise<CommittedStep | null>;
}

/** `commit` returns null, and writes nothing, if the step is out of date: the layer begins again. */
export interface CommittedStep {
  /** Null if the layer is complete. */
  readonly cursor: LayerCursor | null;
  /** Null if the proposals wait for the rest of the layer. */
  readonly written: Omit<StepResult, 'changes'> | null;
  readonly usage: ModelUsage;
}

/** The steps for the scope of a thread. */
export type StepsOf = (state: { readonly scope: string }, config: RunConfig) => Promise<HierarchySteps>;

const MOST_NOTES = 20;
const MOST_SHOWN = 8;

export function hierarchyNodes(stepsOf: StepsOf) {
  const stepsFor = (state: Pick<State, 'scope'>, config: RunConfig) =>
    stepsOf({ scope: scopeOf(state, {}) }, config);
  return {
    async begin(state: State, config: RunConfig): Promise<Update> {
      const context = readContext(hierarchyContextSchema, config);
      const scope = scopeOf(state, context);
      const { run, sizes } = await (await stepsFor({ scope }, config)).begin(state.mode);
      return {
        scope,
        settings: { run, tokenBudget: context.tokenBudget ?? null },
        sizes: { ...sizes },
        layer: 1,
        cursor: null,
        step: null,
        proposed: null,
        created: 0,
        dissolved: 0,
        renamed: 0,
        placed: 0,
        stale: 0,
        layers: 0,
        stoppedBy: null,
        notes: [],
        usage: NO_USAGE,
      };
    },

    /** Plans the next step of the layer. A step without a request only enforces the layer's rules. */
    async plan(state: State, config: RunConfig): Promise<Update> {
      const { layer, mode, cursor, sizes, settings } = state;
      const steps = await stepsFor(state, config);
      const step = await steps.plan(
        { run: settings.run, layer, mode, cursor, sizes },
        callsOf(state, config),
      );
      return { step, proposed: null };
    },

    async categorize(state: State, config: RunConfig): Promise<Update> {
      const reply = await (await stepsFor(state, config)).categorize(state.step!, callsOf(state, config));
      if (reply === null) return { proposed: null };
      const notes = [...new Set([...state.notes, ...reply.notes])].slice(0, MOST_NOTES);
      return { proposed: summaryOf(reply), notes, usage: plusUsage(state.usage, reply.usage) };
    },

    /** Commits one transaction, then continues with the next step of the layer or with the next layer. */
    async commit(state: State, config: RunConfig): Promise<Update> {
      const step = state.step!;
      const done = await (await stepsFor(state, config)).commit(step, callsOf(state, config));
      if (done === null) return { cursor: null, stoppedBy: null };
      const { cursor, written } = done;
      const usage = plusUsage(state.usage, done.usage);
      if (written === null) return { cursor, usage, stoppedBy: null };
      const { layers, stoppedBy } = written;
      const counts = added(state, written.counts);
      const { layer, left, category } = step;
      config.writer?.({ type: 'progress', layer, left, layers, ...counts, usage });
      return {
        ...counts,
        layers,
        stoppedBy,
        cursor,
        usage,
        ...(step.closes ? { layer: step.layer + 1 } : {}),
        ...(category === null ? {} : { sizes: { ...state.sizes, [category.id]: category.children } }),
      };
    },
  };
}

/** Signal and budget of a node's calls: what the run may still spend. */
function callsOf({ settings, usage }: State, { signal }: RunConfig): ModelCallOptions {
  const { tokenBudget } = settings;
  if (tokenBudget === null) return { signal };
  const left = Math.max(1, tokenBudget - usage.promptTokens - usage.completionTokens);
  return { signal, budget: new TokenBudget(left) };
}

function summaryOf({ categories }: Categorization): State['proposed'] {
  const largest = [...categories].sort((a, b) => b.nodes.length - a.nodes.length).slice(0, MOST_SHOWN);
  const names = shownNames(largest);
  return {
    categories: categories.length,
    largest: largest.map(({ nodes }, at) => ({ name: names[at]!, nodes: nodes.length })),
  };
}

function added(state: State, { created, dissolved, renamed, placed, stale }: HierarchyCounts) {
  return {
    created: state.created + created,
    dissolved: state.dissolved + dissolved,
    renamed: state.renamed + renamed,
    placed: state.placed + placed,
    stale: state.stale + stale,
  };
}
