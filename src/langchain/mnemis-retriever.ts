import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type CallbackManagerForRetrieverRun,
  type Callbacks,
  parseCallbackConfigArg,
} from '@langchain/core/callbacks/manager';
import type { Document } from '@langchain/core/documents';
import { BaseRetriever, type BaseRetrieverInput } from '@langchain/core/retrievers';
import { ensureConfig, type RunnableConfig, RunnableLambda } from '@langchain/core/runnables';
import { z } from 'zod';
import { searchable } from '../agent-memory/recall.ts';
import type { MemoryScope } from '../engine/memory-scope.ts';
import type { SearchOptions } from '../engine/search-options.ts';
import { InvalidInputError } from '../errors/index.ts';
import { options as shared } from '../model/options.ts';
import type { RetrievedItem, SearchResult } from '../model/retrieved-item.ts';
import { DEFAULT_RECIPE, recipeFrom } from '../retrieve/recipes/recipes.ts';
import { VALIDITIES, type Validity } from '../retrieve/time-view.ts';
import { readLookBack } from '../search/look-back.ts';
import { describeIssues } from '../util/describe-issues.ts';
import { type EvidenceMetadata, evidenceDocument } from './evidence-document.ts';

export type { EvidenceMetadata } from './evidence-document.ts';

/** The scope to read and the options of its searches, fixed for all calls. */
export interface MnemisRetrieverOptions
  extends BaseRetrieverInput,
    Pick<
      SearchOptions,
      'recipe' | 'k' | 'filter' | 'minScore' | 'routeMilliseconds' | 'rewrite' | 'asOf' | 'knownAt' | 'budget'
    > {
  /** The scope to read: fixed here, because calls of a retriever carry no user. */
  readonly memory: Pick<MemoryScope, 'search'>;
  /** Kinds to return, in this order. Default: episodes only, the raw evidence. */
  readonly kinds?: readonly RetrievedItem['kind'][];
  /** Whether to include facts that have ended (`any`). Default: the recipe's setting, mostly `current`. */
  readonly validity?: Validity;
}

const KINDS = ['episode', 'entity', 'fact'] as const;
const anything = z.unknown().optional();
const optionsSchema = z.strictObject({
  memory: z.custom((value) => typeof Object(value).search === 'function', 'is no scope of a memory'),
  kinds: z.array(z.enum(KINDS)).min(1).optional(),
  validity: z.enum(VALIDITIES).optional(),
  k: shared.k.optional(),
  routeMilliseconds: shared.routeMilliseconds.optional(),
  rewrite: shared.rewrite.optional(),
  filter: shared.filter.optional(),
  minScore: shared.minScore.optional(),
  // Checked below, by the search, or by LangChain.
  recipe: anything,
  asOf: anything,
  knownAt: anything,
  budget: anything,
  callbacks: anything,
  tags: anything,
  metadata: anything,
  verbose: anything,
});

/**
 * A LangChain retriever over one scope: each item of a search is a Document with its sources. A `signal` or `timeout`
 * in the configuration of a call ends the search itself, not only the wait for it; the call then rejects with a
 * CancelledError. In traces, the search is a child run whose output is the result of each route.
 *
 * @throws InvalidInputError for invalid options, UnknownNameError for an unknown recipe.
 */
export class MnemisRetriever extends BaseRetriever<EvidenceMetadata> {
  static override lc_name(): string {
    return 'MnemisRetriever';
  }

  override readonly lc_namespace = ['mnemis', 'retrievers'];
  readonly #memory: Pick<MemoryScope, 'search'>;
  readonly #search: SearchOptions;
  readonly #kinds: readonly RetrievedItem['kind'][];
  /** The configuration of each call: the base class does not pass it to `_getRelevantDocuments`. */
  readonly #signal = new AsyncLocalStorage<AbortSignal | undefined>();

  constructor(options: MnemisRetrieverOptions) {
    const parsed = optionsSchema.safeParse(options);
    if (!parsed.success)
      throw new InvalidInputError(
        `The retriever cannot use these options: ${describeIssues(parsed.error, Object.keys(optionsSchema.shape))}`,
      );
    const { memory, kinds = ['episode'], validity, recipe, k, routeMilliseconds, rewrite, ...rest } = options;
    const { asOf, knownAt, budget, filter, minScore, ...fields } = rest;
    readLookBack({ asOf, knownAt });
    super(fields);
    this.#memory = memory;
    this.#kinds = [...new Set(kinds)];
    const given = { k, routeMilliseconds, rewrite, filter, minScore, asOf, knownAt, budget };
    this.#search = { recipe: recipeWith(recipe, validity), ...given };
  }

  override invoke(
    question: string,
    options?: RunnableConfig | Callbacks,
  ): Promise<Document<EvidenceMetadata>[]> {
    const config = ensureConfig<RunnableConfig>(parseCallbackConfigArg(options));
    return this.#signal.run(config.signal, () => super.invoke(question, config));
  }

  override async _getRelevantDocuments(
    question: string,
    run?: CallbackManagerForRetrieverRun,
  ): Promise<Document<EvidenceMetadata>[]> {
    const options = { ...this.#search, signal: this.#signal.getStore() };
    const search = () => this.#memory.search(searchable(question), options);
    const found = run === undefined ? await search() : await tracedSearch(search, question, run);
    return this.#kinds.flatMap((kind) => itemsOf(kind, found).map(evidenceDocument));
  }
}

function recipeWith(recipe: SearchOptions['recipe'], validity: Validity | undefined) {
  const chosen = recipeFrom(recipe ?? DEFAULT_RECIPE);
  return validity === undefined ? chosen : { ...chosen, validity };
}

/** Runs the search as a child run; the recipe's model calls are children of it. */
async function tracedSearch(
  search: () => Promise<SearchResult>,
  question: string,
  run: CallbackManagerForRetrieverRun,
): Promise<SearchResult> {
  const found: SearchResult[] = [];
  const traced = RunnableLambda.from(async (_question: string) => {
    const result = await search();
    found.push(result);
    const { recipe, routes, reranked, usage, milliseconds } = result;
    return { recipe, routes, reranked, usage, milliseconds };
  });
  await traced.invoke(question, { callbacks: run.getChild(), runName: 'mnemis search' });
  return found[0]!;
}

function itemsOf(kind: RetrievedItem['kind'], search: SearchResult): readonly RetrievedItem[] {
  return { episode: search.episodes, entity: search.entities, fact: search.facts }[kind];
}
