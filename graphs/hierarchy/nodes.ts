import type { Categorization, CategorizeRequest } from '../../src/hierarchy/categorizer.ts';
import type { HierarchyCounts } from '../../src/hierarchy/maintain/draft-changes.ts';
import type { LayerStep, StepOptions, UpdateMode } from '../../src/hierarchy/maintain/plan-step.ts';
import type { StepResult, StepWork } from '../../src/hierarchy/maintain/work-step.ts';
import type { HierarchyState } from './state.ts';

type State = typeof HierarchyState.State;
type Update = typeof HierarchyState.Update;

/** The operations on one scope that the graph needs. The engine passes them per run; Studio supplies a closure. */
export interface HierarchySteps {
  /**
   * Child counts of the categories that were too large before the run, which an earlier run already offered for
   * splitting.
   */
  begin(mode: UpdateMode): Promise<Readonly<Record<string, number>>>;
  plan(options: StepOptions): Promise<LayerStep>;
  categorize(request: CategorizeRequest): Promise<Categorization>;
  /**
   * Writes the result of a step. Returns null and writes nothing if something was forgotten since the step was
   * planned.
   */
  commit(work: Omit<StepWork, 'whole' | 'categorizer'>): Promise<Omit<StepResult, 'changes'> | null>;
}

/** The steps from the run's context, else those of the scope in the state. */
export type StepsOf = (
  state: Pick<State, 'scope'>,
  config: { readonly context?: unknown },
) => Promise<HierarchySteps>;
type Config = Parameters<StepsOf>[1];

const FRESH_LAYER = { queue: null, asked: [], gathered: [], gatheredSince: null } satisfies Update;
/** Resets the counters of a previous run. */
const FRESH = {
  ...FRESH_LAYER,
  layer: 1,
  ...{ created: 0, dissolved: 0, renamed: 0, placed: 0, stale: 0, layers: 0 },
  stoppedBy: null,
  isDone: false,
  notes: [],
} satisfies Update;

export function hierarchyNodes(stepsOf: StepsOf) {
  return {
    async begin(state: State, config: Config): Promise<Update> {
      return { ...FRESH, sizes: await (await stepsOf(state, config)).begin(state.mode) };
    },

    /** Plans the next step of the layer. A step without a request only enforces the layer's rules. */
    async plan(state: State, config: Config): Promise<Update> {
      const { layer, mode, queue = null, asked = [], gathered = [], sizes = {} } = state;
      const steps = await stepsOf(state, config);
      const step = await steps.plan({ layer, mode, queue, asked: new Set(asked), gathered, sizes });
      return { step, categorization: null, isDone: step.skips };
    },

    async categorize(state: State, config: Config): Promise<Update> {
      const categorization = await (await stepsOf(state, config)).categorize(state.step.request!);
      return { categorization, notes: [...new Set([...(state.notes ?? []), ...categorization.notes])] };
    },

    /** Commits one transaction, then continues with the next step of the layer or with the next layer. */
    async commit(state: State, config: Config): Promise<Update> {
      const { step: plan, mode, layer, categorization = null, gathered = [] } = state;
      const asked = [...(state.asked ?? []), ...plan.asks];
      const proposed = [...gathered, ...(categorization?.categories ?? [])];
      // A rebuild replaces the old groups of a layer in one commit, not piece by piece.
      const { queue, forgotten = null } = plan;
      const since = state.gatheredSince ?? { forgotten };
      // Proposals made before a forgetting may contain forgotten text: start the layer again.
      if (since.forgotten !== forgotten) return FRESH_LAYER;
      if (mode === 'rebuild' && plan.step === 'place' && queue.length > 0)
        return { queue: [...queue], asked, gathered: proposed, gatheredSince: since };
      const categories = categorization === null && gathered.length === 0 ? null : proposed;
      const steps = await stepsOf(state, config);
      const done = await steps.commit({ plan, mode, categories, asked: new Set(asked) });
      if (done === null) return FRESH_LAYER;
      const counts = { ...added(state, done.counts), layers: done.layers };
      if (!plan.closes) return { ...counts, queue: [...queue], asked, gathered: [], gatheredSince: null };
      const { stoppedBy } = done;
      return { ...counts, ...FRESH_LAYER, layer: layer + 1, stoppedBy, isDone: stoppedBy !== null };
    },
  };
}

function added(state: State, counts: HierarchyCounts): Update {
  const { created, dissolved, renamed, placed, stale } = counts;
  return {
    created: state.created + created,
    dissolved: state.dissolved + dissolved,
    renamed: state.renamed + renamed,
    placed: state.placed + placed,
    stale: state.stale + stale,
  };
}
