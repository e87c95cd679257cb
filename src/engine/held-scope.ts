import { HiddenRows, HidingStore } from '../edit/forget/hidden-rows.ts';
import { type HoldersContext, readingsHolder } from '../edit/proof/memory-holders.ts';
import { forgetPrompts } from '../inference/prompt-keepers.ts';
import { EchoFilter } from '../ingest/admit/echo-filter.ts';
import { KeptReadings } from '../ingest/extract/kept-readings.ts';
import { readUpTo } from '../ingest/extract/local/reading-limit.ts';
import type { IngestContext } from '../ingest/ingest-context.ts';
import type { ItemTree } from '../items/item-tree.ts';
import type { Milliseconds, Scope } from '../model/ids.ts';
import { QuestionRewriter } from '../retrieve/rewrite/question-rewriter.ts';
import { cachedWords, clearAnalyzerCache } from '../search/analyzer.ts';
import type { ScopeIndex } from '../search/scope-index.ts';
import { CachedStore } from '../store/cached-store.ts';
import type { GraphStore } from '../store/graph-store.ts';
import type { EngineContext } from './engine-context.ts';
import { IndexCache, type LoadedIndex } from './index-cache.ts';
import { KnownIndexes } from './past/known-indexes.ts';
import { QueryRuns } from './query-run.ts';
import { type ScopeSharing, SharedScope, SOLE_PROCESS } from './sharing/scope-sharing.ts';

/** What this process holds of one scope: a view of the store, the index, and copies of the scope's text. */
export abstract class HeldScope {
  readonly scope: Scope;
  /** The components of the engine, with the store of this scope. */
  readonly engine: EngineContext;
  /** The engine's store without the rows of `hidden`. */
  readonly store: HidingStore;
  /** The store with the hidden rows, for completing a forgetting. */
  readonly whole: GraphStore;
  /** Rows that a forgetting could not remove yet. */
  readonly hidden = new HiddenRows();
  readonly sharing: ScopeSharing;
  readonly index: IndexCache;
  readonly known: KnownIndexes;
  readonly queries = new QueryRuns();
  readonly rewriter = new QuestionRewriter();
  readonly recalled: EchoFilter;
  /** Null if the same turns may be read in different ways. */
  readonly readings: KeptReadings | null;
  readonly clock: () => Milliseconds;
  readonly newId: () => string;

  constructor(scope: Scope, engine: EngineContext) {
    this.scope = scope;
    this.whole = engine.store;
    this.store = new HidingStore(engine.store, scope, this.hidden);
    this.engine = { ...engine, store: this.store };
    this.sharing = engine.shared ? new SharedScope(scope, engine.shared) : SOLE_PROCESS;
    this.index = new IndexCache(scope, this.engine, this.sharing);
    this.known = new KnownIndexes(scope, this.engine);
    this.recalled = new EchoFilter(this.store, scope);
    const { isRepeatable = false, stages } = engine.ingest;
    this.readings = isRepeatable ? new KeptReadings(stages.reader) : null;
    this.clock = engine.clock;
    this.newId = engine.newId;
  }

  /** Drops the text that background work and items hold. */
  protected abstract dropTextOfWork(): void;

  /** Called when interrupted forgettings are complete: what remains is derived again in the background. */
  abstract derivesSoon(): void;

  /** The items cached for an index of the scope; null if there are none. */
  protected abstract itemsHeldWith(index: ScopeIndex): Promise<ItemTree> | null;

  /** What writes the scope over a loaded index. */
  over({ index, embedding: { embedder } }: LoadedIndex): IngestContext {
    const { scope, store, clock, newId } = this;
    const { admission, ingest } = this.engine;
    const context = { scope, store, embedder, admission, clock, newId, index };
    // The reading limit of a language model depends on its context window.
    return ingest.profile.tier === 'local' ? { ...context, readUpTo } : context;
  }

  /** As `over`, with an index of its own, built from the graph; `isWhole` includes the hidden rows. */
  async fresh({ isWhole = false } = {}): Promise<IngestContext> {
    const store = isWhole ? this.whole : this.store;
    return { ...this.over(await this.index.fresh(store)), store };
  }

  /**
   * Drops everything in memory that may contain forgotten text, and loads what is needed again.
   *
   * @param followed An index that holds every commit so far; null: build one from the graph.
   */
  async renewed(followed: ScopeIndex | null): Promise<IngestContext> {
    this.#dropTextAndRows();
    await this.index.shed(followed);
    const context = this.over(await this.index.load());
    clearAnalyzerCache();
    return context;
  }

  /** Builds an index from the graph, while searches use the former one, and puts it in its place. */
  async replacedIndex(): Promise<IngestContext> {
    const built = await this.index.build(this.engine.embedding.current);
    if (built === null) return this.over(await this.index.load());
    this.index.replace(built);
    return this.over(built);
  }

  /** Drops the scope's text in memory, and its index on disk. */
  async dropCopies(): Promise<void> {
    this.#dropTextAndRows();
    await this.index.discard();
  }

  /** As another process changed rows that cannot be followed: the next use reads the graph. */
  forgetAll(): void {
    this.readings?.clear();
    this.#dropText();
    this.store.dropCaches(this.scope);
    this.index.invalidate();
  }

  /** Drops the kept readings of turns of these times; null: of all turns. */
  dropReadings(times: readonly Milliseconds[] | null): void {
    if (times === null) this.readings?.clear();
    else this.readings?.forget(times);
  }

  /** Everything in memory that may hold the scope's text, for the proof of a forgetting. */
  textHolders({ index, store }: IngestContext): HoldersContext {
    const { snapshotFolder, textHolders = [] } = this.engine;
    const { readings } = this;
    const recalled = this.recalled.loaded;
    const items = this.itemsHeldWith(index);
    return {
      store,
      snapshotFolder,
      indexes: () => [index],
      search: this.index.loaded?.search ?? null,
      recalled: () => (recalled === null ? [] : [recalled]),
      cachedWords,
      items: () => (items === null ? [] : [items]),
      scope: this.scope,
      beside: readings === null ? textHolders : [...textHolders, readingsHolder(readings)],
    };
  }

  #dropText(): void {
    this.known.drop();
    this.queries.drop();
    this.rewriter.drop();
    this.recalled.forget();
    this.dropTextOfWork();
    clearAnalyzerCache();
    forgetPrompts();
  }

  #dropTextAndRows(): void {
    this.#dropText();
    if (this.whole instanceof CachedStore) this.whole.clear();
  }
}
