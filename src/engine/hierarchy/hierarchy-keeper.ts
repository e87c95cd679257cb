import { hierarchyGraph } from '../../../graphs/hierarchy/graph.ts';
import type { HierarchySteps } from '../../../graphs/hierarchy/nodes.ts';
import { onItsOwn } from '../../../graphs/on-its-own.ts';
import { CancelledError } from '../../errors/index.ts';
import type { Categorizer } from '../../hierarchy/categorizer.ts';
import type { HierarchyCounts } from '../../hierarchy/draft-changes.ts';
import { pieceByPiece } from '../../hierarchy/piece-by-piece.ts';
import type { UpdateMode } from '../../hierarchy/plan-step.ts';
import type { HierarchySettings } from '../../hierarchy/settings.ts';
import { stageCalls } from '../../inference/language-model/calling/stage-calls.ts';
import type { HierarchyEnd } from '../../model/nodes.ts';
import type { ScopeIndex } from '../../search/scope-index.ts';
import { SerialQueue } from '../../util/serial-queue.ts';
import { type HierarchyReport, NO_COUNTS, type OrganizeOptions } from './hierarchy-report.ts';
import { type HierarchyAccess, hierarchySteps } from './hierarchy-steps.ts';
import { type RefreshOptions, refreshSummaries } from './refresh-summaries.ts';

const graph = hierarchyGraph(async (_state, { context }) => (context as { steps: HierarchySteps }).steps);
/** A run ends when no layer follows, however many steps that takes. */
const MOST_STEPS = 1_000_000;

/** Keeps the category hierarchy of one scope in step with its entities, one run at a time. */
export class HierarchyKeeper {
  readonly #access: HierarchyAccess;
  readonly #runs = new SerialQueue();
  #underWay: AbortController | null = null;
  /** What the hierarchy was last made for: looking at everything again would come to the same. */
  #settled: {
    /** Weak: the scope may let go of its index. */
    readonly index: WeakRef<ScopeIndex>;
    readonly entities: number;
    readonly categories: number;
  } | null = null;

  constructor(access: HierarchyAccess) {
    this.#access = access;
  }

  get isAtWork(): boolean {
    return this.#underWay !== null;
  }

  /** Whether something may have to be placed, renamed or dissolved. */
  isSettled({ index }: { readonly index: ScopeIndex }): boolean {
    const settled = this.#settled;
    return (
      settled?.index.deref() === index &&
      settled.entities === index.entities.revision &&
      settled.categories === index.hierarchy.revision
    );
  }

  /**
   * Brings the hierarchy up to date. @throws CancelledError, BudgetExhaustedError, ModelUnavailableError and others of
   * the categorizer: what was placed is kept, and the next run goes on.
   */
  organize(options: OrganizeOptions = {}): Promise<HierarchyReport> {
    return this.#run(options.signal, async (signal) => {
      if (signal.aborted) throw new CancelledError('the hierarchy is as it was', signal.reason);
      return this.#organize({ ...options, signal });
    });
  }

  get settings(): HierarchySettings {
    return this.#access.settings;
  }

  /**
   * Whether what this categorizer has built is looked at as a whole each time, so that it is always as if built anew.
   * A memory that a model has grouped may be opened without one.
   */
  async isWhole(builder: string): Promise<boolean> {
    const { name, nodesAtOnce } = await this.#access.categorizer();
    return nodesAtOnce === null && name === builder;
  }

  /** Writes summaries anew; how many. @throws CancelledError, and what `describe` throws: what was written is kept. */
  refresh(options: RefreshOptions): Promise<number> {
    return this.#run(options.signal, (signal) => refreshSummaries(this.#access, { ...options, signal }));
  }

  /** For a graph that somebody else runs. */
  steps(calls: OrganizeOptions): HierarchySteps {
    return hierarchySteps(this.#access, { calls, onCommit: () => undefined });
  }

  /** Ends what is under way after its step; what was placed is kept. Another run may follow. */
  async interrupt(): Promise<void> {
    this.#underWay?.abort();
    await this.#runs.drain();
  }

  /** What another categorizer has made is not thrown away in passing, only when everything is to be grouped anew. */
  async #categorizerFor(mode: UpdateMode): Promise<Categorizer> {
    const categorizer = await this.#access.categorizer();
    const { record } = (await this.#access.read()).index.hierarchy;
    const isOthers = record !== null && record.categorizer !== categorizer.name;
    if (mode === 'rebuild' || !isOthers || categorizer.nodesAtOnce !== null) return categorizer;
    return pieceByPiece(categorizer, record.categorizer);
  }

  /** Runs one thing after the other, each with a signal that `interrupt` fires as well. */
  #run<T>(given: AbortSignal | undefined, job: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return this.#runs.run(async () => {
      this.#underWay = new AbortController();
      try {
        return await job(AbortSignal.any([this.#underWay.signal, ...(given ? [given] : [])]));
      } finally {
        this.#underWay = null;
      }
    });
  }

  async #organize({ mode = 'update', onProgress, ...given }: OrganizeOptions): Promise<HierarchyReport> {
    const started = performance.now();
    const { index: before } = await this.#access.read();
    // What comes while it runs is not placed by it.
    const { revision: entities } = before.entities;
    const names = namesOf(before);
    const calls = stageCalls({}, given);
    let counts = NO_COUNTS;
    const categorizer = await this.#categorizerFor(mode);
    const access = { ...this.#access, categorizer: async () => categorizer };
    const steps = hierarchySteps(access, {
      calls,
      onCommit: ({ layer, queue }, brought) => {
        counts = plus(counts, brought);
        onProgress?.({ layer, left: queue.length, counts, usage: calls.meter.total });
      },
    });
    const { stoppedBy, notes = [] } = await onItsOwn(() =>
      graph.invoke({ mode }, { context: { steps }, recursionLimit: MOST_STEPS }),
    );
    const { index } = await this.#access.read();
    this.#settled = { index: new WeakRef(index), entities, categories: index.hierarchy.revision };
    const { hierarchy } = index;
    return {
      mode,
      counts: { ...counts, ...difference(names, namesOf(index)) },
      layers: Array.from({ length: hierarchy.depth }, (_, at) => hierarchy.layer(at + 1).length),
      stoppedBy: (stoppedBy ?? hierarchy.record?.stoppedBy ?? null) as HierarchyEnd | null,
      notes,
      usage: calls.meter.total,
      byStage: Object.fromEntries(calls.meter.byPrompt()),
      seconds: (performance.now() - started) / 1000,
    };
  }
}

function namesOf({ hierarchy }: ScopeIndex): ReadonlyMap<string, string | undefined> {
  return new Map([...hierarchy.all()].map((id) => [id, hierarchy.profileOf(id)?.name]));
}

/** What came of a run in the end: a category may come with one step and be dissolved by the next. */
function difference(before: ReturnType<typeof namesOf>, after: ReturnType<typeof namesOf>) {
  const kept = [...before.keys()].filter((id) => after.has(id));
  return {
    created: after.size - kept.length,
    dissolved: before.size - kept.length,
    renamed: kept.filter((id) => before.get(id) !== after.get(id)).length,
  };
}

function plus(a: HierarchyCounts, b: HierarchyCounts): HierarchyCounts {
  return {
    created: a.created + b.created,
    dissolved: a.dissolved + b.dissolved,
    renamed: a.renamed + b.renamed,
    placed: a.placed + b.placed,
    stale: a.stale + b.stale,
  };
}

/** How many entities have no category yet, or none with a name. */
export function waitingEntities({ entities, hierarchy }: ScopeIndex): number {
  const isPlaced = (id: string) =>
    hierarchy.parentsOf(id).some((parent) => hierarchy.profileOf(parent) !== undefined);
  return entities.current().filter(({ owner }) => !isPlaced(owner)).length;
}
