import { completeForgetting, executeForgetting } from '../../edit/forget/execute.ts';
import {
  type ForgetEvent,
  type ForgetFallback,
  type ForgetOptions,
  type ForgetPreview,
  type ForgetPreviewOptions,
  ForgetRun,
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
import { ForgettingStoppedError } from '../../errors/index.ts';
import type { EchoFilter } from '../../ingest/admit/echo-filter.ts';
import type { IngestContext } from '../../ingest/ingest-context.ts';
import { describeFailure } from '../../ingest/local-fallback.ts';
import type { ForgetTarget } from '../../model/forget-target.ts';
import type { Scope } from '../../model/ids.ts';
import type { Correction } from '../../model/nodes.ts';
import { cachedWords, clearAnalyzerCache } from '../../search/analyzer.ts';
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
import type { KnownIndexes } from '../history/known-indexes.ts';
import type { IndexKeeper, LoadedIndex } from '../index-keeper.ts';
import type { Ingestion } from '../ingestion/ingestion.ts';
import type { ScopeItems } from '../items/scope-items.ts';

export interface ForgettingParts {
  readonly name: Scope;
  readonly context: EngineContext;
  readonly index: IndexKeeper;
  readonly known: KnownIndexes;
  readonly recalled: EchoFilter;
  readonly ingestion: Ingestion;
  readonly items: Pick<ScopeItems, 'heldWith' | 'letGo'>;
  /** The store with everything that is hidden from the rest of the scope. */
  readonly whole: GraphStore;
  /** What `context.store`, as everything in the scope sees it, leaves out. */
  readonly hidden: HiddenRows;
  over(loaded: LoadedIndex): IngestContext;
  /** Runs a job while nobody else writes. */
  write<T>(job: (context: IngestContext) => Promise<T>): Promise<T>;
  /** Ids of the turns that a search finds first. */
  search(query: string, k: number): Promise<readonly string[]>;
}

/** So often is a forgetting that cannot be completed tried again unasked. */
const MOST_TRIES = 3;
const UNFINISHED =
  'A forgetting could not be completed. What it left is hidden from searches, answers and exports; flush, resume and maintain try it again, and so does the next opening:';

function reasonOf(error: unknown): string {
  const { cause } = error as { readonly cause?: unknown };
  return describeFailure(ForgettingStoppedError.isInstance(error) ? (cause ?? error) : error).reason;
}

/** Forgetting in one scope, and whatever of the scope in memory holds words of what is gone. */
export class ScopeForgetting {
  readonly #parts: ForgettingParts;
  /** Whether nothing that was to be forgotten is left. */
  #isSettled = false;
  /** How often completing what is left has failed. */
  #failures = 0;
  /** Whether all that is left is hidden. */
  #isHidden = false;

  constructor(parts: ForgettingParts) {
    this.#parts = parts;
  }

  forget(target: ForgetTarget, options: ForgetOptions = {}): ForgetRun {
    return new ForgetRun(() => this.#run(target, options));
  }

  /** @param look Runs a job over the scope between two writes. */
  async preview(
    target: ForgetTarget,
    { quotations }: ForgetPreviewOptions,
    look: <T>(job: (context: IngestContext) => Promise<T>) => Promise<T>,
  ): Promise<ForgetPreview> {
    const { target: found, kind } = await this.#foundTarget(target);
    return look(async (context) => {
      const resolved = { ...(await resolveTarget(context, found)), kind };
      return previewForgetting(context, await withQuotations(context, resolved, quotations));
    });
  }

  /** What was forgotten here goes again before anybody sees it, and whatever becomes of the import. */
  async restore(context: IngestContext, file: string, options: RestoreOptions): Promise<RestoreSummary> {
    const forgotten = await forgottenIn(context, file, options);
    if (forgotten.length === 0) return importScope(context, file, options);
    const { correction } = recordOf(context, forgotten);
    await context.store.commit(this.#parts.name, { nodes: { correction: [correction] } });
    this.#isSettled = false;
    this.#failures = 0; // whatever was set aside: this is new
    this.#parts.index.distrust(); // searches wait
    const summary = await importScope(context, file, options);
    await this.settle();
    return { ...summary, forgotten: forgotten.length };
  }

  async *#run(target: ForgetTarget, options: ForgetOptions): AsyncGenerator<ForgetEvent> {
    const author = readAuthor(options.author);
    const started = performance.now();
    const { target: found, kind } = await this.#foundTarget(target);
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, ...(options.signal ? [options.signal] : [])]);
    yield* follow<ForgetEvent>(
      async (tell) => {
        const report = await this.#parts.write(async (context) => {
          const named = { ...(await resolveTarget(context, found)), kind };
          const { target: resolved, alsoSaid } = await withQuotations(context, named, options.quotations);
          this.#isSettled = false;
          const wanted = { target: resolved, author, signal, tell };
          // All goes, whatever is hidden.
          const isOverWhole = kind === 'all' && this.isHiding;
          const done = await executeForgetting(
            isOverWhole ? await this.#overWhole() : context,
            isOverWhole ? this.#accessToWhole() : this.#access(),
            wanted,
          ).catch((error: unknown) => {
            this.#failures = 0; // what it leaves is a matter of its own
            throw error;
          });
          this.#isSettled = (await this.#unfinished()).length === 0;
          if (this.#isSettled) await this.#showAll();
          this.#report(done.fallbacks);
          return { ...done, alsoSaid: alsoSaid.length };
        });
        await this.#goOn();
        const onDisk = this.#parts.context.store.files() === null ? 'nothing on disk' : 'needs compact';
        tell({ type: 'done', ...report, onDisk, seconds: (performance.now() - started) / 1000 });
      },
      () => stop.abort(),
    );
  }

  async #foundTarget(target: ForgetTarget) {
    return foundTarget(readTarget(target), this.#parts.search);
  }

  /** Of a forgetting that others may watch: what it has removed is gone for them step by step. */
  #access(): ForgetAccess {
    const { store } = this.#parts.context;
    return {
      renew: () => this.#renew(),
      fresh: async () => this.#parts.over(await this.#parts.index.fresh(store)),
      prove: (context, texts, options) =>
        proveForgotten(context, texts, { ...options, holders: this.#holders(context) }),
      afterRemoval: this.#parts.context.afterRemoval,
      updateHierarchy: this.#parts.context.updateHierarchy,
    };
  }

  /** Of a forgetting that is completed: until it is, others are shown nothing that it is to remove. */
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

  /** Lets go of everything in memory that may hold words of what is gone, and loads what is needed again. */
  async #renew(): Promise<IngestContext> {
    await this.#dropCopies();
    const context = this.#parts.over(await this.#parts.index.load());
    clearAnalyzerCache();
    return context;
  }

  async #dropCopies(): Promise<void> {
    const { known, recalled, ingestion, index, whole } = this.#parts;
    known.drop();
    recalled.forget();
    ingestion.forgetBuffers();
    if (whole instanceof CachedStore) whole.clear();
    await index.discard();
    clearAnalyzerCache();
  }

  #holders({ index, store }: IngestContext): HoldersContext {
    const { snapshotFolder, textHolders = [] } = this.#parts.context;
    const recalled = this.#parts.recalled.loaded;
    const items = this.#parts.items.heldWith(index);
    return {
      store,
      snapshotFolder,
      indexes: () => [index],
      recalled: () => (recalled === null ? [] : [recalled]),
      cachedWords,
      items: () => (items === null ? [] : [items]),
      scope: this.#parts.name,
      beside: textHolders,
    };
  }

  /** What waits to be read again is read, where that happens by itself. */
  async #goOn(): Promise<void> {
    const { ingest, clock } = this.#parts.context;
    if (ingest.isAutomatic && ingest.profile.tier === 'local')
      this.#parts.ingestion.goOn((await this.#parts.write(async (context) => context)).index, clock());
  }

  /**
   * Completes what was to be forgotten when the engine, or the work on it, ended too early. What cannot be completed is
   * set aside after a few tries, until somebody insists or the memory is opened again: its rows are hidden, and all else
   * goes on.
   *
   * @throws ForgettingStoppedError, DiskFullError and others of the store, to whoever insists. StoreReadError to all.
   */
  async settle({ insists = false } = {}): Promise<void> {
    if (this.#isSettled || (this.isSetAside && !insists)) return;
    try {
      for (const correction of await this.#unfinished()) {
        const context = await this.#overWhole();
        const isLastTry = insists || this.#failures + 1 >= MOST_TRIES;
        const done = await completeForgetting(context, this.#accessToWhole(), { correction, isLastTry });
        this.#report(done.fallbacks);
      }
      this.#isSettled = true;
      await this.#showAll();
    } catch (error) {
      this.#failures++;
      await this.#hide();
      if (insists) throw error;
      if (this.#failures === 1) this.#parts.context.logger.warn(`${UNFINISHED} ${reasonOf(error)}`);
    }
  }

  /** Whether rows of the graph are hidden, since they could not be removed yet. */
  get isHiding(): boolean {
    return !this.#parts.hidden.isEmpty;
  }

  /** Whether nobody can be shown what is to be forgotten: it is gone, or hidden. */
  get isSafe(): boolean {
    return this.#isSettled || this.#isHidden;
  }

  /** Whether something that cannot be completed is no longer tried unasked. */
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

  /** Nobody is shown what is to go. */
  async #hide(): Promise<void> {
    const context = await this.#overWhole();
    const open = await this.#unfinished();
    const records = new Set<string>(open.map(({ id }) => id));
    const rows = [];
    for (const correction of open) rows.push(...(await rowsToHide(context, correction)));
    this.#parts.hidden.hide(rows.filter(({ id }) => !records.has(id)));
    this.#isHidden = true;
    await this.#dropCopies();
    this.#parts.items.letGo();
  }

  async #showAll(): Promise<void> {
    this.#failures = 0;
    this.#isHidden = false;
    if (!this.isHiding) return;
    this.#parts.hidden.clear();
    await this.#dropCopies();
    this.#parts.items.letGo();
  }

  #report(fallbacks: readonly ForgetFallback[]): void {
    for (const { step, reason } of fallbacks)
      this.#parts.context.logger.warn(`A step of a forgetting (${step}) failed and was replaced: ${reason}`);
  }

  /** After texts were removed: what holds words of them is made anew, on the disk too. */
  async letGo(): Promise<void> {
    await this.#renew();
    await this.#parts.index.save();
  }
}
