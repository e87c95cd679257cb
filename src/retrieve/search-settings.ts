import type { TokenBudget } from '../inference/language-model/calling/token-budget.ts';
import type { Milliseconds } from '../model/ids.ts';
import type { DescribeEntity } from './entities-then.ts';
import type { Recipe } from './recipes/recipe.ts';
import type { Validity } from './validity.ts';

/** A search about a time that is past. */
export interface AsOf {
  /** Facts that held then, turns said until then, entities spoken of until then (DESIGN §8.4). */
  readonly at: Milliseconds;
  /** For the summaries of entities. */
  readonly describe: DescribeEntity;
}

export interface SearchSettings {
  readonly recipe: Recipe;
  /** Episodes in the result; entities and facts get twice as many (Mnemis §3.1). */
  readonly k: number;
  readonly signal?: AbortSignal | undefined;
  /** Bounds what selectors that ask a language model may cost. */
  readonly budget?: TokenBudget | undefined;
  readonly asOf?: AsOf | undefined;
  /** Default: only facts that hold where `asOf` is given, else what the recipe says. */
  readonly validity?: Validity | undefined;
  /** The present. Default: later than every end of a fact. */
  readonly now?: Milliseconds | undefined;
  /**
   * How long each route, and the reranker for each kind, may take; a slower one is left out and told of. Default: as
   * long as it takes.
   */
  readonly routeMilliseconds?: number | undefined;
}
