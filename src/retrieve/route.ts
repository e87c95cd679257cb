import type { Embedder } from '../inference/embedder.ts';
import type { LanguageModel, ModelCallOptions } from '../inference/language-model.ts';
import type { Reranker } from '../inference/reranker.ts';
import type { Scope } from '../model/ids.ts';
import type { RouteTrace } from '../model/retrieved-item.ts';
import type { ScopeIndex } from '../search/scope-index.ts';
import type { GraphStore } from '../store/graph-store.ts';
import type { RankedLists } from './fuse.ts';
import type { Question } from './question.ts';
import type { TurnScores } from './similarity/turn-scores.ts';
import type { Eligible, TimeView } from './time-view.ts';
import type { Limit } from './within-time.ts';

/** What a search of one scope works with. */
export interface SearchContext {
  readonly scope: Scope;
  /** Gives the rows that the index names. */
  readonly store: Pick<GraphStore, 'get'>;
  readonly index: ScopeIndex;
  readonly embedder: Embedder;
  /** For selectors that ask one. */
  readonly languageModel?: LanguageModel | undefined;
  /** Reads the question together with each candidate; without one, scores of the routes decide. */
  readonly reranker?: Reranker | undefined;
  /** Called with an error that no route should throw; the search goes on without the route. */
  readonly onDefect?: ((route: string, error: unknown) => void) | undefined;
}

/** What depends on the rows that the index holds now. */
export interface CurrentRows {
  readonly eligible: Eligible;
  readonly turnScores: TurnScores;
}

/** A question as every route of a search gets it. */
export interface RouteInput {
  readonly context: SearchContext;
  readonly question: Question;
  /** All zero when the question has no features. */
  readonly queryVector: Float32Array;
  /** Vector of the words for the kind that is asked for; null where there are none. */
  readonly kindVector: Float32Array | null;
  readonly view: TimeView;
  /** Episodes that the caller wants. */
  readonly k: number;
  /** Length of each list: twice the recipe's depth (docs/papers.md §1.2). */
  readonly depth: number;
  readonly calls: ModelCallOptions;
  readonly limit: Limit;
  /** The current rows; a route asks again after each wait, since a commit may have come. */
  rows(): CurrentRows;
}

/** The lists that a route found, by id, and its report for the trace. */
export interface RouteResult {
  readonly lists: RankedLists;
  readonly report?: Partial<Pick<RouteTrace, 'notes' | 'figures' | 'usage' | 'walk' | 'failure'>> | undefined;
}
