import type { Embedder } from '../inference/embedder.ts';
import type { LanguageModel } from '../inference/language-model.ts';
import type { Reranker } from '../inference/reranker.ts';
import type { Scope } from '../model/ids.ts';
import type { ScopeIndex } from '../search/scope-index.ts';
import type { GraphStore } from '../store/graph-store.ts';

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
  /** Hears of what no route should throw: the search goes on without the route. */
  readonly onDefect?: ((route: string, error: unknown) => void) | undefined;
}
