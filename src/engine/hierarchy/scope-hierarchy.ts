import type { HierarchySteps } from '../../../graphs/hierarchy/nodes.ts';
import { CancelledError, InvalidInputError } from '../../errors/index.ts';
import type { LlmCategorySummarizer } from '../../hierarchy/describe/llm-category-summarizer.ts';
import {
  currentSummaries,
  type DescribeCategories,
  staleIn,
} from '../../hierarchy/describe/refresh-summaries.ts';
import { type HierarchyDrift, measureDrift, NO_DRIFT } from '../../hierarchy/maintain/drift.ts';
import type { IngestContext } from '../../ingest/ingest-context.ts';
import type { Milliseconds } from '../../model/ids.ts';
import type { Hierarchy } from '../../model/nodes.ts';
import { follow } from '../../util/follow.ts';
import type { FlushOptions } from '../call-options.ts';
import { type CategoryTree, type TreeOptions, type TreePart, treePart } from './browse-hierarchy.ts';
import {
  type HierarchyEvent,
  type HierarchyKeeper,
  type HierarchyReport,
  type OrganizeOptions,
  waitingEntities,
} from './hierarchy-keeper.ts';

/** Where the hierarchy of a scope stands. */
export interface HierarchyStatus {
  /** How it was built; null as long as it was not. */
  readonly built: Omit<Hierarchy, 'id'> | null;
  readonly entities: number;
  /** Categories by layer, from layer 1. */
  readonly layers: readonly number[];
  /** Entities that have no category yet. */
  readonly waiting: number;
  /** Categories whose summary is written anew when it is next needed. */
  readonly stale: number;
  readonly drift: HierarchyDrift;
}

/** Which summaries of categories `ScopeHierarchy.refresh` writes anew, and how. Only a model spends of `budget`. */
export interface RefreshSummariesOptions extends FlushOptions {
  /** Who writes them. Default `rules`: from those of the children, at no cost. */
  readonly by?: 'rules' | 'model';
  /** Whether those are written anew too that still tell what is below. Default false. */
  readonly all?: boolean;
  /**
   * Share of the entities below, from 0 to 1, that must have come or be told of otherwise since a summary was written.
   * Default 0 by rules; 0.1 by a model, which is not paid for one more name among fifty.
   */
  readonly least?: number;
}

const WORTH_A_CALL = 0.1;

interface Access {
  /** Null without a language model. */
  readonly describer: LlmCategorySummarizer | null;
  view(): Promise<IngestContext>;
  inTurn<T>(job: (context: IngestContext) => Promise<T>): Promise<T>;
  saveIndex(): Promise<void>;
}

/** The category hierarchy of one scope (Mnemis §2.2), for whoever browses it or wants it put in order. */
export class ScopeHierarchy {
  readonly #keeper: HierarchyKeeper;
  readonly #access: Access;

  constructor(keeper: HierarchyKeeper, access: Access) {
    this.#keeper = keeper;
    this.#access = access;
  }

  /**
   * Places what has no category yet, as consolidation does by itself, and tells how far it is.
   *
   * @throws CancelledError, BudgetExhaustedError, ModelUnavailableError and others of the categorizer: what was placed
   *   is kept, and the next run goes on.
   */
  update(options: FlushOptions = {}): AsyncGenerator<HierarchyEvent> {
    return this.#organize({ ...options, mode: 'update' });
  }

  /** Groups all entities anew, layer by layer; a category of the same name keeps its id. @throws as `update`. */
  rebuild(options: FlushOptions = {}): AsyncGenerator<HierarchyEvent> {
    return this.#organize({ ...options, mode: 'rebuild' });
  }

  /**
   * Writes the summaries of categories anew that no longer tell what is below them (or `all`), by rule or by the
   * language model, which is asked where enough has changed; how many. @throws InvalidInputError without a model; CancelledError, BudgetExhaustedError and others
   * of the model: what was written is kept.
   */
  async refresh({
    by = 'rules',
    all,
    least = by === 'model' ? WORTH_A_CALL : 0,
    signal,
    budget,
  }: RefreshSummariesOptions = {}): Promise<number> {
    const { describer } = this.#access;
    if (by !== 'rules' && by !== 'model')
      throw new InvalidInputError('Summaries are written by rules or by the model');
    if (by === 'model' && describer === null)
      throw new InvalidInputError('Summaries by a model need a language model, and none is set up');
    if (!(least >= 0 && least <= 1)) throw new InvalidInputError('least is a share from 0 to 1');
    const describe: DescribeCategories | undefined =
      by === 'rules' ? undefined : (categories) => describer!.describe(categories, { signal, budget });
    const count = await this.#keeper.refresh({ all, least, describe, signal });
    await this.#access.saveIndex();
    return count;
  }

  /**
   * What is in which category, from the top or from one category down; `browse` says too how many are left out of the
   * first level. @throws InvalidInputError
   */
  async tree(options: TreeOptions = {}): Promise<readonly CategoryTree[]> {
    return (await this.browse(options)).nodes;
  }

  /** As `tree`, with how many nodes of the first level `limit` leaves out. @throws InvalidInputError */
  async browse(options: TreeOptions = {}): Promise<TreePart> {
    return treePart((await this.#access.view()).index, options);
  }

  /** A category's summary as of now, by id. */
  async summaries(categories: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (!Array.isArray(categories)) throw new InvalidInputError('summaries takes a list of categories’ ids');
    return this.#access.inTurn((context) => {
      const known = categories.filter((id) => context.index.hierarchy.has(id));
      return currentSummaries(context, known);
    });
  }

  /** What `hierarchyGraph` needs to write this scope, for graphs that you run yourself, such as in Studio. */
  steps(options: FlushOptions = {}): HierarchySteps {
    return this.#keeper.steps(options);
  }

  /**
   * Where the hierarchy stands beside the entities of now; waits for writes under way. `drift` is all zero where the
   * categorizer looks at whole layers each time, as the rules do.
   */
  async status(): Promise<HierarchyStatus> {
    return this.#access.inTurn(async ({ index, store, scope }) => {
      const { hierarchy, entities } = index;
      const isWhole = hierarchy.record !== null && (await this.#keeper.isWhole(hierarchy.record.categorizer));
      const createdAt = new Map<string, Milliseconds>();
      if (!isWhole && hierarchy.record !== null)
        for await (const rows of store.scan(scope, 'entity', ['id', 'createdAt']))
          for (const row of rows) createdAt.set(row.id, row.createdAt);
      return {
        built: builtOf(hierarchy.record),
        entities: entities.current().length,
        layers: Array.from({ length: hierarchy.depth }, (_, at) => hierarchy.layer(at + 1).length),
        waiting: waitingEntities(index),
        stale: staleIn(index).length,
        drift: isWhole ? NO_DRIFT : measureDrift(index, { createdAt, ...this.#keeper.settings }),
      };
    });
  }

  async *#organize(options: OrganizeOptions): AsyncGenerator<HierarchyEvent> {
    if (options.signal?.aborted)
      throw new CancelledError('the hierarchy is as it was', options.signal.reason);
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, ...(options.signal ? [options.signal] : [])]);
    yield* follow<HierarchyEvent>(
      async (tell) => {
        const report: HierarchyReport = await this.#keeper.organize({
          ...options,
          signal,
          onProgress: (progress) => tell({ type: 'progress', ...progress }),
        });
        await this.#access.saveIndex();
        tell({ type: 'done', ...report });
      },
      () => stop.abort(),
    );
  }
}

function builtOf(record: Hierarchy | null): HierarchyStatus['built'] {
  if (record === null) return null;
  const { id: _id, ...built } = record;
  return built;
}
