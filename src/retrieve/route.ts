import type { Embedder } from '../inference/embedder.ts';
import type { LanguageModel, ModelCallOptions } from '../inference/language-model.ts';
import type { Reranker } from '../inference/reranker.ts';
import type { Scope } from '../model/ids.ts';
import type { RouteTrace } from '../model/retrieved-item.ts';
import type { ScopeIndex } from '../search/scope-index.ts';
import type { GraphStore } from '../store/graph-store.ts';
import type { ScopeSearch } from '../store/scope-search.ts';
import type { RankedLists } from './fuse.ts';
import type { Question } from './question.ts';
import type { TurnScores } from './similarity/turn-scores.ts';
import type { Eligible, TimeView } from './time-view.ts';
import type { Limit } from './within-time.ts';

/** The dependencies of a search in one scope. */
export interface SearchContext {
  readonly scope: Scope;
  /** Reads the rows that the index names. */
  readonly store: Pick<GraphStore, 'get'>;
  readonly index: ScopeIndex;
  /** Searches the scope where its index is slim. */
  readonly search?: ScopeSearch | undefined;
  readonly embedder: Embedder;
  /** For selectors that use a language model. */
  readonly languageModel?: LanguageModel | undefined;
  /** Reads the question together with each candidate; without one, results keep the fused order. */
  readonly reranker?: Reranker | undefined;
  /** Called with an unexpected error of a route; the search continues without the route. */
  readonly onDefect?: ((route: string, error: unknown) => void) | undefined;
}

/** Data derived from the rows that the index holds now. */
export interface CurrentRows {
  readonly eligible: Eligible;
  readonly turnScores: TurnScores;
}

/** A question as passed to every route of a search. */
export interface RouteInput {
  readonly context: SearchContext;
  readonly question: Question;
  /** All zero when the question has no features. */
  readonly queryVector: Float32Array;
  /** Vector of the words for the asked kind; null if there are none. */
  readonly kindVector: Float32Array | null;
  readonly view: TimeView;
  /** Number of episodes that the caller requested. */
  readonly k: number;
  /** Length of each list: twice the recipe's depth (docs/papers.md §1.2). */
  readonly depth: number;
  readonly calls: ModelCallOptions;
  readonly limit: Limit;
  /** The current rows; a route reads them again after each wait, since a commit may have changed them. */
  rows(): CurrentRows;
}

/** The lists that a route found, by id, and its report for the trace. */
export interface RouteResult {
  readonly lists: RankedLists;
  readonly report?: Partial<Pick<RouteTrace, 'notes' | 'figures' | 'usage' | 'walk' | 'failure'>> | undefined;
}
