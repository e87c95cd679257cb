import { hierarchyGraph } from '../../../graphs/hierarchy/graph.ts';
import type { HierarchySteps } from '../../../graphs/hierarchy/nodes.ts';
import { onItsOwn } from '../../../graphs/on-its-own.ts';
import { CancelledError } from '../../errors/index.ts';
import { type Categorizer, pieceByPiece } from '../../hierarchy/categorizer.ts';
import type { HierarchySettings } from '../../hierarchy/defaults.ts';
import {
  childrenSummaries,
  type DescribeCategories,
  refreshedSummaries,
  staleIn,
} from '../../hierarchy/describe/refresh-summaries.ts';
import type { HierarchyContext } from '../../hierarchy/hierarchy-context.ts';
import type { HierarchyCounts } from '../../hierarchy/maintain/draft-changes.ts';
import {
  type LayerStep,
  planStep,
  sizesOfLarge,
  type UpdateMode,
} from '../../hierarchy/maintain/plan-step.ts';
import { hasChanges, workStep } from '../../hierarchy/maintain/work-step.ts';
import { stageCalls } from '../../inference/language-model/calling/stage-calls.ts';
import type { ModelUsage } from '../../inference/language-model/tokens/usage-meter.ts';
import type { ModelCallOptions } from '../../inference/language-model.ts';
import { lastForgetting } from '../../ingest/corrections/tombstones.ts';
import type { IngestContext } from '../../ingest/ingest-context.ts';
import { embedNodes } from '../../ingest/write/embed-nodes.ts';
import type { GraphChanges } from '../../model/graph-changes.ts';
import type { CategoryId } from '../../model/ids.ts';
import type { HierarchyEnd } from '../../model/nodes.ts';
import type { ScopeIndex } from '../../search/scope-index.ts';
import { breathe } from '../../util/breathe.ts';
import { SerialQueue } from '../../util/serial-queue.ts';

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

interface StepsOptions {
  readonly calls: ModelCallOptions;
  /** Told what each commit brought. */
  readonly onCommit: (plan: LayerStep, counts: HierarchyCounts) => void;
}

/** The steps of one run of the hierarchy graph over one scope. Each reads memory anew, since others write beside it. */
function hierarchySteps(access: HierarchyAccess, { calls, onCommit }: StepsOptions): HierarchySteps {
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

/**
 * How far a run over the category hierarchy is, told after each of its commits. `counts` and `usage` are those of the
 * run.
 */
export interface HierarchyProgress {
  /** The layer that is worked on, from 1. */
  readonly layer: number;
  /** Nodes of it that are still to be asked about. */
  readonly left: number;
  readonly counts: HierarchyCounts;
  readonly usage: ModelUsage;
}

/** What a run over the category hierarchy came to, whether it was asked for or followed consolidation. */
export interface HierarchyReport {
  readonly mode: UpdateMode;
  readonly counts: HierarchyCounts;
  /** Categories by layer, from layer 1. */
  readonly layers: readonly number[];
  /** Why no further layer was made; null where there is no hierarchy. */
  readonly stoppedBy: HierarchyEnd | null;
  /** What of a model's replies was not usable. */
  readonly notes: readonly string[];
  readonly usage: ModelUsage;
  /** By the name of the prompt. */
  readonly byStage: Readonly<Record<string, ModelUsage>>;
  readonly seconds: number;
}

/** How far `ScopeHierarchy.update` or `rebuild` is. `done` comes last. */
export type HierarchyEvent =
  | ({ readonly type: 'progress' } & HierarchyProgress)
  | ({ readonly type: 'done' } & HierarchyReport);

export interface OrganizeOptions extends ModelCallOptions {
  /** Default `update`: what has a category keeps it. */
  readonly mode?: UpdateMode;
  readonly onProgress?: (progress: HierarchyProgress) => void;
}

const NO_COUNTS: HierarchyCounts = { created: 0, dissolved: 0, renamed: 0, placed: 0, stale: 0 };

export interface RefreshOptions {
  /** Whether summaries are written anew that still tell what is in their category. Default false. */
  readonly all?: boolean | undefined;
  /** Share of the entities below that must be told of otherwise since, from 0 to 1. Default 0: any change will do. */
  readonly least?: number | undefined;
  /** Writes them; default: by rule, from those of the children. */
  readonly describe?: DescribeCategories | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Of one transaction. */
const BY_RULE = 500;
/** A few calls' worth: what was paid for is kept when the work stops. */
const BY_MODEL = 36;

/**
 * Writes summaries of categories anew, some in each transaction and those of lower layers first, since a summary draws
 * on those below it; how many. A model is not asked while others wait to write.
 */
export async function refreshSummaries(
  access: HierarchyAccess,
  { all = false, least = 0, describe, signal }: RefreshOptions,
): Promise<number> {
  const written = new Set<CategoryId>();
  for (;;) {
    if (signal?.aborted)
      throw new CancelledError(`${written.size} summaries are written anew and kept`, signal.reason);
    const reading = await access.read();
    const most = describe === undefined ? BY_RULE : BY_MODEL;
    const some = nextOf(reading.index, { all, least, written, most });
    if (some.length === 0) return written.size;
    const read = some.map((id) => childrenOf(reading.index, id));
    const told = await describe?.(await childrenSummaries(reading, some));
    const changes = await access.write(async (context) => {
      // What was told of children that are others now, or are told of otherwise, may be wrong, or forgotten.
      const isAsRead = (id: CategoryId, at: number) => childrenOf(context.index, id) === read[at];
      const summaries = new Map(
        some.map((id, at) => [id as string, isAsRead(id, at) ? (told?.[at] ?? null) : null]),
      );
      const refreshed = await refreshedSummaries(hierarchyContext(context, access.settings), some, summaries);
      await context.store.commit(context.scope, refreshed);
      context.index.apply(refreshed);
      return refreshed;
    });
    for (const id of some) written.add(id);
    await access.committed(changes);
  }
}

/** What a summary of the category draws on: the profiles that tell of its children. */
function childrenOf({ hierarchy, entities }: ScopeIndex, category: CategoryId): string {
  const profileOf = (id: string) => (hierarchy.profileOf(id) ?? entities.profileOf(id))?.id ?? '';
  return hierarchy.childrenOf(category).map(profileOf).sort().join(' ');
}

/** Categories of the lowest layer that has some to write. */
function nextOf(
  index: ScopeIndex,
  {
    all,
    least,
    written,
    most,
  }: { all: boolean; least: number; written: ReadonlySet<CategoryId>; most: number },
): CategoryId[] {
  const { hierarchy } = index;
  const layerOf = (id: CategoryId) => hierarchy.category(id)!.layer;
  const candidates = all
    ? [...hierarchy.all()].sort((a, b) => layerOf(a) - layerOf(b))
    : staleIn(index, least);
  const open = candidates.filter((id) => hierarchy.profileOf(id) !== undefined && !written.has(id));
  return open.filter((id) => layerOf(id) === layerOf(open[0]!)).slice(0, most);
}
