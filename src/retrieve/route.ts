import type { ModelCallOptions } from '../inference/language-model.ts';
import type { RouteTrace } from '../model/retrieved-item.ts';
import type { Limit } from './limit.ts';
import type { Question } from './question.ts';
import type { RankedLists } from './rankings.ts';
import type { SearchContext } from './search-context.ts';
import type { TurnScores } from './system1/turn-scores.ts';
import type { Eligible, TimeView } from './time-view.ts';

/** What goes by the rows that the index holds at a moment. */
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
  /** Of the words for the kind of thing that is asked for; null where there are none. */
  readonly kindVector: Float32Array | null;
  readonly view: TimeView;
  /** Episodes that the caller wants. */
  readonly k: number;
  /** Length of each list: twice the recipe's depth (PAPERS §1.2). */
  readonly depth: number;
  readonly calls: ModelCallOptions;
  readonly limit: Limit;
  /** The rows of now: a route that has waited for something asks again, since a commit may have come. */
  rows(): CurrentRows;
}

/** What a route found: lists by id, and what it has to say about how. */
export interface RouteResult {
  readonly lists: RankedLists;
  readonly report?: Partial<Pick<RouteTrace, 'notes' | 'figures' | 'usage' | 'walk' | 'failure'>> | undefined;
}

/** Runs one kind of route. It throws what its `limit` throws; any other error costs the search this route only. */
export type RunRoute<Route> = (input: RouteInput, route: Route) => RouteResult | Promise<RouteResult>;
