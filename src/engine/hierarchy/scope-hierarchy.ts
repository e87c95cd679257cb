import type { HierarchySteps } from '../../../graphs/hierarchy/nodes.ts';
import { CancelledError, InvalidInputError } from '../../errors/index.ts';
import { LlmCategorySummarizer } from '../../hierarchy/describe/llm-category-summarizer.ts';
import {
  currentSummaries,
  type DescribeCategories,
  staleIn,
} from '../../hierarchy/describe/refresh-summaries.ts';
import { type HierarchyDrift, measureDrift, NO_DRIFT } from '../../hierarchy/maintain/drift.ts';
import type { Milliseconds } from '../../model/ids.ts';
import type { Hierarchy } from '../../model/nodes.ts';
import type { ScopeIndex } from '../../search/scope-index.ts';
import { follow } from '../../util/follow.ts';
import type { FlushOptions } from '../call-options.ts';
import { Run } from '../run.ts';
import type { ScopeSession } from '../scope-session.ts';
import {
  type CategoryTree,
  ShownHierarchy,
  type TreeOptions,
  type TreePart,
  treePart,
} from './browse-hierarchy.ts';
import {
  type HierarchyEvent,
  type HierarchyReport,
  type OrganizeOptions,
  waitingEntities,
} from './hierarchy-updates.ts';

/** The state of a scope's hierarchy. */
export interface HierarchyStatus {
  /** How it was built; null before the first build. */
  readonly built: Omit<Hierarchy, 'id'> | null;
  readonly entities: number;
  /** Categories by layer, from layer 1. */
  readonly layers: readonly number[];
  /** Number of entities without a category. */
  readonly waiting: number;
  /** Number of categories whose summary will be rewritten on next use. */
  readonly stale: number;
  readonly drift: HierarchyDrift;
}

/** Which category summaries `ScopeHierarchy.refresh` rewrites, and how. Only a model spends `budget`. */
export interface RefreshSummariesOptions extends FlushOptions {
  /** Who writes them. Default `rules`: combines the children's summaries, at no cost. */
  readonly by?: 'rules' | 'model';
  /** Whether summaries that are still current are rewritten too. Default false. */
  readonly all?: boolean;
  /**
   * Minimum share of the entities below, from 0 to 1, that were added or described differently since the summary was
   * written. Default 0 for rules; 0.1 for a model, so that one new name among fifty does not cost a call.
   */
  readonly least?: number;
}

const WORTH_A_CALL = 0.1;

/** The hierarchy as people see it, at one commit. */
interface Shown {
  readonly index: ScopeIndex;
  readonly revision: number;
  readonly hierarchy: ShownHierarchy;
  readonly waiting: number;
}

/** Browses and updates the category hierarchy of one scope (Mnemis §2.2). */
export class ScopeHierarchy {
  readonly #session: ScopeSession;
  #shown: Shown | null = null;

  constructor(session: ScopeSession) {
    this.#session = session;
  }

  /**
   * Places uncategorized nodes, as consolidation does automatically. Await it, or iterate over its progress.
   *
   * @throws CancelledError, BudgetExhaustedError, ModelUnavailableError and other errors of the categorizer: placed
   *   nodes are kept, and the next run continues.
   */
  update(options: FlushOptions = {}): Run<HierarchyEvent, HierarchyReport> {
    return this.#run({ ...options, mode: 'update' });
  }

  /** Groups all entities again, layer by layer; a category of the same name keeps its id. @throws as `update`. */
  rebuild(options: FlushOptions = {}): Run<HierarchyEvent, HierarchyReport> {
    return this.#run({ ...options, mode: 'rebuild' });
  }

  /**
   * Rewrites the outdated summaries of categories (or `all`), by rules or by the language model, which is called
   * where enough has changed. Returns how many. @throws InvalidInputError without a model; CancelledError,
   * BudgetExhaustedError and other errors of the model: written summaries are kept.
   */
  async refresh({
    by = 'rules',
    all,
    least = by === 'model' ? WORTH_A_CALL : 0,
    signal,
    budget,
  }: RefreshSummariesOptions = {}): Promise<number> {
    const { languageModel } = this.#session.engine;
    if (by !== 'rules' && by !== 'model')
      throw new InvalidInputError('Summaries are written by rules or by the model');
    if (by === 'model' && languageModel === undefined)
      throw new InvalidInputError('Summaries by a model need a language model, and none is configured');
    if (!(least >= 0 && least <= 1)) throw new InvalidInputError('least is a share from 0 to 1');
    const describer = by === 'model' ? new LlmCategorySummarizer(languageModel!) : null;
    const describe: DescribeCategories | undefined =
      describer === null ? undefined : (categories) => describer.describe(categories, { signal, budget });
    const count = await this.#session.hierarchy.refresh({ all, least, describe, signal });
    await this.#session.saveIndex();
    return count;
  }

  /**
   * Lists categories and their members, from the top or below one category; `browse` also counts the omitted
   * first-level nodes. @throws InvalidInputError
   */
  async tree(options: TreeOptions = {}): Promise<readonly CategoryTree[]> {
    return (await this.browse(options)).nodes;
  }

  /** As `tree`, with the number of first-level nodes that `limit` omits. @throws InvalidInputError */
  async browse(options: TreeOptions = {}): Promise<TreePart> {
    const { index } = await this.#session.read();
    return treePart(index, options, this.#shownOf(index).hierarchy);
  }

  /** Number of entities, and of those without a category. Unlike `status`, it neither waits for writes nor reads rows. */
  async counts(): Promise<Pick<HierarchyStatus, 'entities' | 'waiting'>> {
    const { index } = await this.#session.read();
    return { entities: index.entities.size, waiting: this.#shownOf(index).waiting };
  }

  /** Made again after the next commit: somebody who browses asks for it level by level. */
  #shownOf(index: ScopeIndex): Shown {
    const { revision } = index;
    if (this.#shown?.index !== index || this.#shown.revision !== revision)
      this.#shown = {
        index,
        revision,
        hierarchy: new ShownHierarchy(index),
        waiting: waitingEntities(index),
      };
    return this.#shown;
  }

  /** Current summaries of categories, by id. */
  async summaries(categories: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (!Array.isArray(categories)) throw new InvalidInputError('summaries takes a list of category ids');
    return this.#session.look((context) => {
      const known = categories.filter((id) => context.index.hierarchy.has(id));
      return currentSummaries(context, known);
    });
  }

  /** What `hierarchyGraph` needs to write this scope, for graphs that you run yourself, such as in Studio. */
  steps(options: FlushOptions = {}): HierarchySteps {
    return this.#session.hierarchy.steps(options);
  }

  /**
   * Compares the hierarchy with the current entities; waits for running writes. `drift` is all zero if the
   * categorizer regroups whole layers each time, as the rules do.
   */
  async status(): Promise<HierarchyStatus> {
    return this.#session.look(async ({ index, store, scope }) => {
      const { hierarchy, entities } = index;
      const isWhole =
        hierarchy.record !== null && (await this.#session.hierarchy.isWhole(hierarchy.record.categorizer));
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
        drift: isWhole ? NO_DRIFT : measureDrift(index, { createdAt, ...this.#session.hierarchy.settings }),
      };
    });
  }

  #run(options: OrganizeOptions): Run<HierarchyEvent, HierarchyReport> {
    return new Run((signal) => this.#organize({ ...options, signal }), options.signal);
  }

  async *#organize(options: OrganizeOptions): AsyncGenerator<HierarchyEvent> {
    if (options.signal?.aborted)
      throw new CancelledError('the hierarchy is unchanged', options.signal.reason);
    yield* follow<HierarchyEvent>(async (emit, signal) => {
      const report: HierarchyReport = await this.#session.hierarchy.organize({
        ...options,
        signal,
        onProgress: (progress) => emit({ type: 'progress', ...progress }),
      });
      await this.#session.saveIndex();
      emit({ type: 'done', ...report });
    }, options.signal);
  }
}

function builtOf(record: Hierarchy | null): HierarchyStatus['built'] {
  if (record === null) return null;
  const { id: _id, ...built } = record;
  return built;
}
