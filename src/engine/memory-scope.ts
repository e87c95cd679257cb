import type { IngestionSteps } from '../../graphs/ingestion/steps.ts';
import type { RetrievalSettings } from '../../graphs/retrieval/context.ts';
import type { RetrievalSteps } from '../../graphs/retrieval/steps.ts';
import {
  type AnswerEvent,
  type AnswerListener,
  type GivenAnswer,
  streamAnswer,
} from '../answer/given-answer.ts';
import { Corrections } from '../edit/correct/corrections.ts';
import type {
  ForgetEvent,
  ForgetOptions,
  ForgetPreview,
  ForgetPreviewOptions,
  ForgetProof,
  ForgetReport,
} from '../edit/forget/forget-event.ts';
import { removalsOfAll } from '../edit/forget/remove-everything.ts';
import { CancelledError, CommitConflictError, InvalidInputError } from '../errors/index.ts';
import { LlmCategorySummarizer } from '../hierarchy/describe/llm-category-summarizer.ts';
import { TokenBudget } from '../inference/language-model/calling/token-budget.ts';
import {
  type BufferedTurns,
  type BufferOptions,
  bufferTurns,
  previewTurns,
} from '../ingest/admit/admit-turns.ts';
import { EchoFilter } from '../ingest/admit/echo-filter.ts';
import type { AddResult } from '../ingest/admit/plan-episodes.ts';
import { KeptReadings } from '../ingest/extract/kept-readings.ts';
import { readUpTo } from '../ingest/extract/local/reading-limit.ts';
import type { IngestContext } from '../ingest/ingest-context.ts';
import { LocalSuperseder } from '../ingest/supersede/local-superseder.ts';
import { type AddFactsResult, ingestFacts } from '../ingest/write/write-facts.ts';
import type { CallOptions } from '../model/call-options.ts';
import type { CorrectionOptions, FactEdit } from '../model/correction-input.ts';
import type { FactInput } from '../model/fact-input.ts';
import type { ForgetTarget } from '../model/forget-target.ts';
import type { NodeCounts } from '../model/graph-changes.ts';
import type { Scope } from '../model/ids.ts';
import type { Episode, Fact, Profile, Tombstone } from '../model/nodes.ts';
import type { RankedSearch } from '../model/retrieved-item.ts';
import type { AddInput, TurnInput } from '../model/turn-input.ts';
import { flatRanking } from '../retrieve/flat-ranking.ts';
import type { Recipe } from '../retrieve/recipes/recipe.ts';
import { DEFAULT_RECIPE, recipeFrom } from '../retrieve/recipes/recipes.ts';
import { entityNamed } from '../search/entity-index.ts';
import { readFilter } from '../search/field-filter.ts';
import { type LookBack, type LookBackOptions, readLookBack } from '../search/look-back.ts';
import type { ScopeState } from '../store/graph-store.ts';
import type { LoggedCommit } from '../store/store-sharing.ts';
import { Breather } from '../util/breathe.ts';
import { collect } from '../util/collections.ts';
import { placeOf } from '../util/describe-issues.ts';
import { follow } from '../util/follow.ts';
import { SerialQueue } from '../util/serial-queue.ts';
import { type AddOptions, readAddOptions } from './add-options.ts';
import { forAnswer } from './answer.ts';
import { type ExportSummary, exportScope } from './archive/export-scope.ts';
import type { RestoreSummary } from './archive/import-scope.ts';
import type { FlushOptions } from './call-options.ts';
import type { EngineContext, HierarchySetup } from './engine-context.ts';
import type { ChangeEvent } from './feed/change-event.ts';
import { ChangeFeed, type ChangesOptions, listenToChanges } from './feed/change-feed.ts';
import { changeHistory } from './feed/change-history.ts';
import { ScopeForgetting } from './forgetting/scope-forgetting.ts';
import { turnsSaying } from './forgetting/turns-saying.ts';
import { HierarchyKeeper, type HierarchyReport, waitingEntities } from './hierarchy/hierarchy-keeper.ts';
import { hierarchySetup } from './hierarchy/hierarchy-setup.ts';
import type { HierarchyAccess } from './hierarchy/hierarchy-steps.ts';
import { ScopeHierarchy } from './hierarchy/scope-hierarchy.ts';
import { type EntityHistory, type EntityHistoryRequest, entityHistory } from './history/entity-history.ts';
import { type FactHistory, factHistory } from './history/fact-history.ts';
import { KnownIndexes, type MemoryView } from './history/known-indexes.ts';
import { countThen } from './history/known-then.ts';
import type { Page, PageRequest } from './history/page.ts';
import { sessionTurns } from './history/session-turns.ts';
import {
  type ImportEvent,
  type ImportOptions,
  type ImportReport,
  importTurns,
  type TurnSource,
} from './import-turns.ts';
import type { IndexKeeper, LoadedIndex } from './index-keeper.ts';
import type { EnrichmentReport, ResumeEvent, ResumeOptions } from './ingestion/enrichment-report.ts';
import { type EnrichmentState, enrichmentState, retryChanges } from './ingestion/failures.ts';
import { Ingestion, type StepsOptions } from './ingestion/ingestion.ts';
import type { OrganizeRequest, ScopeAccess } from './ingestion/scope-access.ts';
import { ScopeItems } from './items/scope-items.ts';
import type { KeptHistory } from './knowledge/recent-changes.ts';
import { ReviewDesk } from './knowledge/review-board.ts';
import { ScopeKnowledge } from './knowledge/scope-knowledge.ts';
import { type MaintainOptions, type MaintenanceReport, maintainScope } from './maintain/maintain-scope.ts';
import { RETENTION_AUTHOR } from './maintain/remove-texts.ts';
import { beginQuery, type Query, type QuerySettings, runAsk, runSearch } from './query.ts';
import { QueryRuns } from './query-run.ts';
import {
  type DeleteReport,
  type ListRequest,
  ScopeRecords,
  type StoredMemory,
  type TurnUpdate,
} from './records/scope-records.ts';
import { Run } from './run.ts';
import type { Resident } from './scope-residency.ts';
import { scopeView } from './scope-view.ts';
import { type AskOptions, type QuestionOptions, readSearch, type SearchOptions } from './search-options.ts';
import { canFollow, withVectorsOf } from './sharing/followed-commit.ts';
import type { ScopeSharing } from './sharing/scope-sharing.ts';

/** The settings of a retrieval graph, with the recipe that its name stands for. */
export interface RetrievalOptions extends Omit<RetrievalSettings, 'recipe'>, CallOptions {
  readonly recipe?: string | Recipe | undefined;
  /** Whether to start over, with memory as it is now. */
  readonly begins: boolean;
}

/** Number of rows of each kind, superseded ones included, and of waiting turns. */
export interface ScopeStats extends NodeCounts {
  readonly enrichment: EnrichmentState;
}

const CATEGORIES_WAIT =
  'A forgetting is not complete yet, and categories may be named after what it will remove. They were not changed; run "mnemis maintain" first';
/** Number of uncategorized entities that justify an update, and perhaps a model call, before a session ends. */
const WORTH_ORGANIZING = 40;
/** A scope that was used within this time follows the commits of other processes as they come. */
const HOT_MS = 2_000;

/** Of one commit of `deleteScope`. */
const ROWS_PER_COMMIT = 500;
const DELETED = 'This scope was deleted; engine.scope(name) gives a new, empty memory of its name';

/** Removes a whole scope and calls `deleted` when nothing of it is left. */
type DeleteScope = (
  scope: MemoryScope,
  options: CallOptions,
  deleted: () => void,
) => Run<ForgetEvent, ForgetReport>;

/** What `Mnemis.deleteScope` runs; no method, because an engine has to let go of the object. */
export let deleteScope: DeleteScope;

/** The memory of one user, agent or project; no other scope can see it. */
export class MemoryScope {
  static {
    deleteScope = (scope, { signal }, deleted) =>
      new Run((stop) => scope.#deleteScope({ signal: stop }, deleted), signal);
  }

  readonly name: Scope;
  /** Values that agents store under namespaces and keys; the content of LangGraph stores. */
  readonly items: ScopeItems;
  readonly #context: EngineContext;
  /** Null if the same turns may be read in different ways. */
  readonly #readings: KeptReadings | null;
  readonly #index: IndexKeeper;
  readonly #sharing: ScopeSharing;
  readonly #known: KnownIndexes;
  readonly #queries = new QueryRuns();
  readonly #reviewDesk = new ReviewDesk();
  /** Runs one write at a time; searches do not wait for it. */
  readonly #writes = new SerialQueue();
  /** Yields between adds in a loop, in case neither store nor embedder yields. */
  readonly #breather = new Breather();
  readonly #recalled: EchoFilter;
  readonly #ingestion: Ingestion;
  readonly #forgetting: ScopeForgetting;
  readonly #hierarchySetup: HierarchySetup;
  readonly #hierarchy: HierarchyKeeper;
  readonly #resident: Resident = {
    heldBytes: () => (this.#index.loaded?.index.bytes ?? 0) + (this.#readings?.bytes ?? 0),
    release: () => this.#release(),
  };
  /** The history that pages of recent changes were read of last; without text. */
  #history: KeptHistory | null = null;
  /** Whether the turns that waited at opening were scheduled. */
  #isOpened = false;
  #isCatchingUp = false;
  /** Whether `deleteScope` has removed it. */
  #isDeleted = false;
  /** Whether other processes have committed since. */
  #isBehind = false;
  /** Time of the last use that read the index. */
  #usedAt = Number.NEGATIVE_INFINITY;

  constructor(name: Scope, engine: EngineContext, view = scopeView(name, engine)) {
    const { context, whole, index, hidden, sharing } = view;
    this.name = name;
    this.#sharing = sharing;
    this.#context = context;
    const { isRepeatable = false, stages } = context.ingest;
    this.#readings = isRepeatable ? new KeptReadings(stages.reader) : null;
    this.#index = index;
    this.#known = new KnownIndexes(name, context);
    this.#recalled = new EchoFilter(context.store, name);
    this.#hierarchySetup = context.hierarchy ?? {
      ...hierarchySetup({}, context.ingest),
      isAutomatic: false,
    };
    this.#hierarchy = new HierarchyKeeper(this.#hierarchyAccess());
    this.#ingestion = new Ingestion(this.#access(), context.logger);
    this.items = new ScopeItems(this.#access());
    this.#forgetting = new ScopeForgetting({
      ...{
        name,
        context,
        index,
        whole,
        hidden,
        known: this.#known,
        queries: this.#queries,
        recalled: this.#recalled,
        readings: this.#readings,
        ingestion: this.#ingestion,
        hierarchy: this.#hierarchy,
      },
      items: this.items,
      over: (loaded) => this.#ingestContext(loaded),
      write: (job) => this.#write(job, { alone: true }),
      alone: (job) => sharing.alone(job),
      search: (query, limit) =>
        turnsSaying(query, limit, async (k) => (await this.search(query, { k })).episodes),
    });
    const self = new WeakRef(this); // who watches does not keep the scope
    context.shared?.watch(name, () => {
      const scope = self.deref();
      if (scope !== undefined) scope.#catchUp();
    });
  }

  /**
   * Stores turns: texts, turns or messages of LangChain; `options` says what they do not say themselves. When it
   * resolves, each accepted turn is on disk and searchable; `notStored` lists the others with the reason: known already,
   * forgotten, or rejected by a rule of the user. Turns become entities and facts when
   * their topic is complete: after a gap of half an hour between turns, when about 2,000 tokens wait, and at `flush`
   * or `close`.
   *
   * @throws InvalidInputError for a malformed turn or an unknown option; nothing of the call is stored.
   * @throws CancelledError if the signal fires before the commit; then nothing of the call is stored.
   * @throws DiskFullError, StoreWriteError: nothing of the call is stored.
   */
  async add(input: AddInput | readonly AddInput[], options: AddOptions = {}): Promise<AddResult> {
    const { signal, ...defaults } = readAddOptions(options);
    const inputs = Array.isArray(input) ? input : [input];
    const buffered = await this.#buffer(inputs, { signal, defaults, isStrict: true });
    if (this.#context.ingest.isAutomatic) this.#ingestion.noteStored(buffered);
    return buffered.result;
  }

  /** What `add` would do with the turns; stores nothing. */
  async preview(inputs: readonly TurnInput[]): Promise<AddResult> {
    return this.#inTurn(async () => previewTurns(this.#ingestContext(await this.#loadFirst()), inputs));
  }

  /** Stores statements that the caller extracted, with the turns that support them. */
  async addFacts(input: readonly FactInput[], { signal }: CallOptions = {}): Promise<AddFactsResult> {
    if (!Array.isArray(input)) throw new InvalidInputError('addFacts takes a list of facts');
    const superseder = this.#context.ingest.stages.superseder && new LocalSuperseder();
    return this.#write(async (context) => ingestFacts({ ...context, superseder }, input, signal)).finally(
      () => this.#recalled.forget(),
    );
  }

  /**
   * Adds a long stream of turns. Await it for the report, or iterate over its progress. First all turns are stored, batch by batch, and are searchable
   * at once; then they are consolidated. After a cancel, a crash or an exhausted budget, `resume` or the same import
   * continues; known turns are skipped.
   */
  import(turns: TurnSource, options: ImportOptions = {}): Run<ImportEvent, ImportReport> {
    const work = (signal: AbortSignal) => ({
      ...options,
      signal,
      add: async (batch: readonly TurnInput[]) =>
        (await this.#buffer(batch, { ...options, signal, isImport: true })).result,
      consolidate: () => this.resume({ budget: options.budget, signal }),
    });
    return new Run((signal) => importTurns(turns, work(signal)), options.signal);
  }

  /**
   * Consolidates all waiting turns, as at the end of a session, and saves the index for a quick next open.
   *
   * @throws CancelledError, BudgetExhaustedError, ModelUnavailableError and other failures not caused by the turns:
   *   what was consolidated is kept, the rest waits. Turns that cannot be read are set aside (see `stats`).
   */
  async flush({ signal, budget }: FlushOptions = {}): Promise<EnrichmentReport> {
    await this.#retryForgetting();
    const report = await this.#ingestion.enrich({ ended: true, signal, budget });
    await this.#saveIndex();
    return report;
  }

  /** As `flush`, but reports progress; with `retry` it also retries turns that were set aside. */
  resume(options: ResumeOptions = {}): Run<ResumeEvent, EnrichmentReport> {
    return new Run((signal) => this.#resume({ ...options, signal }), options.signal);
  }

  async *#resume({ retry = false, ...options }: ResumeOptions): AsyncGenerator<ResumeEvent> {
    await this.#retryForgetting();
    if (retry) await this.#retry();
    yield* follow<ResumeEvent>(async (emit, signal) => {
      const report = await this.#ingestion.enrich({
        ...options,
        ended: true,
        signal,
        onProgress: (progress) => emit({ type: 'progress', ...progress }),
      });
      await this.#saveIndex();
      emit({ type: 'done', ...report });
    }, options.signal);
  }

  /**
   * Ends the work on this scope. The local tier consolidates waiting turns; in the llm tier they wait for the next
   * open. A failed consolidation is logged, not thrown: the turns are stored.
   */
  async close(): Promise<void> {
    await this.#ingestion.stop();
    await this.#hierarchy.interrupt();
    this.#known.drop();
    const { isAutomatic, profile } = this.#context.ingest;
    const waits = (this.#index.loaded?.index.enrichment.pending.size ?? 0) > 0;
    if (isAutomatic && waits && profile.tier === 'local') await this.#ingestion.enrichLast();
    await this.#saveIndex();
  }

  /**
   * What `ingestionGraph` needs to write this scope, for graphs that you run yourself, such as in Studio.
   *
   * @throws InvalidInputError if profile and tier contradict each other, or a language model is missing.
   */
  ingestionSteps(options: StepsOptions = {}): IngestionSteps {
    const { languageModel = this.#context.languageModel } = options;
    return this.#ingestion.steps({ ...options, languageModel });
  }

  /**
   * Ranked evidence for a question, each item with its reasons and source turns. Ended facts are left out unless the
   * recipe includes them; `asOf` searches what held at a time, `knownAt` what memory knew at a time. `items` holds the
   * best of all kinds in one list.
   *
   * @throws InvalidInputError for an unknown or invalid option; CancelledError.
   */
  async search(query: string, options: SearchOptions = {}): Promise<RankedSearch> {
    const { signal } = options;
    const begun = await this.#query(query, options);
    const { sequence } = this.#sharing;
    const found = await runSearch(begun, { signal });
    return {
      ...found,
      ...(sequence !== undefined && { sequence }),
      items: flatRanking(found, begun.settings.k),
    };
  }

  /**
   * What `retrievalGraph` needs for one question, for graphs that you run yourself, such as in Studio. With `begins` the
   * question is read again; else a run that resumes finds what earlier nodes computed.
   */
  async retrievalSteps(
    question: string,
    { begins, tier, answers = true, signal, tokenBudget, breakpoints: _, ...options }: RetrievalOptions,
  ): Promise<RetrievalSteps> {
    const key = JSON.stringify([question, tier, answers, tokenBudget, options]);
    const budget = tokenBudget === undefined ? undefined : new TokenBudget(tokenBudget);
    const begin = () =>
      this.#query(question, { ...options, signal, budget }, { answers, isLocal: tier === 'local' });
    return this.#queries.open(key, begin, begins);
  }

  /** An answer that quotes memory with numbered citations, or that says memory does not contain enough. */
  async ask(question: string, options: AskOptions = {}): Promise<GivenAnswer> {
    return this.#ask(question, options, {});
  }

  /** As `ask`, but reports the search result and streams the text of the answer. */
  streamAnswer(question: string, options: AskOptions = {}): AsyncGenerator<AnswerEvent, void> {
    const { signal } = options;
    return streamAnswer(
      ({ signal, ...listener }) => this.#ask(question, { ...options, signal }, listener),
      signal,
    );
  }

  async #ask(
    question: string,
    options: AskOptions,
    { onFound, onText }: AnswerListener,
  ): Promise<GivenAnswer> {
    const { signal } = options;
    const begun = await this.#query(question, { ...options, onFound }, { answers: true });
    return runAsk(begun, { signal, onText });
  }

  /** Reads a question. With `answers`, questions about the past also find ended facts. */
  async #query(
    query: string,
    options: QuestionOptions,
    { answers = false, isLocal = false } = {},
  ): Promise<Query> {
    const given = this.#settings(query, options);
    const settings = answers ? forAnswer(query, given) : given;
    if (options.consistent) await this.#inTurn(() => this.#loadNewest());
    const { languageModel, ...view } = await this.#view(settings.times);
    const hasModel = languageModel !== undefined && options.answerer !== 'local';
    const hasReader = hasModel || options.onContext !== undefined;
    return beginQuery(isLocal ? view : { ...view, languageModel }, query.toWellFormed(), {
      ...settings,
      ...{ signal: options.signal, isRead: answers && hasReader },
    });
  }

  /**
   * Number of rows of each kind, superseded ones included, and of turns that wait or were set aside. With `asOf` or
   * `knownAt`, only rows that were live at that time; waiting turns are always the current ones.
   */
  async stats(options: LookBackOptions = {}): Promise<ScopeStats> {
    const { store } = this.#context;
    const times = readLookBack(options);
    const isNow = times.asOf === null && times.knownAt === null;
    await this.#whenSafe();
    const counts = isNow
      ? await store.count(this.name)
      : await this.#inTurn(() => countThen({ store, scope: this.name }, times));
    return { ...counts, enrichment: await enrichmentState(store, this.name) };
  }

  /**
   * Turns by id, superseded versions included, in the order of the ids; ids that the scope does not have are skipped.
   */
  async episodes(ids: readonly string[]): Promise<readonly Episode[]> {
    return this.#inTurn(() => this.#context.store.get(this.name, 'episode', ids));
  }

  /**
   * Facts by id, superseded versions included, in the order of the ids; ids that the scope does not have are skipped.
   */
  async facts(ids: readonly string[]): Promise<readonly Fact[]> {
    return this.#inTurn(() => this.#context.store.get(this.name, 'fact', ids));
  }

  /** What keeps forgotten turns and names from coming back: digests, without any text. */
  async tombstones(): Promise<readonly Tombstone[]> {
    return this.#inTurn(() => collect(this.#context.store.scan(this.name, 'tombstone')));
  }

  /** The turn or fact with this id, superseded versions included; null if there is none. */
  async get(id: string): Promise<StoredMemory | null> {
    return this.#records.get(id);
  }

  /**
   * Current turns, or facts, a page at a time: `next` of a page is `after` of the following one.
   *
   * @throws InvalidInputError for an unknown option, or a cursor that no page returned.
   */
  async list(request: ListRequest = {}): Promise<Page<StoredMemory>> {
    return this.#records.list(request);
  }

  /**
   * Gives a turn new content, speaker or metadata, or edits a fact (`corrections.editFact`); returns the new version.
   * The former one stays in the history. A changed turn waits to be read for facts again.
   *
   * @throws InvalidInputError if there is no such current turn or fact, or for an invalid change.
   */
  async update(
    id: string,
    change: TurnUpdate | FactEdit,
    options: CorrectionOptions = {},
  ): Promise<StoredMemory> {
    return this.#records.update(id, change, options);
  }

  /**
   * Forgets turns with everything that depends on them (`forget`), and rejects facts: memory no longer believes them,
   * their turns stay, and `corrections.undo` takes it back.
   *
   * @throws InvalidInputError if one of the ids is no current turn or fact; then nothing was deleted.
   */
  async delete(ids: string | readonly string[], options: ForgetOptions = {}): Promise<DeleteReport> {
    return this.#records.delete(typeof ids === 'string' ? [ids] : ids, options);
  }

  get #records(): ScopeRecords {
    return new ScopeRecords({
      read: async () => this.#ingestContext(await this.#load()),
      add: (turn) => this.add(turn),
      forget: (episodes, options) => this.forget({ episodes }, options),
      corrections: this.corrections,
    });
  }

  /** Current profiles of entities and categories by id; ids that the scope does not have are skipped. */
  async profiles(ids: readonly string[]): Promise<readonly Profile[]> {
    const { index } = await this.#load();
    const current = ids.flatMap((id) => index.entities.profileOf(id)?.id ?? []);
    return this.#inTurn(() => this.#context.store.get(this.name, 'profile', current));
  }

  /** All live turns of a session in order; empty if there is no such session. */
  async turns(session: string): Promise<readonly Episode[]> {
    const { store } = this.#context;
    return this.#inTurn(async () =>
      sessionTurns({ store, scope: this.name, index: (await this.#loadFirst()).index }, session),
    );
  }

  /** Past and current profiles and facts of an entity (by id, or by one of its names), or how a fact came to be. */
  async history(of: { readonly entity: string }, request?: EntityHistoryRequest): Promise<EntityHistory>;
  async history(of: { readonly fact: string }, request?: PageRequest): Promise<FactHistory>;
  async history(
    of: { readonly entity?: string; readonly fact?: string },
    request: EntityHistoryRequest & PageRequest = {},
  ): Promise<EntityHistory | FactHistory> {
    const { store, clock } = this.#context;
    const context = { store, scope: this.name, clock };
    if (of.fact !== undefined) {
      await this.#whenSafe();
      return factHistory(context, of.fact, request);
    }
    const { index } = await this.#load();
    return entityHistory(context, entityNamed(of.entity ?? '', index.entities), request);
  }

  /**
   * What memory learned, superseded, was given and forgot, in commit order: with `since`, changes from that system
   * time on, then new ones. A slow reader does not delay writers: it gets an event `missed` and must start again with
   * that event's `since`. Ends with the signal, `return()` and the engine.
   *
   * @throws InvalidInputError if `since` is not a time.
   */
  changes(options: ChangesOptions = {}): AsyncIterableIterator<ChangeEvent> {
    const { feed = new ChangeFeed() } = this.#context;
    const inTurn = <T>(job: () => Promise<T>) => this.#inTurn(job);
    if (this.#context.shared !== undefined) void this.#load().catch(() => undefined); // to follow the others' commits
    return listenToChanges({ ...this.#changed(), feed, inTurn }, options);
  }

  /**
   * Completes interrupted forgetting and applies the retention rules: with `keepFacts`, turns that are too old lose
   * their text but their facts stay; otherwise they are forgotten. Removed text stays in the file until `compact`.
   *
   * @throws InvalidInputError for an invalid rule; CancelledError, after which the next call continues.
   */
  async maintain(options: MaintainOptions = {}): Promise<MaintenanceReport> {
    const { store, clock, retention } = this.#context;
    return maintainScope(
      {
        ...{ store, clock, scope: this.name },
        write: (job) => this.#write(job),
        dropTexts: () => this.#inTurn(() => this.#forgetting.dropTexts()),
        settle: () => this.settle(),
        forget: (before, signal) =>
          this.forget({ before }, { author: RETENTION_AUTHOR, ...(signal ? { signal } : {}) }),
      },
      { retention, ...options },
    );
  }

  /**
   * Completes interrupted forgetting. Searches and writes do so automatically until it has failed three times.
   *
   * @throws ForgettingStoppedError: the remaining rows stay hidden.
   */
  async settle(): Promise<void> {
    await this.#exclusively(() => this.#forgetting.settle({ insists: true }));
  }

  /** Categories over the entities, from specific to general: build, browse and rebuild them. */
  get hierarchy(): ScopeHierarchy {
    const view = async () => this.#ingestContext(await this.#load());
    const { languageModel } = this.#context;
    return new ScopeHierarchy(this.#hierarchy, {
      view,
      describer: languageModel === undefined ? null : new LlmCategorySummarizer(languageModel),
      inTurn: (job) => this.#inTurn(async () => job(this.#ingestContext(await this.#loadFirst()))),
      saveIndex: () => this.#saveIndex(),
    });
  }

  /** What a person may want to see: what was learned of turns, portraits of people, sessions, recent changes. */
  get knowledge(): ScopeKnowledge {
    const { store, clock } = this.#context;
    return new ScopeKnowledge({
      read: async () => ({ store, scope: this.name, clock, index: (await this.#load()).index }),
      history: () => this.#inTurn(() => this.#readHistory()),
      describing: this.#changed(),
      desk: this.#reviewDesk,
    });
  }

  /** Changes made by hand: edits, rejections, pins, merges, splits, and undo. */
  get corrections(): Corrections {
    return new Corrections({
      write: (job) => this.#write(job),
      read: async () => this.#ingestContext(await this.#load()),
      rebuildIndex: () => this.#index.invalidate(),
      changed: () => this.#recalled.forget(),
    });
  }

  /** What `forget` of the same target would remove. For a query, `episodes` has its turns. */
  async previewForget(target: ForgetTarget, options: ForgetPreviewOptions = {}): Promise<ForgetPreview> {
    return this.#forgetting.preview(target, options, (job) =>
      this.#inTurn(async () => job(this.#ingestContext(await this.#loadFirst()))),
    );
  }

  /**
   * Forgets turns and everything that depends on them, or everything derived about an entity (docs/forgetting.md).
   * Await it for the report, or iterate over its progress. It runs in steps of one transaction each; once the first
   * step is committed, the rest always completes, at the latest before the scope is next searched or written. The
   * text stays in the memory's file until `compact`.
   *
   * @throws InvalidInputError for a target that does not exist; CancelledError, ForgettingStoppedError.
   */
  forget(target: ForgetTarget, options: ForgetOptions = {}): Run<ForgetEvent, ForgetReport> {
    return this.#forgetting.forget(target, options);
  }

  async *#deleteScope(options: ForgetOptions, deleted: () => void): AsyncGenerator<ForgetEvent> {
    for await (const event of this.#forgetting.forget({ all: true }, options)) {
      if (event.type === 'done') {
        await this.#ingestion.stop();
        await this.#hierarchy.interrupt();
        await this.#write((context) => this.#removeName(context), { alone: true });
        this.#sharing.noteSeen(null);
        deleted();
        yield { ...event, proof: await this.#withName(event.proof) };
      } else yield event;
    }
  }

  /** Removes what forgetting keeps, and turns that were added since. */
  async #removeName({ store, scope }: IngestContext): Promise<void> {
    const options = { keep: '', until: Number.POSITIVE_INFINITY, rows: ROWS_PER_COMMIT };
    for await (const { changes } of removalsOfAll({ store, scope }, options))
      await store.commit(scope, changes);
    const tombstones = await collect(store.scan(scope, 'tombstone', ['id']));
    for (let start = 0; start < tombstones.length; start += ROWS_PER_COMMIT) {
      const some = tombstones.slice(start, start + ROWS_PER_COMMIT);
      await store.commit(scope, { removals: some.map(({ id }) => ({ kind: 'tombstone', id })) });
    }
    await this.#forgetting.dropAll();
    this.#history = null;
    store.dropCaches(scope);
    await store.removeScope(scope);
    this.#isDeleted = true;
  }

  async #withName(proof: ForgetProof): Promise<ForgetProof> {
    const isListed = (await this.#context.store.scopes()).includes(this.name);
    if (!isListed) return { ...proof, searched: proof.searched + 1 };
    return {
      ...proof,
      clean: false,
      searched: proof.searched + 1,
      findings: [...proof.findings, { holder: 'graph', where: 'scope', texts: 1 }],
    };
  }

  /** Writes the whole scope as JSON lines (docs/export-format.md). */
  async exportTo(file: string, { signal }: CallOptions = {}): Promise<ExportSummary> {
    return this.#inTurn(() =>
      exportScope({ scope: this.name, store: this.#context.store, clock: this.#context.clock }, file, signal),
    );
  }

  /** Reads the output of `exportTo`. Existing rows are skipped, so that an interrupted import can be repeated. */
  async importFrom(file: string, options: CallOptions & { newIds?: boolean } = {}): Promise<RestoreSummary> {
    if (this.#forgetting.isHiding) await this.settle(); // the file may contain hidden rows
    const restore = (context: IngestContext) => this.#forgetting.restore(context, file, options);
    const { feed } = this.#context;
    return this.#write(
      (context) =>
        feed === undefined
          ? restore(context)
          : feed.asOneEvent(this.name, 'restored', () => restore(context)),
      { alone: true },
    ).finally(() => {
      this.#recalled.forget();
      this.items.letGo();
    });
  }

  async #buffer(inputs: readonly unknown[], options: BufferOptions): Promise<BufferedTurns> {
    const buffered = await this.#write((context) => bufferTurns(context, inputs, options), { asks: false });
    await this.#recalled.follow({ nodes: { episode: [...buffered.sessions.values()].flat() } });
    return buffered;
  }

  #settings(query: string, options: QuestionOptions): QuerySettings {
    const k = readSearch(query, options);
    const { recipe = DEFAULT_RECIPE, routeMilliseconds, signal, asker, earlier, filter } = options;
    if (signal?.aborted) throw new CancelledError('memory is unchanged', signal.reason);
    const { asOf, knownAt, budget, answerer, threshold, traced, contextTokens, onFound, onContext } = options;
    const { clock } = this.#context;
    return {
      ...{ k, routeMilliseconds, budget, answerer, threshold, traced, contextTokens, clock },
      ...{ onFound, onContext },
      ...{ asker, earlier: earlier?.map((each) => each.toWellFormed()) },
      ...{ recipe: recipeFrom(recipe), times: readLookBack({ asOf, knownAt }) },
      ...(filter === undefined ? {} : { filter: readFilter(filter) }),
    };
  }

  /** Logs only kind and location: an error's message may contain a turn's text. */
  readonly #onDefect = (route: string, error: unknown) => {
    this.#context.logger.warn(
      `The route ${route} of a search was left out because of a defect: ${placeOf(error)}`,
    );
  };

  async #view({ knownAt }: LookBack): Promise<MemoryView> {
    const { store, languageModel, reranker } = this.#context;
    const models = { languageModel, reranker, onDefect: this.#onDefect };
    if (knownAt !== null) return { ...(await this.#inTurn(() => this.#known.load(knownAt))), ...models };
    const { index, questions, search } = await this.#load();
    return { scope: this.name, store, embedder: questions, index, search: search ?? undefined, ...models };
  }

  #changed() {
    const nameOf = async (entity: string) => (await this.#load()).index.entities.profileOf(entity)?.name;
    return { store: this.#context.store, scope: this.name, nameOf };
  }

  async #readHistory(): Promise<KeptHistory> {
    const { store } = this.#context;
    const state = await store.state(this.name);
    if (this.#history?.state.token !== state.token) {
      const drafts = await changeHistory({ store, scope: this.name }, Number.NEGATIVE_INFINITY);
      this.#history = { state, drafts };
    }
    return this.#history;
  }

  async #retry(): Promise<void> {
    await this.#write(async ({ store, scope, index, clock }) => {
      const { setAside } = index.enrichment;
      if (setAside.size === 0) return;
      const changes = await retryChanges(store, scope, { setAside, now: clock() });
      await store.commit(scope, changes);
      index.apply(changes);
    });
  }

  /** Updates the hierarchy after consolidation, in the background: when enough entities wait, or when sessions end. */
  async #organize({ ended, ...calls }: OrganizeRequest): Promise<HierarchyReport | null> {
    const context = this.#ingestContext(await this.#load());
    if (this.#hierarchy.isSettled(context)) return null;
    const isDue = ended || waitingEntities(context.index) >= WORTH_ORGANIZING;
    return isDue ? this.#hierarchy.organize(calls) : null;
  }

  async #saveIndex(): Promise<void> {
    await this.#writes.drain();
    if (this.#index.loaded === null) return;
    await this.#inTurn(async () => {
      if (!this.#forgetting.isHiding) await this.#index.save(); // otherwise it lacks rows of the graph
    });
  }

  #access(): ScopeAccess {
    const { profile, stages: given } = this.#context.ingest;
    const stages = { ...given, reader: this.#readings ?? given.reader };
    return {
      profile,
      stages,
      recalled: this.#recalled,
      buffer: (turns, signal) => this.#buffer(turns, { signal }),
      read: async () => this.#ingestContext(await this.#load()),
      write: (job) => this.#write(job),
      asWorker: (job, options) =>
        this.#sharing.asWorker(async () => {
          await this.#inTurn(() => this.#loadNewest());
          return job();
        }, options),
      isPaused: () => this.#forgetting.isHiding,
      organize: this.#hierarchySetup.isAutomatic ? (options) => this.#organize(options) : null,
    };
  }

  #hierarchyAccess(): HierarchyAccess {
    const { settings, categorizer } = this.#hierarchySetup;
    return {
      settings,
      categorizer,
      read: async () => {
        const loaded = await this.#load();
        if (this.#forgetting.isHiding) throw new InvalidInputError(CATEGORIES_WAIT);
        return this.#ingestContext(loaded);
      },
      write: (job) => this.#write(job),
      asWorker: (job, options) => this.#sharing.asWorker(job, options),
      committed: (changes) => this.#recalled.follow(changes),
    };
  }

  #ingestContext({ index, embedding: { embedder } }: LoadedIndex): IngestContext {
    const { store, clock, newId, admission, ingest } = this.#context;
    const context = { scope: this.name, store, embedder, admission, clock, newId, index };
    // The reading limit of a language model depends on its context window.
    return ingest.profile.tier === 'local' ? { ...context, readUpTo } : context;
  }

  /**
   * @param alone Whether the job commits more than once, so that no other process may commit in between.
   * @param asks Whether to read the commits of other processes before, even without a notice of one; if not, the commit finds out.
   */
  #write<T>(job: (context: IngestContext) => Promise<T>, { alone = false, asks = true } = {}): Promise<T> {
    const attempt = async () => {
      await this.#breather.breathe();
      const { store } = this.#context;
      const loaded = await (asks || this.#isBehind ? this.#loadNewest() : this.#loadFirst());
      const before = await store.state(this.name);
      try {
        return await job(this.#ingestContext(loaded));
      } catch (error) {
        if (CommitConflictError.isInstance(error)) this.#isBehind = true;
        await this.#invalidateIndex(before);
        throw error;
      }
    };
    return this.#inTurn(() => (alone ? this.#sharing.alone(attempt) : this.#sharing.attempt(attempt)));
  }

  /** After a write failed following its commit, the index lags behind the graph. */
  async #invalidateIndex(before: ScopeState): Promise<void> {
    const after = await this.#context.store.state(this.name).catch(() => null);
    if (after?.token !== before.token) this.#index.invalidate();
  }

  /** Runs between two writes, so that no commit happens while the index loads. */
  async #load(): Promise<LoadedIndex> {
    this.#context.residency?.touch(this.#resident);
    this.#usedAt = performance.now();
    if (this.#isBehind) return this.#inTurn(() => this.#loadNewest());
    return this.#index.requested ?? this.#inTurn(() => this.#loadFirst());
  }

  /** Drops all text of the scope from memory; the next use loads it from the snapshot and the graph. */
  #release(): Promise<boolean> {
    return this.#inTurn(async () => {
      const isInUse = () =>
        this.#ingestion.isAtWork ||
        this.#hierarchy.isAtWork ||
        this.#forgetting.isHiding ||
        (this.#context.shared !== undefined && this.#context.feed?.hasListeners(this.name) === true);
      if (isInUse()) return false;
      await this.#index.save();
      if (isInUse()) return false; // work began on the index while it was saved
      this.#index.release();
      this.#known.drop();
      this.#history = null;
      this.#queries.drop();
      this.#recalled.forget();
      this.#readings?.clear();
      this.#hierarchy.dropText();
      this.#ingestion.clearDesk();
      this.#context.store.dropCaches(this.name);
      return true;
    });
  }

  async #loadFirst(): Promise<LoadedIndex> {
    const loaded = await this.#index.load();
    this.#context.residency?.touch(this.#resident);
    if (this.#isOpened) return loaded;
    this.#isOpened = true;
    const { ingest, clock } = this.#context;
    if (ingest.isAutomatic) this.#ingestion.scheduleWaiting(loaded.index, clock());
    return loaded;
  }

  /** As `#loadFirst`, with the commits of other processes. */
  async #loadNewest(): Promise<LoadedIndex> {
    const loaded = await this.#loadFirst();
    this.#isBehind = false;
    const commits = await this.#sharing.newer().catch((error: unknown) => {
      this.#isBehind = true;
      throw error;
    });
    if (commits === null || !commits.every(canFollow)) {
      await this.#forgetting.readAgain();
      for (const { changes } of commits ?? []) this.#context.feed?.note(this.name, changes)();
      return this.#loadFirst();
    }
    for (const commit of commits) await this.#follow(loaded, commit);
    return loaded;
  }

  async #follow({ index, embedding }: LoadedIndex, { changes, state }: LoggedCommit): Promise<void> {
    const { store, feed } = this.#context;
    const followed = withVectorsOf(changes, embedding);
    await index.prepare(followed);
    index.apply(followed);
    this.#sharing.noteSeen(state);
    const { nodes = {}, updates = [] } = changes;
    store.dropCaches(this.name, updates);
    await this.#recalled.follow(changes);
    if (nodes.item !== undefined || updates.some(({ kind }) => kind === 'item')) this.items.letGo();
    this.#ingestion.noteFollowed(nodes.episode ?? []);
    feed?.note(this.name, changes)();
  }

  /** Reads what other processes committed: at once, in the background, if the scope is in use; else at its next use. */
  #catchUp(): void {
    this.#isBehind = true;
    const isHot = performance.now() - this.#usedAt < HOT_MS || this.#context.feed?.hasListeners(this.name);
    if (this.#isCatchingUp || !isHot || this.#index.loaded === null) return;
    this.#isCatchingUp = true;
    const job = async () => {
      this.#isCatchingUp = false;
      if (this.#index.loaded !== null) await this.#loadNewest();
    };
    // A failure is that of the next use, too.
    this.#inTurn(job).catch(() => {
      this.#isCatchingUp = false;
    });
  }

  /** Rows that cannot be removed yet stay hidden, so a failure blocks nothing else. */
  async #retryForgetting(): Promise<void> {
    if (this.#forgetting.isSetAside) await this.settle().catch(() => undefined);
  }

  /** Runs before rows are read outside the write queue: rows to be forgotten are then removed or hidden. */
  async #whenSafe(): Promise<void> {
    if (!this.#forgetting.isSafe) await this.#inTurn(async () => undefined);
  }

  #inTurn<T>(job: () => Promise<T>): Promise<T> {
    return this.#exclusively(async () => {
      if (this.#isDeleted) throw new InvalidInputError(DELETED);
      await this.#forgetting.settle();
      return job();
    });
  }

  /** Runs after queued jobs, and never while the embedder is replaced. */
  #exclusively<T>(job: () => Promise<T>): Promise<T> {
    return this.#writes.run(() => this.#context.embedding.gate.shared(job));
  }
}
