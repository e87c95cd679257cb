import type { IngestContext } from '../../ingest/ingest-context.ts';
import type { Scope } from '../../model/ids.ts';
import { cachedWords, clearAnalyzerCache } from '../../search/analyzer.ts';
import { CachedStore } from '../../store/cached-store.ts';
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
import type { RecalledKeeper } from '../ingestion/recalled-keeper.ts';
import type { ScopeItems } from '../items/scope-items.ts';
import type { HoldersContext } from '../text-holders/memory-text-holders.ts';
import { completeForgetting, executeForgetting } from './execute.ts';
import type { ForgetEvent, ForgetOptions, ForgetPreview, ForgetPreviewOptions } from './forget-event.ts';
import { ForgetRun } from './forget-run.ts';
import { type ForgetTarget, foundTarget, readAuthor, readTarget, resolveTarget } from './forget-target.ts';
import type { ForgetAccess } from './forgetting.ts';
import { recordOf } from './forgotten-in-archive.ts';
import { previewForgetting } from './preview.ts';
import { proveForgotten } from './prove.ts';
import { withQuotations } from './with-quotations.ts';

export interface ForgettingParts {
  readonly name: Scope;
  readonly context: EngineContext;
  readonly index: IndexKeeper;
  readonly known: KnownIndexes;
  readonly recalled: RecalledKeeper;
  readonly ingestion: Ingestion;
  readonly items: Pick<ScopeItems, 'heldWith'>;
  over(loaded: LoadedIndex): IngestContext;
  /** Runs a job while nobody else writes. */
  write<T>(job: (context: IngestContext) => Promise<T>): Promise<T>;
  /** Ids of the turns that a search finds first. */
  search(query: string, k: number): Promise<readonly string[]>;
}

/** Forgetting in one scope, and whatever of the scope in memory holds words of what is gone. */
export class ScopeForgetting {
  readonly #parts: ForgettingParts;
  /** Whether nothing that was to be forgotten is left. */
  #isSettled = false;

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
          const access = this.#forgetAccess();
          const done = await executeForgetting(context, access, { target: resolved, author, signal, tell });
          this.#isSettled = true;
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

  #forgetAccess(): ForgetAccess {
    return {
      renew: () => this.#renew(),
      prove: (context, texts, options) =>
        proveForgotten(context, texts, { ...options, holders: this.#holders(context) }),
      afterRemoval: this.#parts.context.afterRemoval,
      updateHierarchy: this.#parts.context.updateHierarchy,
    };
  }

  /** Lets go of everything in memory that may hold words of what is gone; what is needed is made anew. */
  async #renew(): Promise<IngestContext> {
    this.#parts.known.drop();
    this.#parts.recalled.forget();
    this.#parts.ingestion.forgetBuffers();
    const { store } = this.#parts.context;
    if (store instanceof CachedStore) store.clear();
    await this.#parts.index.discard();
    const context = this.#parts.over(await this.#parts.index.load());
    clearAnalyzerCache();
    return context;
  }

  #holders({ index }: IngestContext): HoldersContext {
    const { store, snapshotFolder, textHolders = [] } = this.#parts.context;
    const recalled = this.#parts.recalled.asked;
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

  /** Completes what was to be forgotten when the engine, or the work on it, ended too early. */
  async settle(): Promise<void> {
    if (this.#isSettled) return;
    const { store } = this.#parts.context;
    const open = new Set<string>();
    for await (const rows of store.scan(this.#parts.name, 'correction', ['id', 'kind', 'finishedAt']))
      for (const { id, kind, finishedAt } of rows) if (kind === 'forget' && finishedAt === null) open.add(id);
    for (const id of open) {
      const [correction] = await store.get(this.#parts.name, 'correction', [id]);
      this.#parts.index.distrust();
      try {
        const context = this.#parts.over(await this.#parts.index.load());
        await completeForgetting(context, this.#forgetAccess(), correction!);
      } catch (error) {
        this.#parts.index.distrust();
        throw error;
      }
    }
    this.#isSettled = true;
  }

  /** After texts were removed: what holds words of them is made anew, on the disk too. */
  async letGo(): Promise<void> {
    await this.#renew();
    await this.#parts.index.save();
  }
}
