import type { IngestionSteps } from '../../graphs/ingestion/steps.ts';
import type { RetrievalSettings } from '../../graphs/retrieval/context.ts';
import type { RetrievalSteps } from '../../graphs/retrieval/steps.ts';
import {
  type AnswerEvent,
  type AnswerListener,
  type GivenAnswer,
  streamAnswer,
} from '../answer/given-answer.ts';
import type { PromptBlock } from '../answer/prompt-block.ts';
import type { ChangeEvent } from '../browse/feed/change-event.ts';
import { type ChangesOptions, listenToChanges } from '../browse/feed/change-feed.ts';
import {
  type EntityHistory,
  type EntityHistoryRequest,
  entityHistory,
} from '../browse/history/entity-history.ts';
import { type FactHistory, factHistory } from '../browse/history/fact-history.ts';
import type { Page, PageRequest } from '../browse/history/page.ts';
import type { Portrait } from '../browse/portrait.ts';
import { ScopeKnowledge } from '../browse/scope-knowledge.ts';
import { sessionTurns } from '../browse/session-page.ts';
import type {
  ForgetEvent,
  ForgetOptions,
  ForgetPreview,
  ForgetPreviewOptions,
  ForgetReport,
} from '../edit/forget/forget-event.ts';
import { CancelledError } from '../errors/index.ts';
import { type ExportSummary, exportScope } from '../files/archive/export-scope.ts';
import type { RestoreSummary } from '../files/archive/import-scope.ts';
import { TokenBudget } from '../inference/language-model/calling/token-budget.ts';
import { previewTurns } from '../ingest/admit/admit-turns.ts';
import type { AddResult } from '../ingest/admit/plan-episodes.ts';
import type { AddFactsResult } from '../ingest/write/write-facts.ts';
import type { ScopeItems } from '../items/scope-items.ts';
import type { CallOptions } from '../model/call-options.ts';
import type { CorrectionOptions, FactEdit } from '../model/correction-input.ts';
import type { FactInput } from '../model/fact-input.ts';
import type { ForgetTarget } from '../model/forget-target.ts';
import type { Scope } from '../model/ids.ts';
import type { Episode, Fact, Profile, Tombstone } from '../model/nodes.ts';
import type { PortraitRequest } from '../model/portrait-request.ts';
import type { RankedSearch, SearchResult } from '../model/retrieved-item.ts';
import type { AddInput, TurnInput } from '../model/turn-input.ts';
import type { Recipe } from '../retrieve/recipes/recipe.ts';
import { DEFAULT_RECIPE, recipeFrom } from '../retrieve/recipes/recipes.ts';
import { flatRanking } from '../retrieve/search.ts';
import { entityNamed } from '../search/entity-index.ts';
import { readFilter } from '../search/field-filter.ts';
import { type LookBack, type LookBackOptions, readLookBack } from '../search/look-back.ts';
import { collect } from '../util/collections.ts';
import { placeOf } from '../util/describe-issues.ts';
import { addFacts } from './add-facts.ts';
import type { AddOptions } from './add-turns.ts';
import { addTurns } from './add-turns.ts';
import { forAnswer } from './answer.ts';
import type { FlushOptions } from './call-options.ts';
import { Corrections } from './corrections.ts';
import { forget, previewForget } from './forgetting/forget.ts';
import { restoreArchive } from './forgetting/restore-archive.ts';
import { ScopeHierarchy } from './hierarchy/scope-hierarchy.ts';
import {
  type ImportEvent,
  type ImportOptions,
  type ImportReport,
  importTurns,
  type TurnSource,
} from './import-turns.ts';
import { endWork, flush, resume } from './ingestion/consolidate.ts';
import type { EnrichmentReport, ResumeEvent, ResumeOptions } from './ingestion/enrichment-report.ts';
import type { StepsOptions } from './ingestion/ingestion.ts';
import { type MaintainOptions, type MaintenanceReport, maintainScope } from './maintain/maintain-scope.ts';
import type { MemoryView } from './past/known-indexes.ts';
import { beginQuery, type Query, type QuerySettings, runAsk, runContext, runSearch } from './query.ts';
import {
  type DeleteReport,
  deleteMemories,
  type ListRequest,
  listMemories,
  memoryWithId,
  type StoredMemory,
  type TurnUpdate,
  updateMemory,
} from './records/stored-memories.ts';
import type { Run } from './run.ts';
import type { ScopeSession } from './scope-session.ts';
import { type ScopeStats, scopeStats } from './scope-stats.ts';
import {
  type AskOptions,
  type PromptBlockOptions,
  type QuestionOptions,
  readSearch,
  type SearchOptions,
} from './search-options.ts';

/** The settings of a retrieval graph, with the recipe that its name stands for. */
export interface RetrievalOptions extends Omit<RetrievalSettings, 'recipe'>, CallOptions {
  readonly recipe?: string | Recipe | undefined;
  /** Whether to start over, with memory as it is now. */
  readonly begins: boolean;
}

/** The memory of one user, agent or project; no other scope can see it. */
export class MemoryScope {
  readonly name: Scope;
  /** Values that agents store under namespaces and keys; the content of LangGraph stores. */
  readonly items: ScopeItems;
  readonly #session: ScopeSession;

  constructor(session: ScopeSession) {
    this.#session = session;
    this.name = session.scope;
    this.items = session.items;
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
    return addTurns(this.#session, input, options);
  }

  /** What `add` would do with the turns; stores nothing. */
  async preview(inputs: readonly TurnInput[], options: Pick<AddOptions, 'isMove'> = {}): Promise<AddResult> {
    return this.#session.look((context) => previewTurns(context, inputs, options));
  }

  /** Stores statements that the caller extracted, with the turns that support them. */
  async addFacts(input: readonly FactInput[], { signal }: CallOptions = {}): Promise<AddFactsResult> {
    return addFacts(this.#session, input, signal);
  }

  /**
   * Adds a long stream of turns. Await it for the report, or iterate over its progress. First all turns are stored, batch by batch, and are searchable
   * at once; then they are consolidated. After a cancel, a crash or an exhausted budget, `resume` or the same import
   * continues; known turns are skipped.
   */
  import(turns: TurnSource, options: ImportOptions = {}): Run<ImportEvent, ImportReport> {
    return importTurns(this.#session, turns, options);
  }

  /**
   * Consolidates all waiting turns, as at the end of a session, and saves the index for a quick next open.
   *
   * @throws CancelledError, BudgetExhaustedError, ModelUnavailableError and other failures not caused by the turns:
   *   what was consolidated is kept, the rest waits. Turns that cannot be read are set aside (see `stats`).
   */
  async flush({ signal, budget }: FlushOptions = {}): Promise<EnrichmentReport> {
    return flush(this.#session, { signal, budget });
  }

  /** As `flush`, but reports progress; with `retry` it also retries turns that were set aside. */
  resume(options: ResumeOptions = {}): Run<ResumeEvent, EnrichmentReport> {
    return resume(this.#session, options);
  }

  /**
   * Ends the work on this scope. The local tier consolidates waiting turns; in the llm tier they wait for the next
   * open. A failed consolidation is logged, not thrown: the turns are stored.
   */
  async close(): Promise<void> {
    await endWork(this.#session);
  }

  /**
   * What `ingestionGraph` needs to write this scope, for graphs that you run yourself, such as in Studio.
   *
   * @throws InvalidInputError if profile and tier contradict each other, or a language model is missing.
   */
  ingestionSteps(options: StepsOptions = {}): IngestionSteps {
    const { languageModel = this.#session.engine.languageModel } = options;
    return this.#session.ingestion.steps({ ...options, languageModel });
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
    const { sequence } = this.#session.sharing;
    return rankedSearch(await runSearch(begun, { signal }), { sequence, k: begun.settings.k });
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
    return this.#session.queries.open(key, begin, begins);
  }

  /** An answer that quotes memory with numbered citations, or that says memory does not contain enough. */
  async ask(question: string, options: AskOptions = {}): Promise<GivenAnswer> {
    return this.#ask(question, options, {});
  }

  /**
   * What memory holds on a question as one block of text, for a model that you call yourself: put `text` into the
   * prompt, before the question. It says how to read it, and encloses the numbered sources as data; `sources` says what
   * the numbers refer to, and `search` what a search returns. Turns fill `tokens` by rank; `text` is empty where nothing
   * was found.
   *
   * @throws InvalidInputError for an unknown or invalid option; CancelledError.
   */
  async context(question: string, options: PromptBlockOptions = {}): Promise<PromptBlock> {
    const isFilled = options.k === undefined && options.limit === undefined;
    const begun = await this.#query(question, options, { answers: true, isRead: isFilled });
    const { sequence } = this.#session.sharing;
    const { found, ...block } = await runContext(begun, options);
    return { ...block, search: rankedSearch(found, { sequence, k: begun.settings.k }) };
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

  /**
   * Reads a question. With `answers`, questions about the past also find ended facts. With `isRead` a model may read the
   * context; by default, if there is one or the caller wants the context.
   */
  async #query(
    query: string,
    options: QuestionOptions,
    {
      answers = false,
      isLocal = false,
      isRead,
    }: { readonly answers?: boolean; readonly isLocal?: boolean; readonly isRead?: boolean } = {},
  ): Promise<Query> {
    const given = this.#settings(query, options);
    const settings = answers ? forAnswer(query, given) : given;
    if (options.consistent) await this.#session.loadNewest();
    const { languageModel, ...view } = await this.#view(settings.times);
    const hasModel = languageModel !== undefined && options.answerer !== 'local';
    const hasReader = isRead ?? (hasModel || options.onContext !== undefined);
    return beginQuery(isLocal ? view : { ...view, languageModel }, query.toWellFormed(), {
      ...settings,
      signal: options.signal,
      isRead: answers && hasReader,
    });
  }

  /**
   * Number of rows of each kind, superseded ones included, and of turns that wait or were set aside. With `asOf` or
   * `knownAt`, only rows that were live at that time; waiting turns are always the current ones.
   */
  async stats(options: LookBackOptions = {}): Promise<ScopeStats> {
    return scopeStats(this.#session, options);
  }

  /**
   * Turns by id, superseded versions included, in the order of the ids; ids that the scope does not have are skipped.
   */
  async episodes(ids: readonly string[]): Promise<readonly Episode[]> {
    return this.#session.rows('episode', ids);
  }

  /**
   * Facts by id, superseded versions included, in the order of the ids; ids that the scope does not have are skipped.
   */
  async facts(ids: readonly string[]): Promise<readonly Fact[]> {
    return this.#session.rows('fact', ids);
  }

  /** What keeps forgotten turns and names from coming back: digests, without any text. */
  async tombstones(): Promise<readonly Tombstone[]> {
    return this.#session.inTurn(() => collect(this.#session.store.scan(this.name, 'tombstone')));
  }

  /** Those of the turns that this scope has at the same place with the same words, superseded versions included. */
  async turnsLike<Turn extends Pick<Episode, 'session' | 'index' | 'contentHash'>>(
    turns: readonly Turn[],
  ): Promise<readonly Turn[]> {
    const { store } = this.#session;
    const fields = ['session', 'index', 'contentHash'] as const;
    const rows = await this.#session.inTurn(() => collect(store.scan(this.name, 'episode', fields)));
    const place = ({ session, index, contentHash }: (typeof rows)[number]) =>
      JSON.stringify([session, index, contentHash]);
    const own = new Set(rows.map(place));
    return turns.filter((turn) => own.has(place(turn)));
  }

  /** The turn or fact with this id, superseded versions included; null if there is none. */
  async get(id: string): Promise<StoredMemory | null> {
    return memoryWithId(this.#session, id);
  }

  /**
   * Current turns, or facts, a page at a time: `next` of a page is `after` of the following one.
   *
   * @throws InvalidInputError for an unknown option, or a cursor that no page returned.
   */
  async list(request: ListRequest = {}): Promise<Page<StoredMemory>> {
    return listMemories(this.#session, request);
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
    return updateMemory(this.#session, id, { change, ...options });
  }

  /**
   * Forgets turns with everything that depends on them (`forget`), and rejects facts: memory no longer believes them,
   * their turns stay, and `corrections.undo` takes it back.
   *
   * @throws InvalidInputError if one of the ids is no current turn or fact; then nothing was deleted.
   */
  async delete(ids: string | readonly string[], options: ForgetOptions = {}): Promise<DeleteReport> {
    return deleteMemories(this.#session, typeof ids === 'string' ? [ids] : ids, options);
  }

  /** Current profiles of entities and categories by id; ids that the scope does not have are skipped. */
  async profiles(ids: readonly string[]): Promise<readonly Profile[]> {
    const { index } = await this.#session.load();
    const current = ids.flatMap((id) => index.entities.profileOf(id)?.id ?? []);
    return this.#session.rows('profile', current);
  }

  /** All live turns of a session in order; empty if there is no such session. */
  async turns(session: string): Promise<readonly Episode[]> {
    return this.#session.look((context) => sessionTurns(context, session));
  }

  /** Past and current profiles and facts of an entity (by id, or by one of its names), or how a fact came to be. */
  async history(of: { readonly entity: string }, request?: EntityHistoryRequest): Promise<EntityHistory>;
  async history(of: { readonly fact: string }, request?: PageRequest): Promise<FactHistory>;
  async history(
    of: { readonly entity?: string; readonly fact?: string },
    request: EntityHistoryRequest & PageRequest = {},
  ): Promise<EntityHistory | FactHistory> {
    const session = this.#session;
    if (of.fact !== undefined) {
      await session.whenSafe();
      return factHistory(session, of.fact, request);
    }
    const { index } = await session.load();
    return entityHistory(session, entityNamed(of.entity ?? '', index.entities), request);
  }

  /**
   * What memory learned, superseded, was given and forgot, in commit order: with `since`, changes from that system
   * time on, then new ones. A slow reader does not delay writers: it gets an event `missed` and must start again with
   * that event's `since`. Ends with the signal, `return()` and the engine.
   *
   * @throws InvalidInputError if `since` is not a time.
   */
  changes(options: ChangesOptions = {}): AsyncIterableIterator<ChangeEvent> {
    const { engine } = this.#session;
    if (engine.shared !== undefined) void this.#session.load().catch(() => undefined); // to follow the others' commits
    return listenToChanges(this.#session, options);
  }

  /**
   * Completes interrupted forgetting and applies the retention rules: with `keepFacts`, turns that are too old lose
   * their text but their facts stay; otherwise they are forgotten. Removed text stays in the file until `compact`.
   *
   * @throws InvalidInputError for an invalid rule; CancelledError, after which the next call continues.
   */
  async maintain(options: MaintainOptions = {}): Promise<MaintenanceReport> {
    const { retention } = this.#session.engine;
    return maintainScope(this.#session, { retention, ...options });
  }

  /**
   * Completes interrupted forgetting, which searches and writes do automatically until it has failed three times, and
   * waits until what the remaining turns give is derived again.
   *
   * @throws ForgettingStoppedError: the remaining rows stay hidden; DiskFullError and other errors of the store.
   */
  async settle(): Promise<void> {
    await this.#session.settle();
  }

  /** Categories over the entities, from specific to general: build, browse and rebuild them. */
  get hierarchy(): ScopeHierarchy {
    return new ScopeHierarchy(this.#session);
  }

  /**
   * What memory holds about a person, by default the user, in sections that people use; `portraitText` makes one text of
   * it.
   *
   * @throws InvalidInputError if the scope does not have the named entity.
   */
  async portrait(request: PortraitRequest = {}): Promise<Portrait> {
    return this.knowledge.portrait(request);
  }

  /** What a person may want to see: what was learned of turns, portraits of people, sessions, recent changes. */
  get knowledge(): ScopeKnowledge {
    return new ScopeKnowledge(this.#session);
  }

  /** Changes made by hand: edits, rejections, pins, merges, splits, and undo. */
  get corrections(): Corrections {
    return new Corrections(this.#session);
  }

  /** What `forget` of the same target would remove. For a query, `episodes` has its turns. */
  async previewForget(target: ForgetTarget, options: ForgetPreviewOptions = {}): Promise<ForgetPreview> {
    return previewForget(this.#session, target, { ...options, memory: this });
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
    return forget(this.#session, target, { ...options, memory: this });
  }

  /** Writes the whole scope as JSON lines (docs/export-format.md). */
  async exportTo(file: string, { signal }: CallOptions = {}): Promise<ExportSummary> {
    return this.#session.inTurn(() => exportScope(this.#session, file, signal));
  }

  /** Reads the output of `exportTo`. Existing rows are skipped, so that an interrupted import can be repeated. */
  async importFrom(file: string, options: CallOptions & { newIds?: boolean } = {}): Promise<RestoreSummary> {
    return restoreArchive(this.#session, file, options);
  }

  #settings(query: string, options: QuestionOptions): QuerySettings {
    const k = readSearch(query, options);
    const { recipe = DEFAULT_RECIPE, rewrite, signal, earlier, filter, asOf, knownAt, ...others } = options;
    if (signal?.aborted) throw new CancelledError('memory is unchanged', signal.reason);
    return {
      ...others,
      k,
      clock: this.#session.clock,
      earlier: earlier?.map((each) => each.toWellFormed()),
      recipe: recipeFrom(recipe),
      times: readLookBack({ asOf, knownAt }),
      ...(rewrite && { rewriter: this.#session.rewriter }),
      ...(filter === undefined ? {} : { filter: readFilter(filter) }),
    };
  }

  /** Logs only kind and location: an error's message may contain a turn's text. */
  readonly #onDefect = (route: string, error: unknown) => {
    this.#session.engine.logger.warn(
      `The route ${route} of a search was left out because of a defect: ${placeOf(error)}`,
    );
  };

  async #view({ knownAt }: LookBack): Promise<MemoryView> {
    const session = this.#session;
    const { store, languageModel, reranker } = session.engine;
    const models = { languageModel, reranker, onDefect: this.#onDefect };
    if (knownAt !== null) return { ...(await session.inTurn(() => session.known.load(knownAt))), ...models };
    const { index, questions, search } = await session.load();
    return { scope: this.name, store, embedder: questions, index, search: search ?? undefined, ...models };
  }
}

function rankedSearch(
  found: SearchResult,
  { sequence, k }: { readonly sequence: number | undefined; readonly k: number },
): RankedSearch {
  return { ...found, ...(sequence !== undefined && { sequence }), items: flatRanking(found, k) };
}
