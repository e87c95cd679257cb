import type { AnswerListener, GivenAnswer } from '../../src/answer/given-answer.ts';
import type { MemoryContext } from '../../src/answer/memory-context.ts';
import type { Selection, Pick as WalkPick } from '../../src/hierarchy/traverse/selector.ts';
import type { HierarchyWalk } from '../../src/hierarchy/traverse/walk.ts';
import type { CallOptions } from '../../src/model/call-options.ts';
import type { SearchResult, Usage, WalkEnd } from '../../src/model/retrieved-item.ts';
import type { Question } from '../../src/retrieve/question.ts';
import type { RouteName } from '../../src/retrieve/recipes/recipe.ts';
import type { RouteOutcome } from '../../src/retrieve/run-routes.ts';
import type { FusedRoutes } from '../../src/retrieve/search.ts';
import type { RunConfig } from '../run-context.ts';
import type { RetrievalSettings } from './context.ts';
import type { BestItems } from './evidence.ts';

/** A question, whose memory it is asked of, and how. */
export interface RetrievalRequest {
  readonly scope: string;
  readonly question: string;
  readonly settings: RetrievalSettings;
  /** Whether to start over, with memory as it is now; else what is known of this question is reused. */
  readonly begins: boolean;
}

/** The engine's part of the graph, for one question. */
export type RetrievalStepsOf = (request: RetrievalRequest, config: RunConfig) => Promise<RetrievalSteps>;

/**
 * The steps of one query. The result of each is kept, and computed again where it is missing, so that any node can be the
 * first of a process. Every call throws CancelledError when its signal fires.
 */
export interface RetrievalSteps {
  readonly question: Question;
  /** The routes of the recipe, in order; some run only for other questions or larger memories. */
  readonly routes: readonly { readonly route: RouteName; readonly runs: boolean }[];
  /** Runs one route, by its place. */
  route(place: number, options: CallOptions): Promise<RouteOutcome>;
  /** The walk of a `system2` route. */
  walk(place: number): WalkSteps;
  fuse(options: CallOptions): Promise<FusedRoutes>;
  /** The best rows, for people. */
  best(fused: FusedRoutes): Promise<BestItems>;
  /** What a search returns. */
  rerank(options: CallOptions): Promise<SearchResult>;
  /** What an answer may be composed from: the same, turns ranked after them, and turns beside found ones. */
  evidence(options: CallOptions): Promise<SearchResult>;
  compose(evidence: SearchResult, options: CallOptions): Promise<MemoryContext>;
  answer(evidence: SearchResult, options: CallOptions & Pick<AnswerListener, 'onText'>): Promise<GivenAnswer>;
}

/** What a selector picked, list by list. */
export type Picks = readonly (readonly WalkPick[])[];

/** How a walk ended, with what it took and spent over all of its nodes. */
export interface EndedWalk {
  readonly end: WalkEnd | 'late';
  readonly failure: string | null;
  readonly milliseconds: number;
  readonly usage: Usage;
}

/** System-2 Global Selection, list by list (docs/papers.md §1.6). */
export interface WalkSteps {
  /** Why there is nothing to walk; null if there is. */
  readonly obstacle: 'no-hierarchy' | 'no-model' | null;
  /** The walk after these picks. */
  after(picks: Picks): HierarchyWalk;
  /**
   * Asks the selector about the next list and takes its picks; `used` are the milliseconds that the walk took so far.
   *
   * @throws RouteLateError, errors of the model
   */
  select(walk: HierarchyWalk, options: CallOptions & { readonly used: number }): Promise<Selection>;
  /** How a walk ends with an error. @throws CancelledError */
  failureOf(error: unknown): {
    readonly end: 'late' | 'failed';
    readonly failure: string;
    /** Of the last call. */
    readonly usage: Usage;
  };
  /** Ranks the rows of what was selected. */
  end(picks: Picks, ended: EndedWalk): RouteOutcome;
}
