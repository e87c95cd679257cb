import { randomUUID } from 'node:crypto';
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
import type { HierarchyCounts } from '../../hierarchy/maintain/draft-changes.ts';
import type { UpdateMode } from '../../hierarchy/maintain/layer-step.ts';
import { stageCalls } from '../../inference/language-model/calling/stage-calls.ts';
import type { ModelUsage } from '../../inference/language-model/tokens/usage-meter.ts';
import type { ModelCallOptions } from '../../inference/language-model.ts';
import type { CategoryId } from '../../model/ids.ts';
import type { HierarchyEnd } from '../../model/nodes.ts';
import type { ScopeIndex } from '../../search/scope-index.ts';
import { SerialQueue } from '../../util/serial-queue.ts';
import type { HierarchySetup } from '../engine-context.ts';
import { AT_ONCE, type WritableScope } from '../writable-scope.ts';
import { type BuildListener, buildLayers, hierarchyContext, readCategories } from './build-layers.ts';
import { HierarchyRun, StepResults } from './hierarchy-run.ts';

/** Number of uncategorized entities that justify an update, and perhaps a model call, before a session ends. */
const WORTH_ORGANIZING = 40;

/** Keeps the category hierarchy of one scope in step with its entities, one run at a time. */
export class HierarchyUpdates {
  readonly #scope: WritableScope;
  readonly #setup: HierarchySetup;
  readonly #runs = new SerialQueue();
  #underWay: AbortController | null = null;
  /** Of graphs that a caller runs. */
  readonly #results = new StepResults();
  /** The state for which the hierarchy was last updated; in the same state another run would change nothing. */
  #settled: {
    /** Weak, because the scope may release its index. */
    readonly index: WeakRef<ScopeIndex>;
    readonly entities: number;
    readonly categories: number;
  } | null = null;

  constructor(scope: WritableScope, setup: HierarchySetup) {
    this.#scope = scope;
    this.#setup = setup;
  }

  /** Whether it is updated after consolidations. */
  get isAutomatic(): boolean {
    return this.#setup.isAutomatic;
  }

  get isAtWork(): boolean {
    return this.#underWay !== null;
  }

  /** False if nodes may have to be placed, renamed or dissolved. */
  isSettled({ index }: { readonly index: ScopeIndex }): boolean {
    const settled = this.#settled;
    return (
      settled?.index.deref() === index &&
      settled.entities === index.entities.revision &&
      settled.categories === index.hierarchy.revision
    );
  }

  /**
   * Updates the hierarchy. @throws CancelledError, BudgetExhaustedError, ModelUnavailableError and other errors of
   * the categorizer: placed nodes are kept, and the next run continues.
   */
  organize(options: OrganizeOptions = {}): Promise<HierarchyReport> {
    return this.#run(options.signal, async (signal) => {
      if (signal.aborted) throw new CancelledError('the hierarchy is unchanged', signal.reason);
      return this.#organize({ ...options, signal });
    });
  }

  /** After a consolidation: updates the hierarchy when enough entities wait, or when sessions end. */
  async organizeIfDue({ ended, ...calls }: OrganizeRequest): Promise<HierarchyReport | null> {
    const context = await this.#scope.read();
    if (this.isSettled(context)) return null;
    const isDue = ended || waitingEntities(context.index) >= WORTH_ORGANIZING;
    return isDue ? this.organize(calls) : null;
  }

  get settings(): HierarchySettings {
    return this.#setup.settings;
  }

  /**
   * Whether the named categorizer regroups whole layers each time, so that every update equals a rebuild. A memory
   * that a model has grouped may be opened without one.
   */
  async isWhole(builder: string): Promise<boolean> {
    const { name, nodesAtOnce } = await this.#setup.categorizer();
    return nodesAtOnce === null && name === builder;
  }

  /**
   * Rewrites summaries and returns how many. @throws CancelledError, and what `describe` throws: written summaries
   * are kept.
   */
  refresh(options: RefreshOptions): Promise<number> {
    return this.#run(options.signal, (signal) =>
      refreshSummaries(this.#scope, this.settings, { ...options, signal }),
    );
  }

  /** For graphs that a caller runs. */
  steps(calls: ModelCallOptions): HierarchySteps {
    return new HierarchyRun({
      scope: this.#scope,
      settings: this.settings,
      results: this.#results,
      calls,
      categorizerFor: (mode) => this.#categorizerFor(mode),
    });
  }

  /** Drops all text that is held between steps; steps ask again. */
  dropText(): void {
    this.#results.drop();
  }

  /** Stops the running job after its current step; placed nodes are kept. Another run may follow. */
  async interrupt(): Promise<void> {
    this.#underWay?.abort();
    await this.#runs.drain();
  }

  /** An update keeps the categories of another categorizer; only a rebuild replaces them. */
  async #categorizerFor(mode: UpdateMode): Promise<Categorizer> {
    const categorizer = await this.#setup.categorizer();
    const { record } = (await readCategories(this.#scope)).index.hierarchy;
    const isOthers = record !== null && record.categorizer !== categorizer.name;
    if (mode === 'rebuild' || !isOthers || categorizer.nodesAtOnce !== null) return categorizer;
    return pieceByPiece(categorizer, record.categorizer);
  }

  /** Runs jobs one after another, each with a signal that `interrupt` also fires. */
  #run<T>(given: AbortSignal | undefined, job: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return this.#runs.run(async () => {
      this.#underWay = new AbortController();
      try {
        const signal = AbortSignal.any([this.#underWay.signal, ...(given ? [given] : [])]);
        return await this.#scope.asWorker(() => job(signal), { signal });
      } finally {
        this.#underWay = null;
      }
    });
  }

  async #organize({ mode = 'update', onProgress, ...given }: OrganizeOptions): Promise<HierarchyReport> {
    const started = performance.now();
    const { index: before } = await readCategories(this.#scope);
    // The run does not place entities that are added while it runs.
    const { revision: entities } = before.entities;
    const names = namesOf(before);
    const calls = stageCalls({}, given);
    let counts = NO_COUNTS;
    const notes = new Set<string>();
    const categorizer = await this.#categorizerFor(mode);
    const build = { scope: this.#scope, settings: this.settings, categorizer, calls };
    const listener: BuildListener = {
      onReply: (reply) => {
        for (const note of reply.notes) notes.add(note);
      },
      onCommit: ({ layer, left }, brought) => {
        counts = plus(counts, brought);
        onProgress?.({ layer, left, counts, usage: calls.meter.total });
      },
    };
    const stoppedBy = await onItsOwn(() => buildLayers(build, { run: randomUUID(), mode }, listener));
    const { index } = await readCategories(this.#scope);
    this.#settled = { index: new WeakRef(index), entities, categories: index.hierarchy.revision };
    const { hierarchy } = index;
    return {
      mode,
      counts: { ...counts, ...difference(names, namesOf(index)) },
      layers: Array.from({ length: hierarchy.depth }, (_, at) => hierarchy.layer(at + 1).length),
      stoppedBy: stoppedBy ?? hierarchy.record?.stoppedBy ?? null,
      notes: [...notes],
      usage: calls.meter.total,
      byStage: Object.fromEntries(calls.meter.byPrompt()),
      seconds: (performance.now() - started) / 1000,
    };
  }
}

function namesOf({ hierarchy }: ScopeIndex): ReadonlyMap<string, string | undefined> {
  return new Map([...hierarchy.all()].map((id) => [id, hierarchy.profileOf(id)?.name]));
}

/** Net changes of a run: one step may create a category that a later step dissolves. */
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

/** Number of entities without a category, or only in categories without a name. */
export function waitingEntities({ entities, hierarchy }: ScopeIndex): number {
  const isPlaced = (id: string) =>
    hierarchy.parentsOf(id).some((parent) => hierarchy.profileOf(parent) !== undefined);
  return entities.current().filter(({ owner }) => !isPlaced(owner)).length;
}

/**
 * Progress of a run over the category hierarchy, reported after each of its commits. `counts` and `usage` are those
 * of the run.
 */
export interface HierarchyProgress {
  /** The layer being processed, from 1. */
  readonly layer: number;
  /** Number of its nodes that are not categorized yet. */
  readonly left: number;
  readonly counts: HierarchyCounts;
  readonly usage: ModelUsage;
}

/** The result of a run over the category hierarchy, requested or after consolidation. */
export interface HierarchyReport {
  readonly mode: UpdateMode;
  readonly counts: HierarchyCounts;
  /** Categories by layer, from layer 1. */
  readonly layers: readonly number[];
  /** Why building stopped; null without a hierarchy. */
  readonly stoppedBy: HierarchyEnd | null;
  /** Unusable parts of a model's replies. */
  readonly notes: readonly string[];
  readonly usage: ModelUsage;
  /** By the name of the prompt. */
  readonly byStage: Readonly<Record<string, ModelUsage>>;
  readonly seconds: number;
}

/** Progress of `ScopeHierarchy.update` or `rebuild`. `done` comes last. */
export type HierarchyEvent =
  | ({ readonly type: 'progress' } & HierarchyProgress)
  | ({ readonly type: 'done' } & HierarchyReport);

/** What a consolidation asks for. */
export interface OrganizeRequest extends ModelCallOptions {
  /** Whether sessions end here. */
  readonly ended: boolean;
  readonly onProgress?: (progress: HierarchyProgress) => void;
}

export interface OrganizeOptions extends ModelCallOptions {
  /** Default `update`: categorized nodes keep their categories. */
  readonly mode?: UpdateMode;
  readonly onProgress?: (progress: HierarchyProgress) => void;
}

const NO_COUNTS: HierarchyCounts = { created: 0, dissolved: 0, renamed: 0, placed: 0, stale: 0 };

export interface RefreshOptions {
  /** Whether summaries that are still current are rewritten too. Default false. */
  readonly all?: boolean | undefined;
  /** Minimum share of the entities below that were described differently since, from 0 to 1. Default 0: any change. */
  readonly least?: number | undefined;
  /** Writes the summaries; default: rules that combine the children's summaries. */
  readonly describe?: DescribeCategories | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Categories per transaction. */
const BY_RULE = 500;
/** The size of a few calls, so that little paid work is lost when the run stops. */
const BY_MODEL = 36;

/**
 * Rewrites category summaries in batches of one transaction, lower layers first because a summary uses those below
 * it. Returns how many. Writers do not wait for model calls.
 */
export async function refreshSummaries(
  scope: WritableScope,
  settings: HierarchySettings,
  { all = false, least = 0, describe, signal }: RefreshOptions,
): Promise<number> {
  const written = new Set<CategoryId>();
  for (;;) {
    if (signal?.aborted)
      throw new CancelledError(`${written.size} summaries are rewritten and kept`, signal.reason);
    const reading = await readCategories(scope);
    const most = describe === undefined ? BY_RULE : BY_MODEL;
    const some = nextOf(reading.index, { all, least, written, most });
    if (some.length === 0) return written.size;
    const read = some.map((id) => childrenOf(reading.index, id));
    const described = await describe?.(await childrenSummaries(reading, some));
    const changes = await scope.write(async (context) => {
      // Discards a summary whose children changed during the call: it may be wrong, or contain forgotten text.
      const isAsRead = (id: CategoryId, at: number) => childrenOf(context.index, id) === read[at];
      const summaries = new Map(
        some.map((id, at) => [id as string, isAsRead(id, at) ? (described?.[at] ?? null) : null]),
      );
      const refreshed = await refreshedSummaries(hierarchyContext(context, settings), some, summaries);
      await context.store.commit(context.scope, refreshed);
      context.index.apply(refreshed);
      return refreshed;
    }, AT_ONCE);
    for (const id of some) written.add(id);
    await scope.committed(changes);
  }
}

/** The inputs of a category's summary: the profiles of its children. */
function childrenOf({ hierarchy, entities }: ScopeIndex, category: CategoryId): string {
  const profileOf = (id: string) => (hierarchy.profileOf(id) ?? entities.profileOf(id))?.id ?? '';
  return hierarchy.childrenOf(category).map(profileOf).sort().join(' ');
}

/** The categories of the lowest layer with pending summaries. */
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
