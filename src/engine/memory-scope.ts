import { z } from 'zod';
import { extractiveAnswer } from '../answer/extractive-answer.ts';
import { CancelledError, InvalidInputError } from '../errors/index.ts';
import type { AddResult } from '../ingest/add-outcome.ts';
import type { IngestContext } from '../ingest/ingest-context.ts';
import { type AddFactsResult, ingestFacts } from '../ingest/ingest-facts.ts';
import { ingestTurns } from '../ingest/ingest-turns.ts';
import type { FactInput } from '../model/fact-input.ts';
import type { NodeCounts } from '../model/graph-changes.ts';
import type { Scope } from '../model/ids.ts';
import type { Answer, SearchResult } from '../model/retrieved-item.ts';
import type { TurnInput } from '../model/turn-input.ts';
import { DEFAULT_RECIPE, type Recipe, recipeFrom } from '../retrieve/recipes.ts';
import { search } from '../retrieve/search.ts';
import { analyze } from '../search/analyzer.ts';
import type { ScopeState } from '../store/graph-store.ts';
import { describeIssues } from '../util/describe-issues.ts';
import { SerialQueue } from '../util/serial-queue.ts';
import { type ExportSummary, exportScope } from './archive/export-scope.ts';
import { importScope, type RestoreSummary } from './archive/import-scope.ts';
import type { EngineContext } from './engine-context.ts';
import { type ImportEvent, importTurns, type TurnSource } from './import-turns.ts';
import { IndexKeeper, type LoadedIndex } from './index-keeper.ts';

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface SearchOptions extends CallOptions {
  /** Name of a recipe, or one of your own. Default `system1`. */
  readonly recipe?: string | Recipe;
  /** Episodes in the result, from 1 to 100; entities and facts get twice as many. Default 10. */
  readonly k?: number;
}

/** A longer question is no question; what it costs grows with its words. */
const LONGEST_QUERY = 10_000;
const querySchema = z.object({
  query: z.string().max(LONGEST_QUERY, `is longer than ${LONGEST_QUERY} characters`),
  k: z.number().int().min(1).max(100),
});

/** The memory of one user, agent or project: nothing in it is ever seen from another scope. */
export class MemoryScope {
  readonly name: Scope;
  readonly #context: EngineContext;
  readonly #index: IndexKeeper;
  /** One ingestion at a time; searches do not wait for it. */
  readonly #writes = new SerialQueue();

  constructor(name: Scope, context: EngineContext, index = new IndexKeeper(name, context)) {
    this.name = name;
    this.#context = context;
    this.#index = index;
  }

  /**
   * Remembers turns. When it resolves, each accepted turn is on disk and found by `search`; each outcome says
   * whether the turn was added, known, superseding an older version, or rejected and why.
   *
   * @throws CancelledError when the signal fires before the commit; then nothing of the call is stored.
   * @throws DiskFullError, StoreWriteError: nothing of the call is stored.
   */
  async add(input: TurnInput | readonly TurnInput[], { signal }: CallOptions = {}): Promise<AddResult> {
    const inputs = Array.isArray(input) ? input : [input];
    return this.#write(async (context) => ingestTurns(context, inputs, signal));
  }

  /** Remembers statements that somebody else extracted, with the turns that they rest on. */
  async addFacts(input: readonly FactInput[], { signal }: CallOptions = {}): Promise<AddFactsResult> {
    if (!Array.isArray(input)) throw new InvalidInputError('addFacts takes a list of facts');
    return this.#write(async (context) => ingestFacts(context, input, signal));
  }

  /**
   * Adds a long stream of turns in batches and tells how far it is. Each batch is durable when its event
   * arrives; after a cancel or a crash the same import goes on where it stopped, since known turns are skipped.
   */
  import(turns: TurnSource, options: CallOptions = {}): AsyncIterable<ImportEvent> {
    return importTurns(turns, (batch) => this.add(batch, options), options.signal);
  }

  /** Resolves when everything added so far is enriched, and saves the index for a quick next open. */
  async flush(): Promise<void> {
    await this.#inTurn(() => this.#index.save());
  }

  /** Ranked evidence for a question, each item with its reasons and source turns. */
  async search(query: string, options: SearchOptions = {}): Promise<SearchResult> {
    const { k = 10, recipe = DEFAULT_RECIPE, signal } = options;
    const parsed = querySchema.safeParse({ query, k });
    if (!parsed.success)
      throw new InvalidInputError(`The search is not valid: ${describeIssues(parsed.error)}`);
    if (signal?.aborted) throw new CancelledError('memory is as it was', signal.reason);
    const settings = { recipe: recipeFrom(recipe), k, signal };
    const { index, questions } = await this.#load();
    const context = { scope: this.name, store: this.#context.store, embedder: questions, index };
    return search(context, query.toWellFormed(), settings);
  }

  /** An answer in memory's own words with numbered citations, or an honest "not enough in memory". */
  async ask(question: string, options: SearchOptions = {}): Promise<Answer> {
    const result = await this.search(question, options);
    const { conversation, timeline } = (await this.#load()).index.episodes;
    const speakers = new Set(timeline.liveSpeakerNames().flatMap((name) => analyze(name)));
    return extractiveAnswer(result, {
      weight: (term) => conversation.inverseDocumentFrequency(conversation.documentFrequency(term)),
      isSpeaker: (term) => speakers.has(term),
    });
  }

  /** How many live and superseded rows of each kind the scope holds. */
  async stats(): Promise<NodeCounts> {
    return this.#context.store.count(this.name);
  }

  /** Writes the whole scope as JSON lines (docs/export-format.md). */
  async exportTo(file: string, { signal }: CallOptions = {}): Promise<ExportSummary> {
    return this.#inTurn(() =>
      exportScope({ scope: this.name, store: this.#context.store, clock: this.#context.clock }, file, signal),
    );
  }

  /** Reads what `exportTo` wrote. Rows that are there already are skipped, so that a broken-off import can go on. */
  async importFrom(file: string, options: CallOptions & { newIds?: boolean } = {}): Promise<RestoreSummary> {
    return this.#write(async (context) => importScope(context, file, options));
  }

  #write<T>(job: (context: IngestContext) => Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      const { store, embedding, extractor, clock, newId } = this.#context;
      const { index } = await this.#index.load();
      const before = await store.state(this.name);
      const { embedder } = embedding.current;
      try {
        return await job({ scope: this.name, store, embedder, extractor, clock, newId, index });
      } catch (error) {
        await this.#distrustIndex(before);
        throw error;
      }
    });
  }

  /** A write that failed after its commit has left the index behind the graph. */
  async #distrustIndex(before: ScopeState): Promise<void> {
    const after = await this.#context.store.state(this.name).catch(() => null);
    if (after?.token !== before.token) this.#index.distrust();
  }

  /** Between two writes, so that no commit falls into the loading. */
  async #load(): Promise<LoadedIndex> {
    return this.#index.asked ?? this.#inTurn(() => this.#index.load());
  }

  /** After what was asked for before, and not while the embedder is being replaced. */
  #inTurn<T>(job: () => Promise<T>): Promise<T> {
    return this.#writes.run(() => this.#context.embedding.gate.shared(job));
  }
}
