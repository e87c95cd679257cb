import { completeForgetting, executeForgetting } from '../../edit/forget/execute.ts';
import type {
  ForgetEvent,
  ForgetFallback,
  ForgetOptions,
  ForgetPreview,
  ForgetPreviewOptions,
  ForgetReport,
} from '../../edit/forget/forget-event.ts';
import type { ForgetAccess } from '../../edit/forget/forgetting.ts';
import { type HiddenRows, rowsToHide } from '../../edit/forget/hidden-rows.ts';
import { previewForgetting } from '../../edit/forget/preview.ts';
import { recordOf } from '../../edit/forget/records.ts';
import {
  foundTarget,
  readAuthor,
  readTarget,
  resolveTarget,
  withQuotations,
} from '../../edit/forget/target.ts';
import type { HoldersContext } from '../../edit/proof/memory-holders.ts';
import { proveForgotten } from '../../edit/proof/prove.ts';
import { readingsHolder } from '../../edit/proof/readings-holder.ts';
import { ForgettingStoppedError } from '../../errors/index.ts';
import type { EchoFilter } from '../../ingest/admit/echo-filter.ts';
import type { KeptReadings } from '../../ingest/extract/kept-readings.ts';
import type { IngestContext } from '../../ingest/ingest-context.ts';
import { describeFailure } from '../../ingest/local-fallback.ts';
import type { ForgetTarget } from '../../model/forget-target.ts';
import type { Scope } from '../../model/ids.ts';
import type { Correction } from '../../model/nodes.ts';
import { cachedWords, clearAnalyzerCache } from '../../search/analyzer.ts';
import type { ScopeIndex } from '../../search/scope-index.ts';
import { CachedStore } from '../../store/cached-store.ts';
import type { GraphStore } from '../../store/graph-store.ts';
import { follow } from '../../util/follow.ts';
import {
  forgottenIn,
  importScope,
  type RestoreOptions,
  type RestoreSummary,
} from '../archive/import-scope.ts';
import type { EngineContext } from '../engine-context.ts';
import type { HierarchyKeeper } from '../hierarchy/hierarchy-keeper.ts';
import type { KnownIndexes } from '../history/known-indexes.ts';
import type { IndexKeeper, LoadedIndex } from '../index-keeper.ts';
import type { Ingestion } from '../ingestion/ingestion.ts';
import type { ScopeItems } from '../items/scope-items.ts';
import type { QueryRuns } from '../query-run.ts';
import { Run } from '../run.ts';

export interface ForgettingParts {
  readonly name: Scope;
  readonly context: EngineContext;
  readonly index: IndexKeeper;
  readonly known: KnownIndexes;
  readonly queries: QueryRuns;
  readonly recalled: EchoFilter;
  readonly readings: KeptReadings | null;
  readonly ingestion: Ingestion;
  readonly hierarchy: Pick<HierarchyKeeper, 'dropText'>;
  readonly items: Pick<ScopeItems, 'heldWith' | 'letGo'>;
  /** The store with the rows that are hidden from the rest of the scope. */
  readonly whole: GraphStore;
  /** The rows that `context.store`, the scope's view, hides. */
  readonly hidden: HiddenRows;
  over(loaded: LoadedIndex): IngestContext;
  /** Runs a job while no other writer runs, in any process. */
  write<T>(job: (context: IngestContext) => Promise<T>): Promise<T>;
  /** Runs a job while no other process writes. */
  alone<T>(job: () => Promise<T>): Promise<T>;
  /** Ids of the turns that say the words, the best first. */
  search(query: string, limit: number): Promise<readonly string[]>;
}

/** How often a forgetting that fails is retried automatically. */
const MOST_TRIES = 3;
const UNFINISHED =
  'A forgetting could not be completed. Its remaining rows are hidden from searches, answers and exports; flush, resume, maintain and the next open retry it:';

/** The turns in the order in which the target lists them; their older versions follow. */
function inOrderOf(target: ForgetTarget, turns: readonly string[]): readonly string[] {
  if (!('episodes' in target) || !Array.isArray(target.episodes)) return turns;
  return [...new Set([...target.episodes, ...turns])];
}

function reasonOf(error: unknown): string {
  const { cause } = error as { readonly cause?: unknown };
  return describeFailure(ForgettingStoppedError.isInstance(error) ? (cause ?? error) : error).reason;
}

/** Forgetting in one scope, and dropping the copies of forgotten text in memory. */
export class ScopeForgetting {
  readonly #parts: ForgettingParts;
  /** Whether every forgetting is complete. */
  #isSettled = false;
  /** How often completing the rest has failed. */
  #failures = 0;
  /** Whether all remaining rows are hidden. */
  #isHidden = false;

  constructor(parts: ForgettingParts) {
    this.#parts = parts;
  }

  forget(target: ForgetTarget, options: ForgetOptions = {}): Run<ForgetEvent, ForgetReport> {
    return new Run((signal) => this.#run(target, { ...options, signal }), options.signal);
  }

  /** @param look Runs a job over the scope between two writes. */
  async preview(
    target: ForgetTarget,
    { quotations }: ForgetPreviewOptions,
    look: <T>(job: (context: IngestContext) => Promise<T>) => Promise<T>,
  ): Promise<ForgetPreview> {
    const { target: found, kind } = await this.#foundTarget(target);
    return look(async (context) => {
      const target = await resolveTarget(context, found);
      const resolved = { ...target, kind, turns: inOrderOf(found, target.turns) };
      return previewForgetting(context, await withQuotations(context, resolved, quotations));
    });
  }

  /** Forgotten turns of the import are removed again before anybody can read them, even if the import fails. */
  async restore(context: IngestContext, file: string, options: RestoreOptions): Promise<RestoreSummary> {
    const forgotten = await forgottenIn(context, file, options);
    if (forgotten.length === 0) return importScope(context, file, options);
    const { correction } = recordOf(context, forgotten);
    await context.store.commit(this.#parts.name, { nodes: { correction: [correction] } });
    this.#isSettled = false;
    this.#failures = 0; // a new forgetting gets its own retries
    this.#parts.index.invalidate(); // makes searches wait
    const summary = await importScope(context, file, options);
    await this.settle();
    return { ...summary, forgotten: forgotten.length };
  }

  async *#run(target: ForgetTarget, options: ForgetOptions): AsyncGenerator<ForgetEvent> {
    const author = readAuthor(options.author);
    const started = performance.now();
    const { target: found, kind } = await this.#foundTarget(target);
    yield* follow<ForgetEvent>(async (emit, signal) => {
      const report = await this.#parts.write(async (context) => {
        const named = { ...(await resolveTarget(context, found)), kind };
        const { target: resolved, alsoSaid } = await withQuotations(context, named, options.quotations);
        this.#isSettled = false;
        const wanted = { target: resolved, author, signal, report: emit };
        // Forgetting everything includes hidden rows.
        const isOverWhole = kind === 'all' && this.isHiding;
        const done = await executeForgetting(
          isOverWhole ? await this.#overWhole() : context,
          isOverWhole ? this.#accessToWhole() : this.#access(),
          wanted,
        ).catch((error: unknown) => {
          this.#failures = 0; // its remaining rows get their own retries
          throw error;
        });
        this.#isSettled = (await this.#unfinished()).length === 0;
        if (this.#isSettled) await this.#showAll();
        this.#report(done.fallbacks);
        return { ...done, alsoSaid: alsoSaid.length };
      });
      await this.#consolidateWaiting();
      const onDisk = whereWordsStay(this.#parts.context.store);
      emit({ type: 'done', ...report, onDisk, seconds: (performance.now() - started) / 1000 });
    }, options.signal);
  }

  async #foundTarget(target: ForgetTarget) {
    return foundTarget(readTarget(target), this.#parts.search);
  }

  /** For a visible forgetting: others see rows disappear step by step. */
  #access(): ForgetAccess {
    const { readings } = this.#parts;
    const { store, afterRemoval } = this.#parts.context;
    return {
      renew: (followed) => this.#renew(followed?.index ?? null),
      fresh: async () => this.#parts.over(await this.#parts.index.fresh(store)),
      prove: (context, texts, options) =>
        proveForgotten(context, texts, { ...options, holders: this.#holders(context) }),
      dropReadings: (times) => (times === null ? readings?.clear() : readings?.forget(times)),
      afterRemoval:
        afterRemoval &&
        ((context, forgetting, options) =>
          afterRemoval(context, forgetting, { ...options, reader: readings ?? undefined })),
      updateHierarchy: this.#parts.context.updateHierarchy,
    };
  }

  /** For completing a forgetting: the rows that it will remove stay hidden until it is complete. */
  #accessToWhole(): ForgetAccess {
    return {
      ...this.#access(),
      renew: async () => {
        await this.#dropCopies();
        return this.#overWhole();
      },
      fresh: () => this.#overWhole(),
    };
  }

  async #overWhole(): Promise<IngestContext> {
    const { whole, index, over } = this.#parts;
    return { ...over(await index.fresh(whole)), store: whole };
  }

  /**
   * Drops everything in memory that may contain forgotten text, and loads what is needed again.
   *
   * @param followed An index that holds every commit so far; null: build one from the graph.
   */
  async #renew(followed: ScopeIndex | null): Promise<IngestContext> {
    this.#dropTexts();
    await this.#parts.index.shed(followed);
    const context = this.#parts.over(await this.#parts.index.load());
    clearAnalyzerCache();
    return context;
  }

  /** Drops everything of the scope in memory, and its index on disk. */
  async dropAll(): Promise<void> {
    this.#parts.readings?.clear();
    await this.#dropCopies();
  }

  async #dropCopies(): Promise<void> {
    this.#dropTexts();
    await this.#parts.index.discard();
  }

  #dropTexts(): void {
    const { known, queries, recalled, ingestion, hierarchy, items, whole } = this.#parts;
    known.drop();
    queries.drop();
    recalled.forget();
    ingestion.resetBuffers();
    hierarchy.dropText();
    items.letGo();
    if (whole instanceof CachedStore) whole.clear();
    clearAnalyzerCache();
  }

  #holders({ index, store }: IngestContext): HoldersContext {
    const { snapshotFolder, textHolders = [] } = this.#parts.context;
    const { readings } = this.#parts;
    const recalled = this.#parts.recalled.loaded;
    const items = this.#parts.items.heldWith(index);
    return {
      store,
      snapshotFolder,
      indexes: () => [index],
      search: this.#parts.index.loaded?.search ?? null,
      recalled: () => (recalled === null ? [] : [recalled]),
      cachedWords,
      items: () => (items === null ? [] : [items]),
      scope: this.#parts.name,
      beside: readings === null ? textHolders : [...textHolders, readingsHolder(readings)],
    };
  }

  /** Consolidates the turns that wait again, if consolidation is automatic. */
  async #consolidateWaiting(): Promise<void> {
    const { ingest, clock } = this.#parts.context;
    if (ingest.isAutomatic && ingest.profile.tier === 'local')
      this.#parts.ingestion.scheduleWaiting(
        (await this.#parts.write(async (context) => context)).index,
        clock(),
      );
  }

  /**
   * Completes forgettings that were interrupted by the end of the engine or of the work. One that still fails after a
   * few tries is set aside, until a caller insists or the memory is opened again: its rows stay hidden, and
   * everything else works.
   *
   * @throws ForgettingStoppedError, DiskFullError and other errors of the store if `insists`; StoreReadError always.
   */
  async settle({ insists = false } = {}): Promise<void> {
    if (this.#isSettled || (this.isSetAside && !insists)) return;
    try {
      if ((await this.#unfinished()).length > 0) await this.#parts.alone(() => this.#completeAll(insists));
      this.#isSettled = true;
      await this.#showAll();
    } catch (error) {
      this.#failures++;
      await this.#hide();
      if (insists) throw error;
      if (this.#failures === 1) this.#parts.context.logger.warn(`${UNFINISHED} ${reasonOf(error)}`);
    }
  }

  /** Reads what is left to remove only now: another process may have completed it meanwhile. */
  async #completeAll(insists: boolean): Promise<void> {
    this.#parts.readings?.clear();
    for (const correction of await this.#unfinished()) {
      const context = await this.#overWhole();
      const isLastTry = insists || this.#failures + 1 >= MOST_TRIES;
      const done = await completeForgetting(context, this.#accessToWhole(), { correction, isLastTry });
      this.#report(done.fallbacks);
    }
  }

  /**
   * After another process removed rows, or changed more than can be followed: drops everything in memory that may contain
   * them, and completes what that process began and did not end.
   */
  async readAgain(): Promise<void> {
    this.#isSettled = false;
    const { known, queries, recalled, ingestion, hierarchy, index, items, name, context } = this.#parts;
    this.#parts.readings?.clear();
    known.drop();
    queries.drop();
    recalled.forget();
    ingestion.resetBuffers();
    hierarchy.dropText();
    items.letGo();
    context.store.dropCaches(name);
    index.invalidate();
    clearAnalyzerCache();
    await this.settle();
  }

  /** Whether rows of the graph are hidden because they could not be removed yet. */
  get isHiding(): boolean {
    return !this.#parts.hidden.isEmpty;
  }

  /** Whether all rows to be forgotten are removed or hidden. */
  get isSafe(): boolean {
    return this.#isSettled || this.#isHidden;
  }

  /** Whether a failing forgetting is no longer retried automatically. */
  get isSetAside(): boolean {
    return !this.#isSettled && this.#isHidden && this.#failures >= MOST_TRIES;
  }

  async #unfinished(): Promise<Correction[]> {
    const { name, whole } = this.#parts;
    const open: string[] = [];
    for await (const rows of whole.scan(name, 'correction', ['id', 'kind', 'finishedAt']))
      for (const { id, kind, finishedAt } of rows)
        if (kind === 'forget' && finishedAt === null) open.push(id);
    return whole.get(name, 'correction', open);
  }

  /** Hides the rows that remain to be removed. */
  async #hide(): Promise<void> {
    const context = await this.#overWhole();
    const open = await this.#unfinished();
    const records = new Set<string>(open.map(({ id }) => id));
    const rows = [];
    for (const correction of open) rows.push(...(await rowsToHide(context, correction)));
    this.#parts.hidden.hide(rows.filter(({ id }) => !records.has(id)));
    this.#isHidden = true;
    await this.#dropCopies();
  }

  async #showAll(): Promise<void> {
    this.#failures = 0;
    this.#isHidden = false;
    if (!this.isHiding) return;
    this.#parts.hidden.clear();
    await this.#dropCopies();
  }

  #report(fallbacks: readonly ForgetFallback[]): void {
    for (const { step, reason } of fallbacks)
      this.#parts.context.logger.warn(`A step of a forgetting (${step}) failed and was replaced: ${reason}`);
  }

  /** After texts were removed: drops or rebuilds everything that contains them, on disk too. */
  async dropTexts(): Promise<void> {
    this.#parts.readings?.clear();
    await this.#renew(null);
    await this.#parts.index.save();
  }
}

/** Where the words of removed rows can stay. */
function whereWordsStay(store: GraphStore): ForgetReport['onDisk'] {
  if (store.files() !== null) return 'needs compact';
  return store.describe().path === ':memory:' ? 'nothing on disk' : 'needs vacuum';
}
