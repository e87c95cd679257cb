import { LRUCache } from 'lru-cache';
import type { BestItems } from '../../graphs/retrieval/evidence.ts';
import { bestItems } from '../../graphs/retrieval/nodes.ts';
import type { RetrievalSteps, WalkSteps } from '../../graphs/retrieval/steps.ts';
import type { AnswerListener, GivenAnswer } from '../answer/given-answer.ts';
import type { MemoryContext } from '../answer/memory-context.ts';
import { CancelledError } from '../errors/index.ts';
import type { CallOptions } from '../model/call-options.ts';
import type { SearchResult } from '../model/retrieved-item.ts';
import type { Question } from '../retrieve/question.ts';
import { chooseRoute, type RouteOutcome } from '../retrieve/run-routes.ts';
import { bestRows, type FusedRoutes, fuseSearch } from '../retrieve/search.ts';
import {
  composeContext,
  evidenceFor,
  type Query,
  rank,
  runRouteAt,
  searchResult,
  walkAt,
  writeAnswer,
} from './query.ts';

/**
 * A query that a graph runs node by node: the results of its steps, by the name of the step. A step whose result is
 * missing computes it, and those before it, so that any node can be the first of a process.
 */
export class QueryRun implements RetrievalSteps {
  readonly #query: Query;
  readonly #results = new Map<string, Promise<unknown>>();
  readonly #walks = new Map<number, WalkSteps>();

  constructor(query: Query) {
    this.#query = query;
  }

  get question(): Question {
    return this.#query.prepared.question;
  }

  get routes(): RetrievalSteps['routes'] {
    const { settings, prepared } = this.#query;
    return settings.recipe.routes.map(({ route, when }) => ({
      route,
      runs: chooseRoute(when, prepared).runs,
    }));
  }

  route(place: number, { signal }: CallOptions): Promise<RouteOutcome> {
    return this.#once(`route ${place}`, signal, () => runRouteAt(this.#query, place, { signal }));
  }

  walk(place: number): WalkSteps {
    const known = this.#walks.get(place);
    if (known !== undefined) return known;
    const walk = walkAt(this.#query, place);
    const kept: WalkSteps = {
      ...walk,
      end: (picks, ended) => {
        const outcome = walk.end(picks, ended);
        this.#results.set(`route ${place}`, Promise.resolve(outcome));
        return outcome;
      },
    };
    this.#walks.set(place, kept);
    return kept;
  }

  fuse({ signal }: CallOptions): Promise<FusedRoutes> {
    return this.#once('fuse', signal, async () => {
      const { prepared, settings } = this.#query;
      const places = settings.recipe.routes.map((_, place) => this.route(place, { signal }));
      return fuseSearch(prepared, await Promise.all(places), settings.recipe);
    });
  }

  async best({ fused }: FusedRoutes): Promise<BestItems> {
    return bestItems(await bestRows(this.#query.prepared, fused));
  }

  rerank({ signal }: CallOptions): Promise<SearchResult> {
    return this.#once('rerank', signal, async () =>
      searchResult(this.#query, await this.#ranked({ signal })),
    );
  }

  evidence({ signal }: CallOptions): Promise<SearchResult> {
    return this.#once('evidence', signal, async () =>
      evidenceFor(this.#query, await this.#ranked({ signal }), await this.rerank({ signal })),
    );
  }

  compose(evidence: SearchResult, { signal }: CallOptions): Promise<MemoryContext> {
    const ids = [evidence.episodes, evidence.facts, evidence.entities].map((items) =>
      items.map(({ id }) => id),
    );
    return this.#once(`compose ${ids.join(' ')}`, signal, () => composeContext(this.#query, evidence));
  }

  async answer(
    evidence: SearchResult,
    { signal, onText }: CallOptions & Pick<AnswerListener, 'onText'>,
  ): Promise<GivenAnswer> {
    const context = await this.compose(evidence, { signal });
    return writeAnswer(this.#query, { evidence, context }, { signal, onText });
  }

  #ranked({ signal }: CallOptions): Promise<SearchResult> {
    return this.#once('ranked', signal, async () =>
      rank(this.#query, await this.fuse({ signal }), { signal }),
    );
  }

  /** A result that is computed once; a failed or cancelled one is computed again. */
  async #once<T>(step: string, signal: AbortSignal | undefined, make: () => Promise<T>): Promise<T> {
    const known = this.#results.get(step) as Promise<T> | undefined;
    if (known === undefined) {
      const made = make();
      this.#results.set(step, made);
      made.catch(() => this.#results.delete(step));
      return made;
    }
    return known.catch((error: unknown) => {
      // Another run that asked for it was cancelled, not this one.
      if (!CancelledError.isInstance(error) || signal?.aborted) throw error;
      return this.#once(step, signal, make);
    });
  }
}

/** Runs kept; each holds a search result. */
const MOST = 16;

/**
 * The runs of graphs, by what is asked and how. A run that resumes, replays or forks a thread finds what the nodes before
 * it computed.
 */
export class QueryRuns {
  readonly #runs = new LRUCache<string, Promise<QueryRun>>({ max: MOST });

  /** @param begins Whether to start over, with memory as it is now. */
  async open(key: string, begin: () => Promise<Query>, begins: boolean): Promise<QueryRun> {
    const known = begins ? undefined : this.#runs.get(key);
    if (known !== undefined) return known;
    const begun = begin().then((query) => new QueryRun(query));
    this.#runs.set(key, begun);
    begun.catch(() => this.#runs.delete(key));
    return begun;
  }

  /** Drops the results, which contain text; part of forgetting. */
  drop(): void {
    this.#runs.clear();
  }
}
